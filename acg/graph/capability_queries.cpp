// Finds the compute nodes that have a capability.
#include <algorithm>

#include "acg/graph/element_types.h"
#include "acg/graph/queries.h"

namespace covenant::acg {
namespace {

uint64_t elements(const CapabilityOperand& operand) {
  uint64_t product = 1;
  for (uint64_t size : operand.shape) product *= size;
  return product;
}

/// All capabilities for which `fits` is true, largest output granularity first.
template <typename Fits>
std::vector<CapabilityMatch> matches(const Machine& machine, Fits&& fits) {
  std::vector<std::pair<uint64_t, CapabilityMatch>> found;
  for (uint32_t i = 0; i < machine.computes.size(); ++i) {
    const std::vector<Capability>& capabilities = machine.computes[i].capabilities;
    for (size_t j = 0; j < capabilities.size(); ++j) {
      if (fits(capabilities[j])) found.push_back({elements(capabilities[j].output), {ComputeId{i}, j}});
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<CapabilityMatch> result;
  for (const auto& [granularity, match] : found) result.push_back(match);
  return result;
}

bool same_type(const CapabilityOperand& a, const CapabilityOperand& b) {
  return a.dtype == b.dtype && a.format == b.format;
}

}  // namespace

uint32_t gemm_bits(const Machine& machine, const Compute& compute, size_t input) {
  uint32_t widest = 0;
  for (const Capability& capability : compute.capabilities) {
    if (capability.name != "GEMM" || capability.inputs.size() <= input) continue;
    widest = std::max(widest, element_bits(machine, capability.inputs[input]));
  }
  return widest == 0 ? 8 : widest;
}

std::vector<CapabilityMatch> find_capability(const Machine& machine, std::string_view name, DType output,
                                             const std::vector<DType>& inputs) {
  return matches(machine, [&](const Capability& capability) {
    const bool same_inputs =
        std::equal(capability.inputs.begin(), capability.inputs.end(), inputs.begin(), inputs.end(),
                   [](const CapabilityOperand& operand, DType dtype) { return operand.dtype == dtype; });
    return capability.name == name && capability.output.dtype == output && same_inputs;
  });
}

std::vector<CapabilityMatch> find_capability(const Machine& machine, std::string_view name,
                                             const CapabilityOperand& output,
                                             const std::vector<CapabilityOperand>& inputs, uint64_t most_elements) {
  return matches(machine, [&](const Capability& capability) {
    return capability.name == name && same_type(capability.output, output) &&
           std::equal(capability.inputs.begin(), capability.inputs.end(), inputs.begin(), inputs.end(), same_type) &&
           elements(capability.output) <= most_elements;
  });
}

}  // namespace covenant::acg
