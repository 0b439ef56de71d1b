#include "compiler/target/vliw/packet_space.h"

#include <algorithm>
#include <vector>

#include "acg/isa/vliw_traits.h"

namespace covenant::compiler::vliw {

PacketSpace::PacketSpace(const acg::Machine& machine, uint32_t most)
    : resources_(machine), words_(machine.packet.words), most_(most == 0 ? machine.packet.slots : most) {}

bool PacketSpace::fits(std::span<const CodeInstruction> instructions) const {
  if (instructions.size() > most_) return false;
  std::vector<acg::Operation> operations;
  size_t words = 0;
  for (const CodeInstruction& entry : instructions) {
    operations.push_back(entry.instruction.operation);
    words += entry.is_extended ? 2 : 1;
  }
  const auto any = [&](acg::VliwTrait trait) {
    return std::any_of(operations.begin(), operations.end(), [&](acg::Operation does) { return has(does, trait); });
  };
  if (words > words_ || (operations.size() > 1 && any(acg::VliwTrait::kAlone))) return false;
  if (any(acg::VliwTrait::kPrefetch)) {
    const auto others = std::count_if(operations.begin(), operations.end(), [](acg::Operation does) {
      return !has(does, acg::VliwTrait::kPrefetch) && !has(does, acg::VliwTrait::kScalarArithmetic);
    });
    if (others > 0) return false;
  }
  return resources_.slots_for(operations, acg::PacketResources::Order::kAny).has_value();
}

bool PacketSpace::fits(std::span<const CodeInstruction> instructions, const CodeInstruction& another) const {
  std::vector<CodeInstruction> all(instructions.begin(), instructions.end());
  all.push_back(another);
  return fits(all);
}

}  // namespace covenant::compiler::vliw
