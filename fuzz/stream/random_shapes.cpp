#include "fuzz/stream/random_shapes.h"

namespace covenant::runtime {
namespace {

std::vector<int64_t> divisors(int64_t value) {
  std::vector<int64_t> result;
  for (int64_t i = 1; i <= value; ++i) {
    if (value % i == 0) result.push_back(i);
  }
  return result;
}

/// All of which an address selects whole elements.
std::vector<Shape> whole_shapes(int64_t bytes) {
  std::vector<Shape> all;
  for (const int64_t width : {8, 16, 32}) {
    if (bytes % (width / 8) != 0) continue;
    for (const int64_t banks : divisors(bytes * 8 / width)) all.push_back({width, width, banks});
  }
  return all;
}

}  // namespace

Shape random_shape(Draw& draw, int64_t bytes, const std::vector<int64_t>& widths) {
  const int64_t width = draw.of(widths);
  std::vector<Shape> all;
  for (const int64_t grain : {8, 16, 32}) {
    if (grain > width || bytes % (grain / 8) != 0) continue;
    for (const int64_t banks : divisors(bytes * 8 / grain)) all.push_back({width, grain, banks});
  }
  // The width of the vector, or any divisor of it.
  return draw.once_in(2) ? all[all.size() - 1] : draw.of(all);
}

Shape whole_shape(Draw& draw, int64_t bytes) {
  const std::vector<Shape> all = whole_shapes(bytes);
  return draw.once_in(2) ? Shape{8, 8, bytes} : draw.of(all);
}

Shape sums_shape(Draw& draw, int64_t bytes) {
  if (!draw.once_in(2)) return draw.of(whole_shapes(bytes));
  const int64_t width = draw.of(std::vector<int64_t>{8, 16, 32});
  return {width, width, bytes * 8 / width};
}

int64_t whole_depth(int64_t depth, int64_t row_bits, int64_t element_bits) {
  return depth * row_bits % element_bits == 0 ? depth : depth + 1;
}

}  // namespace covenant::runtime
