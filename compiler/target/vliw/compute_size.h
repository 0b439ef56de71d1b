/// How long the code of computes is, before it is written.
#pragma once

#include "acg/graph/graph.h"
#include "compiler/schedule/problem.h"

namespace covenant::compiler::vliw {

/// Instructions of one compute of a nest, without loads and stores: as many as selection.h writes for it. 1 if it knows
/// none, which lowering says.
size_t instructions_of(const TileProblem& problem, const TileNest& nest, const acg::Machine& machine);

}  // namespace covenant::compiler::vliw
