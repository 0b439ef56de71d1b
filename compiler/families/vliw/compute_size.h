/// Estimates the code size of computes before the code is generated.
#pragma once

#include "acg/graph/graph.h"
#include "compiler/schedule/problem.h"

namespace covenant::compiler::vliw {

/// Instructions for one compute of a nest, without loads and stores: as many as selection.h emits. 1 if there are none
/// for it, which lowering will report.
size_t instructions_of(const TileProblem& problem, const TileNest& nest, const acg::Machine& machine);

}  // namespace covenant::compiler::vliw
