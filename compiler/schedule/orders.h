/// Generates those orders of the shared loops that differ in how they hoist transfers.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "compiler/schedule/cost_model.h"

namespace covenant::compiler {

/// A transfer is inside of the last loop that moves its operand, and is executed as often as the loops up to there.
/// Exchanging two adjacent loops leaves all such counts unchanged if each transfer is moved by both or neither of them,
/// or by a loop inside of both. Among orders that follow from one another in this way, only the first in lexicographic
/// order is generated.
class LoopOrders {
 public:
  explicit LoopOrders(const TileProblem& problem) : problem_(problem) {}

  /// Orders of the shared loops, in lexicographic order; loops of one tile keep their places.
  const std::vector<std::vector<size_t>>& of(const Tiling& tiling);

 private:
  const TileProblem& problem_;
  std::map<std::vector<size_t>, std::vector<std::vector<size_t>>> known_;  ///< orders by loops of several tiles
  std::vector<size_t> split_;                                              ///< loops of several tiles in the current
                                                                           ///< tiling
};

}  // namespace covenant::compiler
