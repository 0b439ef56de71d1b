/// State: tensors that a program hands from one run to the next.
#pragma once

#include <vector>

#include "acg/base/result.h"
#include "acg/program/program.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler {

/// Checks that the outputs of a run can be inputs of the next one: what a pair names is there, and in no other pair;
/// both have one dtype, shape and quantisation. Errors: GEN0070 (no such output or input), GEN0071 (they differ),
/// GEN0072 (a tensor is in two pairs).
Status check_state(const srdfg::Graph& graph, const std::vector<acg::StateTensor>& state);

}  // namespace covenant::compiler
