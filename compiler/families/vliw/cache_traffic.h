/// Estimates how much data a tiled layer moves into caches.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "acg/graph/graph.h"
#include "compiler/schedule/cost_model.h"

namespace covenant::compiler::vliw {

/// The data that one cache fetches for the tensors of a problem.
class CacheTraffic {
 public:
  /// `bytes`: size of the cache.
  explicit CacheTraffic(uint64_t bytes) : capacity_(bytes / kCountedOn) {}

  /// Bytes fetched for all tensors of the problem that are used in `memory` (in any, if it is nothing), with the shared
  /// loops in `order` and those of the nests within them. Data that the loops from some depth on touch fits the cache
  /// together, and is fetched once per iteration of the enclosing loops, except the innermost of those for tensors that
  /// it does not move.
  uint64_t bytes(const TileProblem& problem, const Tiling& tiling, const std::vector<size_t>& order,
                 std::optional<acg::MemoryId> memory) const;

 private:
  /// Share of an LRU cache that is counted on: the rest holds data that passes through, or is lost where sets fill up
  /// unevenly.
  static constexpr uint64_t kCountedOn = 2;

  uint64_t capacity_;
};

}  // namespace covenant::compiler::vliw
