/// Orders of the loops that all nests share: those that hoist transfers differently.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "compiler/schedule/cost_model.h"

namespace covenant::compiler {

/// A transfer stands inside of the last loop that moves its operand, and turns as often as the loops up to there. Two
/// neighbouring loops may change places without a change to any such count if each transfer is moved by both or by
/// neither of them, or by a loop inside of both. Of orders that follow from one another in this way, the first in
/// lexicographic order stands for all.
class LoopOrders {
 public:
  explicit LoopOrders(const TileProblem& problem) : problem_(problem) {}

  /// Orders of the shared loops, in lexicographic order; loops of one tile keep their places.
  const std::vector<std::vector<size_t>>& of(const Tiling& tiling);

 private:
  const TileProblem& problem_;
  std::map<std::vector<size_t>, std::vector<std::vector<size_t>>> known_;  ///< by loops of several tiles
  std::vector<size_t> split_;                                              ///< of the tiling that is asked for
};

}  // namespace covenant::compiler
