#include "compiler/codelet/nodes.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

#include "acg/base/check.h"
#include "acg/graph/element_types.h"
#include "acg/graph/queries.h"
#include "compiler/codelet/rewrite.h"
#include "compiler/codelet/vector_sizes.h"

namespace covenant::compiler::codelet {
namespace {

/// Number of computes in the codelet that a node could execute.
int64_t could_do(const Codelet& codelet, const acg::Compute& node) {
  int64_t count = 0;
  for_each_operation(codelet.body, [&](const Operation& operation, const std::vector<const Loop*>&) {
    const auto* compute = std::get_if<Compute>(&operation.op);
    if (compute == nullptr) return;
    const DType output = dtype_of(codelet, compute->destination);
    if (find_capability(node, compute->capability, output, operand_types(codelet, *compute)) != nullptr) ++count;
  });
  return count;
}

}  // namespace

DType dtype_of(const Codelet& codelet, const Reference& reference) {
  const Surrogate* surrogate = find_surrogate(codelet, reference.surrogate);
  check(surrogate != nullptr && surrogate->dtype.has_value(), "'" + reference.surrogate + "' is not bound");
  return surrogate->dtype.value();
}

std::vector<OperandType> operand_types(const Codelet& codelet, const Compute& compute) {
  std::vector<OperandType> types;
  for (const auto& operand : compute.operands) {
    const auto* constant = std::get_if<Constant>(&operand);
    types.push_back(constant != nullptr ? type_of(*constant)
                                        : OperandType{dtype_of(codelet, std::get<Reference>(operand))});
  }
  return types;
}

std::vector<acg::ComputeId> nodes_for(const Codelet& codelet, const acg::Machine& machine, const std::string& name,
                                      DType output, const std::vector<OperandType>& operands) {
  std::vector<DType> dtypes;
  for (const OperandType& operand : operands) dtypes.push_back(operand.dtype);
  using Rank = std::pair<uint64_t, int64_t>;  // elements at once, number of computes that the node could execute
  std::vector<std::pair<Rank, acg::ComputeId>> ranked;
  for (const acg::CapabilityMatch& match : acg::find_capability(machine, name, output, dtypes)) {
    const acg::Compute& node = acg::get(machine, match.compute);
    const acg::Capability& capability = node.capabilities[match.capability];
    const bool is_known =
        std::any_of(ranked.begin(), ranked.end(), [&](const auto& other) { return other.second == match.compute; });
    if (is_known || !fits(capability, name, output, operands)) continue;
    ranked.push_back({{elements_of(capability.output.shape), could_do(codelet, node)}, match.compute});
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<acg::ComputeId> nodes;
  for (const auto& [rank, node] : ranked) nodes.push_back(node);
  return nodes;
}

std::set<std::string> offers(const acg::Machine& machine, const std::string& name) {
  std::set<std::string> same, names;
  for (const acg::Compute& node : machine.computes) {
    for (const acg::Capability& offered : node.capabilities) {
      names.insert(offered.name);
      if (offered.name != name) continue;
      std::vector<std::string> types;
      for (const acg::CapabilityOperand& input : offered.inputs) types.push_back(acg::element_type_text(input));
      same.insert(
          fmt::format("{}={}({})", acg::element_type_text(offered.output), offered.name, fmt::join(types, ",")));
    }
  }
  return same.empty() ? names : same;
}

}  // namespace covenant::compiler::codelet
