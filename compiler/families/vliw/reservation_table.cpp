#include "compiler/families/vliw/reservation_table.h"

#include <algorithm>
#include <map>

#include "acg/base/rounding.h"
#include "acg/operations/vliw_traits.h"

namespace covenant::compiler::vliw {

ReservationTable::ReservationTable(const acg::Machine& machine, uint32_t most)
    : resources_(machine), words_(machine.packet.words), most_(most == 0 ? machine.packet.slots : most) {}

void ReservationTable::Reservations::add(const CodeInstruction& instruction) {
  operations.push_back(instruction.instruction.operation);
  words += instruction.is_extended ? 2 : 1;
}

ReservationTable::Reservations& ReservationTable::no_reservations() const {
  reservations_.operations.clear();
  reservations_.words = 0;
  return reservations_;
}

bool ReservationTable::fits(std::span<const CodeInstruction> instructions) const {
  if (instructions.size() > most_) return false;
  Reservations& reservations = no_reservations();
  for (const CodeInstruction& entry : instructions) reservations.add(entry);
  return fits(reservations);
}

bool ReservationTable::fits(std::span<const CodeInstruction> instructions, const CodeInstruction& another) const {
  if (instructions.size() >= most_) return false;
  Reservations& reservations = no_reservations();
  for (const CodeInstruction& entry : instructions) reservations.add(entry);
  reservations.add(another);
  return fits(reservations);
}

bool ReservationTable::fits(std::span<const CodeInstruction> code, std::span<const size_t> packet,
                            size_t another) const {
  if (packet.size() >= most_) return false;
  Reservations& reservations = no_reservations();
  for (const size_t i : packet) reservations.add(code[i]);
  reservations.add(code[another]);
  return fits(reservations);
}

bool ReservationTable::fits(Reservations& reservations) const {
  if (reservations.words > words_) return false;
  std::sort(reservations.operations.begin(), reservations.operations.end());
  constexpr size_t kBits = 16, kMost = 64 / kBits;
  if (reservations.operations.size() > kMost) return has_room(reservations);
  uint64_t key = 0;
  for (const acg::Operation does : reservations.operations) key = key << kBits | (static_cast<uint64_t>(does) + 1);
  const auto [known, is_new] = known_.emplace(key, false);
  if (is_new) known->second = has_room(reservations);
  return known->second;
}

bool ReservationTable::has_room(const Reservations& reservations) const {
  const std::vector<acg::Operation>& operations = reservations.operations;
  const auto any = [&](acg::VliwTrait trait) {
    return std::any_of(operations.begin(), operations.end(), [&](acg::Operation does) { return has(does, trait); });
  };
  if (operations.size() > 1 && any(acg::VliwTrait::kAlone)) return false;
  if (any(acg::VliwTrait::kPrefetch)) {
    const auto others = std::count_if(operations.begin(), operations.end(), [](acg::Operation does) {
      return !has(does, acg::VliwTrait::kPrefetch) && !has(does, acg::VliwTrait::kScalarArithmetic);
    });
    if (others > 0) return false;
  }
  return resources_.slots_for(operations, acg::PacketResources::Order::kAny).has_value();
}

uint32_t ReservationTable::least_packets(std::span<const CodeInstruction> instructions) const {
  std::map<acg::Operation, std::vector<CodeInstruction>> alike;
  size_t words = 0;
  for (const CodeInstruction& entry : instructions) {
    alike[entry.instruction.operation].push_back(entry);
    words += entry.is_extended ? 2 : 1;
  }
  size_t least = std::max(ceil_divide<size_t>(words, words_), ceil_divide<size_t>(instructions.size(), most_));
  for (const auto& [does, same] : alike) {
    size_t together = 1;
    while (together < same.size() && fits(std::span(same).first(together + 1))) ++together;
    least = std::max(least, ceil_divide(same.size(), together));
  }
  return static_cast<uint32_t>(std::max<size_t>(1, least));
}

}  // namespace covenant::compiler::vliw
