#include "compiler/embedding/scalar/box.h"

#include <limits>

#include "acg/base/check.h"

namespace covenant::compiler::embedding::scalar {

Box box_of(const std::vector<int64_t>& extents) {
  Box box;
  for (const int64_t extent : extents) {
    check(extent > 0, "an extent is not positive");
    box.ranges.push_back({0, extent, 1});
  }
  return box;
}

Box point(const Tuple& tuple) {
  Box box;
  box.ranges.reserve(tuple.size());
  for (const int64_t value : tuple) box.ranges.push_back({value, 1, 1});
  return box;
}

uint64_t size(const Box& box) {
  uint64_t product = 1;
  for (const Range& range : box.ranges) {
    const uint64_t count = static_cast<uint64_t>(range.count);
    if (product > std::numeric_limits<uint64_t>::max() / count) return std::numeric_limits<uint64_t>::max();
    product *= count;
  }
  return product;
}

bool contains(const Box& box, const Tuple& tuple) {
  for (size_t i = 0; i < box.ranges.size(); ++i) {
    if (!box.ranges[i].contains(tuple[i])) return false;
  }
  return true;
}

bool overlap(const Box& a, const Box& b) {
  for (size_t i = 0; i < a.ranges.size(); ++i) {
    if (!intersection(a.ranges[i], b.ranges[i])) return false;
  }
  return true;
}

std::optional<Box> intersection(const Box& a, const Box& b) {
  Box both;
  both.ranges.reserve(a.ranges.size());
  for (size_t i = 0; i < a.ranges.size(); ++i) {
    const std::optional<Range> range = intersection(a.ranges[i], b.ranges[i]);
    if (!range) return std::nullopt;
    both.ranges.push_back(*range);
  }
  return both;
}

void append_difference(const Box& from, const Box& removed, std::vector<Box>& parts) {
  std::optional<Box> common = intersection(from, removed);
  if (!common) {
    parts.push_back(from);
    return;
  }
  // Dimension by dimension: what differs in it, is common in those before, and anything in those after.
  Box part = from;
  for (size_t i = 0; i < from.ranges.size(); ++i) {
    for (const Range& range : difference(from.ranges[i], common->ranges[i])) {
      part.ranges[i] = range;
      parts.push_back(part);
    }
    part.ranges[i] = common->ranges[i];
  }
}

}  // namespace covenant::compiler::embedding::scalar
