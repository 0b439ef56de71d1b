#include "compiler/embedding/scalar/range.h"

#include <algorithm>
#include <numeric>

namespace covenant::compiler::embedding::scalar {
namespace {

/// The progression from `first` up to at most `last`, by `stride`; nothing if it is empty.
std::optional<Range> up_to(int64_t first, int64_t last, int64_t stride) {
  if (first > last) return std::nullopt;
  const int64_t count = (last - first) / stride + 1;
  return Range{first, count, count == 1 ? 1 : stride};
}

/// The first integer of `a`, not below `lowest`.
int64_t first_from(const Range& a, int64_t lowest) {
  if (a.first >= lowest) return a.first;
  return a.first + (lowest - a.first + a.stride - 1) / a.stride * a.stride;
}

}  // namespace

std::optional<Range> intersection(const Range& a, const Range& b) {
  const int64_t lowest = std::max(a.first, b.first);
  const int64_t highest = std::min(a.last(), b.last());
  if (lowest > highest) return std::nullopt;
  if (a.stride == 1) return up_to(first_from(b, lowest), highest, b.stride);
  if (b.stride == 1) return up_to(first_from(a, lowest), highest, a.stride);
  // Steps along the longer stride meet the other progression, if at all, within `shorter / divisor` steps.
  const Range& longer = a.stride >= b.stride ? a : b;
  const Range& shorter = a.stride >= b.stride ? b : a;
  const int64_t divisor = std::gcd(a.stride, b.stride);
  int64_t value = first_from(longer, lowest);
  for (int64_t step = 0; step < shorter.stride / divisor && value <= highest; ++step, value += longer.stride) {
    if (!shorter.contains(value)) continue;
    const int64_t factor = shorter.stride / divisor;
    if (longer.stride > (highest - value) / factor) return Range{value, 1, 1};  // there is no next one
    return up_to(value, highest, longer.stride * factor);
  }
  return std::nullopt;
}

std::vector<Range> difference(const Range& from, const Range& removed) {
  std::vector<Range> parts;
  const auto add = [&](int64_t first, int64_t last, int64_t stride) {
    if (const std::optional<Range> part = up_to(first, last, stride)) parts.push_back(*part);
  };
  add(from.first, removed.first - from.stride, from.stride);
  // Integers of `from` between those of `removed`.
  for (int64_t value = removed.first + from.stride; removed.count > 1 && value < removed.first + removed.stride;
       value += from.stride) {
    add(value, removed.last() - 1, removed.stride);
  }
  add(removed.last() + from.stride, from.last(), from.stride);
  return parts;
}

}  // namespace covenant::compiler::embedding::scalar
