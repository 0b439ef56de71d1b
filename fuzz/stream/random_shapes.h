/// Shapes of scratchpads of random machines: element width, number of banks, and bytes per address.
#pragma once

#include <cstdint>
#include <vector>

#include "fuzz/draw.h"

namespace covenant::runtime {

struct Shape {
  int64_t data_width, granularity, banks;
};

/// Elements of `widths` bits; an address selects a divisor of `bytes`.
Shape random_shape(Draw& draw, int64_t bytes, const std::vector<int64_t>& widths);

/// Addresses of whole elements, a divisor of `bytes`; every other time of all of them, as bytes.
Shape whole_shape(Draw& draw, int64_t bytes);

/// Whole elements of any width, every other time as few addresses as can be.
Shape sums_shape(Draw& draw, int64_t bytes);

/// The depth, or one more where a buffer would end within an element.
int64_t whole_depth(int64_t depth, int64_t row_bits, int64_t element_bits);

}  // namespace covenant::runtime
