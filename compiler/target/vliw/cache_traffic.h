/// How much a tiled layer moves into caches.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "acg/graph/graph.h"
#include "compiler/schedule/cost_model.h"

namespace covenant::compiler::vliw {

/// What one cache fetches for the tensors of a problem.
class CacheTraffic {
 public:
  /// `bytes`: of the cache.
  explicit CacheTraffic(uint64_t bytes) : capacity_(bytes / kCountedOn) {}

  /// Bytes fetched for all tensors of the problem that are worked on in `memory` (in any, if it is nothing), with the
  /// shared loops in `order`, those of the nests within them. What the loops from some depth on touch fits the cache
  /// together, and is fetched once for each turn of the loops around; but for the innermost of those, which leaves
  /// alone what it does not move.
  uint64_t bytes(const TileProblem& problem, const Tiling& tiling, const std::vector<size_t>& order,
                 std::optional<acg::MemoryId> memory) const;

 private:
  /// Of a cache that keeps what was used last: the rest is what passes through it, and sets that are full before
  /// others.
  static constexpr uint64_t kCountedOn = 2;

  uint64_t capacity_;
};

}  // namespace covenant::compiler::vliw
