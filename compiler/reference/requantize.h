/// The arithmetic between accumulators and stored values (docs/reference/numerics.md).
#pragma once

#include <cstdint>

#include "compiler/srdfg/graph.h"

namespace covenant::compiler::reference {

/// How a machine scales accumulators: in single precision, or in fixed point (capability REQUANT_FIXED).
enum class Requantization : uint8_t { kFloat, kFixed };

/// Attribute of nodes that are evaluated in fixed point.
inline constexpr const char* kFixedPoint = "fixed_point";

/// What a stored output is clamped to, and its zero point.
struct Limits {
  int32_t zero_point = 0;
  int32_t lowest = 0;
  int32_t highest = 0;
  bool is_fixed = false;
};

/// Limits of a node with lowest and highest, for its output `y`.
Limits limits_of(const srdfg::Node& node, const srdfg::Value& y);

/// clamp(rint(value) + zero_point): half to even; clamped before the conversion to integer; NaN gives lowest.
int32_t store(float value, const Limits& limits);

/// store(f32(accumulator) * scale), the product rounded to f32. In fixed point `fixed_product` instead.
int32_t requantize(int32_t accumulator, float scale, const Limits& limits);

/// accumulator * scale where the scale is fraction * 2^-31 * 2^-shift, the fraction in [2^30, 2^31): the product with
/// the fraction rounds half up to an integer, and that once more where it is shifted to the right. To the left it wraps
/// at 31 bits. Beyond 16 bits it stays at the nearest one that there is.
int32_t fixed_product(int32_t accumulator, float scale);

/// clamp(rint(fma(f32(b), scale_b, fma(f32(a), scale_a, offset)))); the zero point is in the offset.
int32_t requantize_add(int32_t a, int32_t b, float scale_a, float scale_b, float offset, const Limits& limits);

/// The offset of requantize_add: f32(y_zp) - fma(scale_b, f32(b_zp), f32(scale_a * f32(a_zp))).
float add_offset(float scale_a, int32_t a_zero_point, float scale_b, int32_t b_zero_point, int32_t y_zero_point);

/// clamp(rint(f32(f32(product) * scale) + f32(zero_point))): the zero point goes in before rounding.
int32_t requantize_product(int32_t product, float scale, const Limits& limits);

/// f32(f32(x_scale * w_scale) / y_scale)
float product_scale(float x_scale, float w_scale, float y_scale);

}  // namespace covenant::compiler::reference
