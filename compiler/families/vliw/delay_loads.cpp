#include "compiler/families/vliw/delay_loads.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "acg/operations/vliw_traits.h"

namespace covenant::compiler::vliw {
namespace {

class Delay {
 public:
  Delay(std::span<const CodeInstruction> instructions, std::span<const Dependence> dependences,
        const ReservationTable& space, uint32_t interval, std::vector<uint32_t>& packets)
      : instructions_(instructions),
        space_(space),
        interval_(interval),
        packets_(packets),
        after_(instructions.size()),
        rows_(interval) {
    for (const Dependence& entry : dependences) {
      if (entry.from != entry.to) after_[entry.from].push_back(entry);
    }
    for (size_t i = 0; i < packets.size(); ++i) rows_[packets[i] % interval].push_back(i);
  }

  void run() {
    std::vector<size_t> order(instructions_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t one, size_t other) { return packets_[one] > packets_[other]; });
    for (const size_t instruction : order) {
      if (may_wait(instruction)) move(instruction);
    }
  }

 private:
  bool may_wait(size_t instruction) const {
    const acg::Instruction& one = instructions_[instruction].instruction;
    return has(one, acg::VliwTrait::kLoad) || has(one, acg::VliwTrait::kScalarArithmetic);
  }

  /// An instruction whose result is not used stays where it is.
  uint32_t latest(size_t instruction) const {
    std::optional<int64_t> latest;
    for (const Dependence& entry : after_[instruction]) {
      const int64_t allowed = int64_t{packets_[entry.to]} - entry.packets + int64_t{interval_} * entry.distance;
      latest = latest ? std::min(*latest, allowed) : allowed;
    }
    return latest && *latest > packets_[instruction] ? static_cast<uint32_t>(*latest) : packets_[instruction];
  }

  void move(size_t instruction) {
    const uint32_t now = packets_[instruction];
    uint32_t packet = latest(instruction);
    std::erase(rows_[now % interval_], instruction);
    while (packet > now && !space_.fits(instructions_, rows_[packet % interval_], instruction)) --packet;
    rows_[packet % interval_].push_back(instruction);
    packets_[instruction] = packet;
  }

  std::span<const CodeInstruction> instructions_;
  const ReservationTable& space_;
  uint32_t interval_;
  std::vector<uint32_t>& packets_;
  std::vector<std::vector<Dependence>> after_;
  std::vector<std::vector<size_t>> rows_;
};

}  // namespace

void delay_loads(std::span<const CodeInstruction> instructions, std::span<const Dependence> dependences,
                 const ReservationTable& space, uint32_t interval, std::vector<uint32_t>& packets) {
  if (interval > 0) Delay(instructions, dependences, space, interval, packets).run();
}

}  // namespace covenant::compiler::vliw
