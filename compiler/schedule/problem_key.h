/// Keys that are equal for equal tiling problems.
#pragma once

#include <string>
#include <vector>

#include "compiler/schedule/problem.h"
#include "compiler/schedule/tilings.h"

namespace covenant::compiler {

/// Problems with equal keys have equal schedules. A key covers all of a problem except its name, the constants of its
/// computes and their locations in files, and the names of loops and tensors, of which it covers the order; the same of
/// `others`, the problems on other nodes; and what is pinned.
std::string problem_key(const TileProblem& problem, const std::vector<TileProblem>& others, const Pinned& pinned);

/// The names of its loops and tensors.
std::string names_in(const TileProblem& problem);

}  // namespace covenant::compiler
