/// The arithmetic between accumulators and stored values (docs/reference/numerics.md).
#pragma once

#include <cstdint>
#include <span>

#include "acg/base/requantization.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler::reference {

using covenant::Requantization;

/// Attribute of nodes that are evaluated in fixed point: which of its kinds, as a number.
inline constexpr const char* kFixedPoint = "fixed_point";

/// The node, evaluated so.
srdfg::Node in_fixed_point(srdfg::Node node, Requantization how);

/// What a stored output is clamped to, and its zero point.
struct Limits {
  int32_t zero_point = 0;
  int32_t lowest = 0;
  int32_t highest = 0;
  bool is_fixed = false;
  bool rounds_half_away = false;  ///< where a product in fixed point, or a sum of two, is shifted to the right
  int32_t shift = 0;              ///< in fixed point, of all scales of the node
};

/// Limits of a node with lowest and highest, for its output `y`.
Limits limits_of(const srdfg::Node& node, const srdfg::Value& y);

/// clamp(rint(value) + zero_point): half to even; clamped before the conversion to integer; NaN gives lowest.
int32_t store(float value, const Limits& limits);

/// store(f32(accumulator) * scale), the product rounded to f32. In fixed point `fixed_product` instead.
int32_t requantize(int32_t accumulator, float scale, const Limits& limits);

/// The shift for a node with these scales: that of `fixed_product`.
int32_t fixed_shift(std::span<const float> scales);

/// How often the sums of means are doubled, of which each has `count` elements at most: three times at most, until the
/// shift is 7, as far as 32 bits hold them of 16-bit elements. 0 where the shift is not greater than 0.
int32_t fixed_doublings(std::span<const float> scales, int64_t count);

/// accumulator * scale in units of 2^-31 and 2^-shift: the product rounds half up to an integer, and that once more
/// where it is shifted to the right, or half away from zero. With a shift of less than 0 the accumulator is shifted to
/// the left, as far as it has room, before that.
int32_t fixed_product(int32_t accumulator, float scale, int32_t shift, bool rounds_half_away = false);

/// a * scale_a + b * scale_b + offset with scales of 16 bits and an offset of 31, as many of them behind the point as
/// there is room for, at most 15; rounds half up, or half away from zero.
int32_t fixed_sum(int32_t a, int32_t b, float scale_a, float scale_b, float offset, bool rounds_half_away = false);

/// clamp(rint(fma(f32(b), scale_b, fma(f32(a), scale_a, offset)))); the zero point is in the offset. In fixed point
/// `fixed_sum` instead; where that rounds by the sign, the zero point is taken out of the offset and added to it.
int32_t requantize_add(int32_t a, int32_t b, float scale_a, float scale_b, float offset, const Limits& limits);

/// The offset of requantize_add: f32(y_zp) - fma(scale_b, f32(b_zp), f32(scale_a * f32(a_zp))).
float add_offset(float scale_a, int32_t a_zero_point, float scale_b, int32_t b_zero_point, int32_t y_zero_point);

/// clamp(rint(f32(f32(product) * scale) + f32(zero_point))): the zero point goes in before rounding. In
/// fixed point `fixed_product`, and the zero point after it.
int32_t requantize_product(int32_t product, float scale, const Limits& limits);

/// f32(f32(x_scale * w_scale) / y_scale)
float product_scale(float x_scale, float w_scale, float y_scale);

}  // namespace covenant::compiler::reference
