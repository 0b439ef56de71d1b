#include "compiler/families/vliw/cache_traffic.h"

#include <algorithm>

#include "acg/base/dtype.h"

namespace covenant::compiler::vliw {
namespace {

/// Bytes of a tensor that the inner loops touch in one iteration of the loops before `inner`.
uint64_t touched(const TileBuffer& buffer, const Tiling& within) {
  uint64_t elements = 1;
  for (size_t d = 0; d < buffer.extents.size(); ++d) {
    elements *= static_cast<uint64_t>(
        std::min(buffer.extents[d].evaluate(within), std::max<int64_t>(1, buffer.tensor_shape[d])));
  }
  return elements * bytes(buffer.dtype);
}

}  // namespace

uint64_t CacheTraffic::bytes(const TileProblem& problem, const Tiling& tiling, const std::vector<size_t>& order,
                             std::optional<acg::MemoryId> memory) const {
  const auto counts = [&](const TileBuffer& buffer) {
    return buffer.role != TileRole::kIntermediate && (!memory || buffer.memories.front() == *memory);
  };
  Tiling within = tiling;
  for (size_t loop = problem.shared; loop < problem.loops.size(); ++loop) within[loop] = problem.loops[loop].trips;
  const auto fits = [&](const Tiling& tiles) {
    uint64_t sum = 0;
    for (const TileBuffer& buffer : problem.buffers) sum += counts(buffer) ? touched(buffer, tiles) : 0;
    return sum <= capacity_;
  };
  // From the inside out: another loop runs within the cache as long as everything that it touches fits.
  size_t depth = order.size();
  for (; depth > 0; --depth) {
    Tiling wider = within;
    wider[order[depth - 1]] = problem.loops[order[depth - 1]].trips;
    if (!fits(wider)) break;
    within = std::move(wider);
  }
  uint64_t sum = 0;
  for (const TileBuffer& buffer : problem.buffers) {
    if (!counts(buffer)) continue;
    uint64_t times = 1;
    for (size_t i = 0; i < depth; ++i) {
      const bool stays = i + 1 == depth && !buffer.depends_on(order[i]);
      if (!stays) times *= static_cast<uint64_t>(problem.loops[order[i]].tiles(tiling[order[i]]));
    }
    sum += times * touched(buffer, within);
  }
  return sum;
}

}  // namespace covenant::compiler::vliw
