#include "compiler/codelet/capability.h"

#include <algorithm>
#include <utility>

#include "compiler/codelet/arithmetic.h"
#include "compiler/codelet/vector_sizes.h"

namespace covenant::compiler::codelet {
namespace {

/// Elements that the capability takes at once: of the output, and of all inputs together.
std::pair<uint64_t, uint64_t> granularity(const acg::Capability& capability) {
  uint64_t inputs = 0;
  for (const acg::CapabilityOperand& input : capability.inputs) inputs += elements_of(input.shape);
  return {elements_of(capability.output.shape), inputs};
}

/// True if the extents of a capability fit the meaning of its name in a codelet. Hexagon's products of four-byte lanes
/// by four-byte lanes, for example, are no matrix products.
bool means(const acg::Capability& capability) {
  const std::optional<FunctionInfo> function = function_named(capability.name);
  if (!function || function->operands != capability.inputs.size()) return true;
  std::vector<size_t> sizes;
  for (const acg::CapabilityOperand& input : capability.inputs) sizes.push_back(elements_of(input.shape));
  const bool is_product = function->function == Function::kGemm || function->function == Function::kMmul;
  return !is_product || fit_together(function->function, sizes, elements_of(capability.output.shape));
}

/// Matches by name and element types alone.
bool is_typed(const acg::Capability& capability, std::string_view name, DType output,
              const std::vector<OperandType>& operands) {
  if (capability.name != name || capability.output.dtype != output || capability.inputs.size() != operands.size()) {
    return false;
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    const acg::CapabilityOperand& input = capability.inputs[i];
    if (input.dtype != operands[i].dtype) return false;
    if (operands[i].is_constant && elements_of(input.shape) != operands[i].elements) return false;
  }
  return true;
}

}  // namespace

OperandType type_of(const Constant& constant) {
  return {constant.dtype, true, std::max<uint64_t>(1, constant.table.size() / bytes(constant.dtype))};
}

bool fits(const acg::Capability& capability, std::string_view name, DType output,
          const std::vector<OperandType>& operands) {
  return is_typed(capability, name, output, operands) && means(capability);
}

const acg::Capability* find_capability(const acg::Compute& node, std::string_view name, DType output,
                                       const std::vector<OperandType>& operands) {
  // A capability whose extents do not fit is taken only if there is no other: executing it reports what is wrong.
  const acg::Capability* best = nullptr;
  const auto rank = [](const acg::Capability& one) { return std::pair{means(one), granularity(one)}; };
  for (const acg::Capability& capability : node.capabilities) {
    if (!is_typed(capability, name, output, operands)) continue;
    if (best == nullptr || rank(capability) > rank(*best)) best = &capability;
  }
  return best;
}

}  // namespace covenant::compiler::codelet
