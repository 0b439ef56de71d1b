/// Requantisation: the arithmetic from accumulators to stored values (docs/reference/numerics.md).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "acg/base/requantization.h"
#include "compiler/reference/tensor.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler::reference {

using covenant::Requantization;

/// Attribute of nodes that are evaluated in fixed point: the kind of fixed point, as a number.
inline constexpr const char* kFixedPoint = "fixed_point";

/// `node` with this attribute set to `how`.
srdfg::Node in_fixed_point(srdfg::Node node, Requantization how);

/// Stored elements of a value as real numbers: f32(f32(element - zero point) * scale).
std::vector<float> dequantized(const srdfg::Value& value, const Tensor& stored);

/// The range to which a stored output is clamped, and its zero point.
struct Limits {
  int32_t zero_point = 0;
  int32_t lowest = 0;
  int32_t highest = 0;
  bool is_fixed = false;
  bool rounds_half_away = false;  ///< in fixed point: shifts to the right round halves away from zero
  int32_t shift = 0;              ///< in fixed point: common shift of all scales of the node
};

/// Limits of a node with the attributes lowest and highest, for its output `y`.
Limits limits_of(const srdfg::Node& node, const srdfg::Value& y);

/// clamp(rint(value) + zero_point): half to even; clamped before the conversion to integer; NaN gives lowest.
int32_t store(float value, const Limits& limits);

/// store(f32(accumulator) * scale), the product rounded to f32. In fixed point it uses `fixed_product`.
int32_t requantize(int32_t accumulator, float scale, const Limits& limits);

/// The shift of `fixed_product` for a node with these scales.
int32_t fixed_shift(std::span<const float> scales);

/// How often the sums of means, of at most `count` elements each, are doubled: at most three times, until the shift is
/// 7, and as far as sums of 16-bit elements fit 32 bits. 0 if the shift is not positive.
int32_t fixed_doublings(std::span<const float> scales, int64_t count);

/// accumulator * scale in units of 2^-31 and 2^-shift. The product is rounded half up to an integer; if it is shifted
/// to the right, it is rounded again, half up or half away from zero. With a negative shift the accumulator is first
/// shifted to the left, clamped to what fits.
int32_t fixed_product(int32_t accumulator, float scale, int32_t shift, bool rounds_half_away = false);

/// a * scale_a + b * scale_b + offset, with 16-bit scales and a 31-bit offset that have as many fraction bits as there
/// is room for, at most 15. Rounds half up, or half away from zero.
int32_t fixed_sum(int32_t a, int32_t b, float scale_a, float scale_b, float offset, bool rounds_half_away = false);

/// clamp(rint(fma(f32(b), scale_b, fma(f32(a), scale_a, offset)))); the offset contains the zero point. In fixed point
/// it uses `fixed_sum`; if that rounds by the sign, the zero point is taken out of the offset and added afterwards.
int32_t requantize_add(int32_t a, int32_t b, float scale_a, float scale_b, float offset, const Limits& limits);

/// The offset of requantize_add: f32(y_zp) - fma(scale_b, f32(b_zp), f32(scale_a * f32(a_zp))).
float add_offset(float scale_a, int32_t a_zero_point, float scale_b, int32_t b_zero_point, int32_t y_zero_point);

/// clamp(rint(f32(f32(product) * scale) + f32(zero_point))): the zero point is added before rounding. In fixed point it
/// uses `fixed_product` and adds the zero point afterwards.
int32_t requantize_product(int32_t product, float scale, const Limits& limits);

/// f32(f32(x_scale * w_scale) / y_scale)
float product_scale(float x_scale, float w_scale, float y_scale);

}  // namespace covenant::compiler::reference
