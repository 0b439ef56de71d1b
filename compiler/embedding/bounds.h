/// Bounds for the axis solver: what a target makes of embeddings before they are whole.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "compiler/embedding/embedding.h"

namespace covenant::compiler::embedding {

/// At most the cost of every embedding that agrees with this one in the axes of the instruction that are decided; exact
/// when all are. Axes with one place are decided from the start.
using LowerBound = std::function<int64_t(const Embedding& partial, const std::vector<bool>& decided)>;

/// Partial embeddings whose bound is above `most` are left out. If `tightens`, `most` falls to the least cost that was
/// found, and only embeddings of that cost are given.
struct Bounds {
  LowerBound lower{};  ///< none: nothing is left out
  int64_t most = std::numeric_limits<int64_t>::max();
  bool tightens = false;
};

/// A lower bound of the steps: trips of what is decided, and of the rest as many as the instances that are left need if
/// every place is used.
LowerBound step_bound(const Workload& workload, const Instruction& instruction);

/// Only the embeddings of fewest steps.
Bounds fewest_steps(const Workload& workload, const Instruction& instruction);

}  // namespace covenant::compiler::embedding
