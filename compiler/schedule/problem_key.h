/// What makes two tiling problems equal.
#pragma once

#include <string>
#include <vector>

#include "compiler/schedule/problem.h"
#include "compiler/schedule/tilings.h"

namespace covenant::compiler {

/// Equal keys have problems with equal schedules: all of a problem but its name, the constants of its computes and
/// their places in files, and of the names of loops and tensors their order alone; the same of `others`, the problem on
/// other nodes; and what is pinned.
std::string problem_key(const TileProblem& problem, const std::vector<TileProblem>& others, const Pinned& pinned);

/// The names of its loops and tensors.
std::string names_in(const TileProblem& problem);

}  // namespace covenant::compiler
