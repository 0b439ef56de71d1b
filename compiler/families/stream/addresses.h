/// Bit addresses of the elements of a surrogate in its memory, as functions of loop iterations.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/codelet/expression.h"

namespace covenant::compiler::stream {

/// Element (i0, i1, ...) begins sum of i * strides[..] bits after the surrogate's first bit.
struct Layout {
  std::vector<int64_t> shape;    ///< elements per dimension, outermost first
  std::vector<int64_t> strides;  ///< distance in bits between adjacent indices
  int64_t element_bits = 8;
};

/// Dense, the last dimension fastest: surrogates in off-chip memory. For locals see compiler/codelet/local_layout.h.
Layout row_major(const std::vector<int64_t>& shape, int64_t element_bits);

/// A loop around an operation in numbers: the variable is lower, lower + step, ... for `trips` values.
struct LoopRange {
  std::string variable;
  int64_t lower = 0;
  int64_t step = 1;
  uint64_t trips = 1;
};

/// An index or an address as a function of the iterations of the enclosing loops: base + sum iteration * strides[loop].
struct Affine {
  int64_t base = 0;
  std::vector<int64_t> strides;
  bool operator==(const Affine&) const = default;
};

/// `index` over `loops`. Precondition: it is affine and mentions no other names.
Affine affine(const codelet::Expression& index, const std::vector<LoopRange>& loops);
/// Smallest and largest value of `value` over all iterations.
struct Bounds {
  int64_t lowest = 0;
  int64_t highest = 0;
};
Bounds bounds(const Affine& value, const std::vector<LoopRange>& loops);
/// Address of the first bit of the element at `indices` (empty: the origin).
Affine address(const Layout& layout, const std::vector<codelet::Expression>& indices,
               const std::vector<LoopRange>& loops);

}  // namespace covenant::compiler::stream
