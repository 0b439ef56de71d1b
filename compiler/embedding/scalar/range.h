/// Arithmetic progressions of 64-bit integers: one dimension of a box (box.h).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace covenant::compiler::embedding::scalar {

/// first, first + stride, ...: `count` integers. Invariants: count >= 1, stride >= 1, stride == 1 if count == 1; first
/// and last lie within +-2^62, so that distances fit into 64 bits.
struct Range {
  int64_t first = 0;
  int64_t count = 1;
  int64_t stride = 1;

  int64_t last() const { return first + (count - 1) * stride; }
  bool contains(int64_t value) const {
    return value >= first && value <= last() && (stride == 1 || (value - first) % stride == 0);
  }
  bool operator==(const Range&) const = default;
};

/// The integers of the progression that lie in both; nothing if there are none.
std::optional<Range> intersection(const Range& a, const Range& b);

/// The integers of `from` that are not in `removed`, as disjoint progressions, the lowest first integer first.
/// Precondition: `removed` is part of `from`.
std::vector<Range> difference(const Range& from, const Range& removed);

}  // namespace covenant::compiler::embedding::scalar
