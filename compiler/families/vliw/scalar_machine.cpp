#include "compiler/families/vliw/scalar_machine.h"

#include <algorithm>
#include <array>

#include "acg/graph/queries.h"
#include "compiler/codelet/rewrite.h"

namespace covenant::compiler::vliw {
namespace {

constexpr uint32_t kWordBits = 32, kByteBits = 8;

bool multiplies_and_adds(const acg::Compute& node) {
  return std::any_of(node.capabilities.begin(), node.capabilities.end(), [](const acg::Capability& one) {
    const acg::CapabilityOperand word{DType::kI32, {1}};
    return one.name == "MAC" && one.output == word && one.inputs == std::vector{word, word, word};
  });
}

/// Products of one input and one weight, each signed or unsigned.
std::vector<acg::Capability> products_of_bytes() {
  constexpr std::array kBytes{DType::kI8, DType::kU8};
  std::vector<acg::Capability> products;
  for (const DType input : kBytes) {
    for (const DType weight : kBytes) {
      products.push_back({"GEMM", {DType::kI32, {1}}, {{input, {1}}, {weight, {1, 1}}, {DType::kI32, {1}}}});
    }
  }
  return products;
}

}  // namespace

bool is_scalar(const acg::Compute& node, const acg::Machine& machine) {
  const std::optional<acg::MemoryId> file = acg::register_file(machine, node);
  return file && acg::get(machine, *file).data_width == kWordBits;
}

bool is_scalar(const codelet::Codelet& mapped, const acg::Machine& machine) {
  bool any = false, all = true;
  for_each_operation(mapped.body, [&](const codelet::Operation& operation, const auto& /*loops*/) {
    const auto* compute = std::get_if<codelet::Compute>(&operation.op);
    if (compute == nullptr) return;
    any = true;
    all = all && is_scalar(acg::get(machine, acg::find_compute(machine, compute->location).value()), machine);
  });
  return any && all;
}

acg::Machine with_scalars_alone(const acg::Machine& machine) {
  acg::Machine result = machine;
  for (acg::Compute& node : result.computes) {
    if (!is_scalar(node, machine)) {
      node.capabilities.clear();
    } else if (multiplies_and_adds(node)) {
      const std::vector<acg::Capability> products = products_of_bytes();
      node.capabilities.insert(node.capabilities.end(), products.begin(), products.end());
      result.memories[acg::register_file(machine, node).value().value].granularity = kByteBits;
    }
  }
  return result;
}

}  // namespace covenant::compiler::vliw
