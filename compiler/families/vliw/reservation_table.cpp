#include "compiler/families/vliw/reservation_table.h"

#include <algorithm>
#include <map>

#include "acg/base/rounding.h"
#include "acg/operations/vliw_traits.h"

namespace covenant::compiler::vliw {

ReservationTable::ReservationTable(const acg::Machine& machine, uint32_t most)
    : resources_(machine), words_(machine.packet.words), most_(most == 0 ? machine.packet.slots : most) {}

void ReservationTable::Company::add(const CodeInstruction& instruction) {
  operations.push_back(instruction.instruction.operation);
  words += instruction.is_extended ? 2 : 1;
}

ReservationTable::Company& ReservationTable::nobody() const {
  company_.operations.clear();
  company_.words = 0;
  return company_;
}

bool ReservationTable::fits(std::span<const CodeInstruction> instructions) const {
  if (instructions.size() > most_) return false;
  Company& company = nobody();
  for (const CodeInstruction& entry : instructions) company.add(entry);
  return fits(company);
}

bool ReservationTable::fits(std::span<const CodeInstruction> instructions, const CodeInstruction& another) const {
  if (instructions.size() >= most_) return false;
  Company& company = nobody();
  for (const CodeInstruction& entry : instructions) company.add(entry);
  company.add(another);
  return fits(company);
}

bool ReservationTable::fits(std::span<const CodeInstruction> code, std::span<const size_t> packet,
                            size_t another) const {
  if (packet.size() >= most_) return false;
  Company& company = nobody();
  for (const size_t i : packet) company.add(code[i]);
  company.add(code[another]);
  return fits(company);
}

bool ReservationTable::fits(Company& company) const {
  if (company.words > words_) return false;
  std::sort(company.operations.begin(), company.operations.end());
  constexpr size_t kBits = 16, kMost = 64 / kBits;
  if (company.operations.size() > kMost) return has_room(company);
  uint64_t key = 0;
  for (const acg::Operation does : company.operations) key = key << kBits | (static_cast<uint64_t>(does) + 1);
  const auto [known, is_new] = known_.emplace(key, false);
  if (is_new) known->second = has_room(company);
  return known->second;
}

bool ReservationTable::has_room(const Company& company) const {
  const std::vector<acg::Operation>& operations = company.operations;
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
