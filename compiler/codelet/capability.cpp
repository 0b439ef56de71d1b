#include "compiler/codelet/capability.h"

namespace covenant::compiler::codelet {
namespace {

bool is_scalar(const acg::CapabilityOperand& operand) {
  for (const uint64_t extent : operand.shape) {
    if (extent != 1) return false;
  }
  return true;
}

}  // namespace

bool fits(const acg::Capability& capability, std::string_view name, DType output,
          const std::vector<OperandType>& operands) {
  if (capability.name != name || capability.output.dtype != output || capability.inputs.size() != operands.size()) {
    return false;
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    const acg::CapabilityOperand& input = capability.inputs[i];
    if (input.dtype != operands[i].dtype) return false;
    if (operands[i].is_constant && !is_scalar(input)) return false;
    if (!operands[i].is_constant && is_scalar(input) && !is_scalar(capability.output)) return false;
  }
  return true;
}

const acg::Capability* find_capability(const acg::Compute& node, std::string_view name, DType output,
                                       const std::vector<OperandType>& operands) {
  for (const acg::Capability& capability : node.capabilities) {
    if (fits(capability, name, output, operands)) return &capability;
  }
  return nullptr;
}

}  // namespace covenant::compiler::codelet
