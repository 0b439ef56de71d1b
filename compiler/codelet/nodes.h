/// Which nodes of a machine can do a compute of a codelet, the best first.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "acg/graph/graph.h"
#include "compiler/codelet/capability.h"
#include "compiler/codelet/codelet.h"

namespace covenant::compiler::codelet {

/// The dtype of what is referred to. Pre: bound.
DType dtype_of(const Codelet& codelet, const Reference& reference);

/// What the operands of a compute are: their dtypes, and which are constants. Pre: bound.
std::vector<OperandType> operand_types(const Codelet& codelet, const Compute& compute);

/// Nodes that do `name` on these types, largest granularity first; of equal ones those that could do more of the
/// codelet's computes, for what these hand on then stays in the node's memories; then by declaration. Of a node's
/// capabilities, which one is meant the whole compiler decides alike (`find_capability`).
std::vector<acg::ComputeId> nodes_for(const Codelet& codelet, const acg::Machine& machine, const std::string& name,
                                      DType output, const std::vector<OperandType>& operands);

/// What the machine can do instead: `name` on other element types, or the names of all that it has.
std::set<std::string> offers(const acg::Machine& machine, const std::string& name);

}  // namespace covenant::compiler::codelet
