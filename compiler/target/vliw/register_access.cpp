#include "compiler/target/vliw/register_access.h"

#include <algorithm>
#include <span>

#include "acg/base/check.h"

namespace covenant::compiler::vliw {
namespace {

bool is_pair(acg::OperandKind kind) {
  return kind == acg::OperandKind::kScalarPair || kind == acg::OperandKind::kVectorPair;
}
}  // namespace

bool is_virtual(const acg::OperandInfo& operand) {
  using enum acg::OperandKind;
  const acg::OperandKind kind = operand.kind;
  check(kind != kModifier && kind != kProduced && kind != kControlRegister, "an operand that code has no words for");
  return is_pair(kind) || kind == kScalar || kind == kVector || kind == kPredicate || kind == kVectorPredicate;
}

RegisterAccesses::RegisterAccesses(const acg::Machine& machine)
    : stages_(acg::kOperationCount), interval_(machine.packet.interval) {
  for (const acg::Mnemonic& mnemonic : machine.mnemonics) {
    const size_t operands = acg::info(mnemonic.does).operands.size();
    Stages stages{std::vector<uint32_t>(operands), std::vector<uint32_t>(operands), std::vector<uint32_t>(operands)};
    for (const acg::Field& field : mnemonic.fields) {
      if (field.operand.empty()) continue;
      const size_t at = acg::operand_index(mnemonic.does, field.operand);
      stages.limits[at] = static_cast<uint32_t>(acg::highest_value(field)) + field.scale;
      stages.reads[at] = field.reads.value_or(0);
      // A latency of its own stands in the place of the stage.
      stages.writes[at] = field.writes && mnemonic.latency > 0 ? mnemonic.latency : field.writes.value_or(0);
    }
    stages_[static_cast<size_t>(mnemonic.does)] = std::move(stages);
  }
}

std::vector<RegisterAccess> RegisterAccesses::of(const CodeInstruction& instruction) const {
  const acg::Operation does = instruction.instruction.operation;
  const Stages& stages = stages_[static_cast<size_t>(does)];
  const std::span<const acg::OperandInfo> operands = acg::info(does).operands;
  std::vector<RegisterAccess> accesses;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!is_virtual(operands[i])) continue;
    accesses.push_back({Name::of(instruction.instruction.operands[i]), is_pair(operands[i].kind),
                        reads(operands[i].access), writes(operands[i].access), stages.reads[i], stages.writes[i],
                        stages.limits[i]});
  }
  return accesses;
}

uint32_t RegisterAccesses::packets_between(uint32_t written, uint32_t read) const {
  const uint32_t cycles = written > read ? written - read : 0;
  return std::max(1U, (cycles + interval_ - 1) / interval_);
}

}  // namespace covenant::compiler::vliw
