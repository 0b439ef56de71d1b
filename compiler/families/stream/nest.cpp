#include "compiler/families/stream/nest.h"

namespace covenant::compiler::stream {
namespace {

bool continues(const NestLoop& outer, const NestLoop& inner, int64_t most_trips) {
  const bool is_too_long = outer.trips * inner.trips > static_cast<uint64_t>(most_trips);
  if (outer.is_reduction != inner.is_reduction || is_too_long) return false;
  for (size_t i = 0; i < outer.strides.size(); ++i) {
    if (outer.strides[i] != inner.strides[i] * static_cast<int64_t>(inner.trips)) return false;
  }
  return true;
}

}  // namespace

std::vector<NestLoop> collapse(const std::vector<NestLoop>& nest, int64_t most_trips) {
  std::vector<NestLoop> result;
  for (const NestLoop& loop : nest) {
    if (loop.trips == 1) continue;
    if (!result.empty() && continues(result.back(), loop, most_trips)) {
      result.back().trips *= loop.trips;
      result.back().strides = loop.strides;
    } else {
      result.push_back(loop);
    }
  }
  return result;
}

std::vector<LoopRange> ranges(const std::vector<OpenLoop>& open) {
  std::vector<LoopRange> result;
  for (const OpenLoop& loop : open) result.push_back(loop.range);
  return result;
}

uint32_t next_level(const std::vector<OpenLoop>& open) {
  uint32_t level = 0;
  for (const OpenLoop& loop : open) level += loop.range.trips > 1 ? 1 : 0;
  return level;
}

std::set<uint32_t> resumed_over(const std::vector<OpenLoop>& open, size_t depth,
                                const codelet::Reference& destination) {
  std::set<uint32_t> levels;
  for (size_t i = depth; i < open.size(); ++i) {
    const bool runs = open[i].range.trips > 1;
    if (runs && !destination.mentions(open[i].range.variable)) levels.insert(open[i].level);
  }
  return levels;
}

}  // namespace covenant::compiler::stream
