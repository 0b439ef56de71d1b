#include "compiler/schedule/contiguous_segments.h"

#include <algorithm>

namespace covenant::compiler {

std::optional<ContiguousSegments> contiguous_segments(const TransferShape& shape, uint64_t element_bytes, uint64_t max_segment_bytes,
                                          size_t max_loops) {
  ContiguousSegments runs{element_bytes, {}};
  // 1. The run takes in dimensions from the inside as long as they follow on without a gap on both sides.
  size_t d = shape.extents.size();
  for (; d-- > 0;) {
    const bool is_last = d + 1 == shape.extents.size();
    const auto run = static_cast<int64_t>(runs.segment_bytes);
    const bool follows = shape.extents[d] == 1 || (shape.offchip[d] == run && shape.onchip[d] == run);
    const uint64_t longer = runs.segment_bytes * static_cast<uint64_t>(shape.extents[d]);
    if (is_last && longer > max_segment_bytes) return std::nullopt;
    if (shape.limited[d] || !follows || longer > max_segment_bytes) break;
    runs.segment_bytes = longer;
  }
  // 2. What is left becomes loops; neighbours join where one's end is the other's next step.
  std::vector<bool> is_limited;
  size_t outermost = 0;  // dimension of the loop that a neighbour may join
  for (++d; d-- > 0;) {
    if (shape.extents[d] == 1 && !shape.limited[d]) continue;
    const bool joins = !runs.loops.empty() && !shape.limited[d] && !is_limited.back() &&
                       shape.offchip[d] == shape.offchip[outermost] * shape.extents[outermost] &&
                       shape.onchip[d] == shape.onchip[outermost] * shape.extents[outermost];
    if (joins) {
      runs.loops.back().trips *= shape.extents[d];
    } else {
      runs.loops.push_back({d, shape.extents[d]});
      is_limited.push_back(shape.limited[d]);
    }
    outermost = d;
  }
  if (runs.loops.size() > max_loops) return std::nullopt;
  if (std::count(is_limited.begin(), is_limited.end(), true) > 2) return std::nullopt;
  std::reverse(runs.loops.begin(), runs.loops.end());
  return runs;
}

}  // namespace covenant::compiler
