#include "compiler/families/vliw/register_access.h"

#include <algorithm>
#include <functional>
#include <span>

#include "acg/base/check.h"

namespace covenant::compiler::vliw {

bool is_virtual(const acg::OperandInfo& operand) {
  using enum acg::OperandKind;
  const acg::OperandKind kind = operand.kind;
  check(kind != kModifier && kind != kProduced && kind != kControlRegister, "an operand that code has no words for");
  return is_pair(kind) || kind == kScalar || kind == kVector || kind == kPredicate || kind == kVectorPredicate;
}

RegisterAccesses::RegisterAccesses(const acg::Machine& machine)
    : stages_(machine), interval_(machine.packet.interval) {}

std::vector<RegisterAccess> RegisterAccesses::of(const CodeInstruction& instruction) const {
  const acg::Operation does = instruction.instruction.operation;
  const acg::OperationStages& stages = stages_.of(does);
  const std::span<const acg::OperandInfo> operands = acg::info(does).operands;
  std::vector<RegisterAccess> accesses;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!is_virtual(operands[i])) continue;
    const bool is_written = writes(operands[i].access);
    // A latency given by the mnemonic replaces the stage.
    const uint32_t written = is_written && stages.latency > 0 ? stages.latency : stages.writes[i];
    accesses.push_back({Name::of(instruction.instruction.operands[i]), is_pair(operands[i].kind),
                        reads(operands[i].access), is_written, stages.reads[i], written, stages.limits[i]});
    // Pointers that advance do not wait for memory.
    if (is_written && !reads(operands[i].access)) accesses.back().write_stage += instruction.delay;
  }
  return accesses;
}

uint32_t RegisterAccesses::packets_between(uint32_t written, uint32_t read) const {
  const uint32_t cycles = written > read ? written - read : 0;
  return std::max(1U, (cycles + interval_ - 1) / interval_);
}

std::vector<size_t> uses_of(const std::vector<CodeStep>& steps, const RegisterAccesses& accesses, size_t registers) {
  std::vector<size_t> uses(registers);
  for (const CodeStep& step : steps) {
    if (const auto* loop = std::get_if<CodeLoop>(&step)) {
      const std::vector<size_t> within = uses_of(loop->body, accesses, registers);
      std::transform(within.begin(), within.end(), uses.begin(), uses.begin(), std::plus<>());
      continue;
    }
    for (const RegisterAccess& access : accesses.of(std::get<CodeInstruction>(step))) ++uses.at(access.name.number);
  }
  return uses;
}

}  // namespace covenant::compiler::vliw
