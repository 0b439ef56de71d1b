/// Finds the nodes of a machine that can execute a compute of a codelet, best first.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "acg/graph/graph.h"
#include "compiler/codelet/capability.h"
#include "compiler/codelet/codelet.h"

namespace covenant::compiler::codelet {

/// The dtype of the tensor that `reference` refers to. Pre: bound.
DType dtype_of(const Codelet& codelet, const Reference& reference);

/// Dtypes of the operands of a compute, and which of them are constants. Pre: bound.
std::vector<OperandType> operand_types(const Codelet& codelet, const Compute& compute);

/// Nodes that implement `name` on these types, largest granularity first. Among equals, those that could execute more
/// of the codelet's computes come first, so that intermediate results stay in the node's memories; then by declaration.
/// The whole compiler chooses a node's capability in the same way (`find_capability`).
std::vector<acg::ComputeId> nodes_for(const Codelet& codelet, const acg::Machine& machine, const std::string& name,
                                      DType output, const std::vector<OperandType>& operands);

/// For diagnostics: what the machine offers instead, that is, `name` on other element types, or all names that it has.
std::set<std::string> offers(const acg::Machine& machine, const std::string& name);

}  // namespace covenant::compiler::codelet
