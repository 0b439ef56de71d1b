#include "compiler/reference/requantize.h"

#include <algorithm>
#include <cmath>

#include "compiler/srdfg/queries.h"

namespace covenant::compiler::reference {

namespace {

/// value / 2^shift, rounded. Half up: floor after adding a half. Half away from zero: the same on magnitudes.
int64_t shifted_right(int64_t value, int32_t shift, bool rounds_half_away) {
  if (shift <= 0) return value;
  const auto half_up = [&](int64_t one) { return ((one >> (shift - 1)) + 1) >> 1; };
  return rounds_half_away && value < 0 ? -half_up(-value) : half_up(value);
}

}  // namespace

srdfg::Node in_fixed_point(srdfg::Node node, Requantization how) {
  node.attributes[kFixedPoint] = static_cast<int64_t>(how);
  return node;
}

std::vector<float> dequantized(const srdfg::Value& value, const Tensor& stored) {
  const srdfg::Quantization& quantization = value.quantization.value();
  std::vector<float> result;
  for (const int32_t element : integers(stored)) {
    result.push_back(static_cast<float>(element - quantization.zero_points[0]) * quantization.scales[0]);
  }
  return result;
}

Limits limits_of(const srdfg::Node& node, const srdfg::Value& y) {
  const auto fixed = node.attributes.find(kFixedPoint);
  const bool is_fixed = fixed != node.attributes.end();
  return {y.quantization.value().zero_points.at(0), static_cast<int32_t>(srdfg::integer_attribute(node, "lowest")),
          static_cast<int32_t>(srdfg::integer_attribute(node, "highest")), is_fixed,
          is_fixed && std::get<int64_t>(fixed->second) == static_cast<int64_t>(Requantization::kFixedTflite)};
}

int32_t store(float value, const Limits& limits) {
  // Limits less the zero point are small integers, exact in f32; within them rint(value) is exact, too.
  const auto least = static_cast<float>(limits.lowest - limits.zero_point);
  const auto most = static_cast<float>(limits.highest - limits.zero_point);
  if (!(value >= least)) return limits.lowest;
  return static_cast<int32_t>(std::nearbyint(std::min(value, most))) + limits.zero_point;
}

int32_t requantize(int32_t accumulator, float scale, const Limits& limits) {
  if (limits.is_fixed) {
    const int64_t product = fixed_product(accumulator, scale, limits.shift, limits.rounds_half_away);
    return static_cast<int32_t>(std::clamp<int64_t>(product + limits.zero_point, limits.lowest, limits.highest));
  }
  return store(static_cast<float>(accumulator) * scale, limits);
}

int32_t fixed_shift(std::span<const float> scales) {
  float greatest = 0;
  for (const float scale : scales) greatest = std::max(greatest, std::fabs(scale));
  return greatest == 0 ? 0 : std::clamp(-1 - std::ilogb(greatest), -16, 15);
}

int32_t fixed_doublings(std::span<const float> scales, int64_t count) {
  const int32_t shift = fixed_shift(scales);
  if (shift <= 0) return 0;
  int32_t times = 0;
  int64_t most = count << 17;  // bound on a sum of `count` differences
  for (; times < 3 && shift + times < 7 && 2 * most <= int64_t{1} << 31; most *= 2) ++times;
  return times;
}

int32_t fixed_product(int32_t accumulator, float scale, int32_t shift, bool rounds_half_away) {
  constexpr double kOne = 2147483648.0;  // 2^31
  const double units = std::rint(std::scalbn(static_cast<double>(scale) * kOne, shift));
  const auto fraction = static_cast<int64_t>(std::min(std::max(units, 1 - kOne), kOne - 1));
  // A shift to the left, clamped to what fits 32 bits.
  const int64_t times = int64_t{1} << std::max(0, -shift);
  const int64_t factor = std::clamp<int64_t>(accumulator, INT32_MIN / times, INT32_MAX / times) * times;
  // Half up: floor after adding a half; everything is exact in 64 bits.
  const int64_t product = (2 * factor * fraction + (int64_t{1} << 31)) >> 32;
  return static_cast<int32_t>(shifted_right(product, shift, rounds_half_away));
}

int32_t fixed_sum(int32_t a, int32_t b, float scale_a, float scale_b, float offset, bool rounds_half_away) {
  constexpr int64_t kRoom = 1 << 15, kOffsetRoom = 1 << 30;
  const double greatest = std::max(std::fabs(scale_a), std::fabs(scale_b));
  int shift = greatest == 0 ? 15 : std::clamp(14 - std::ilogb(greatest), 0, 15);
  if (std::rint(std::scalbn(greatest, shift)) >= kRoom && shift > 0) --shift;  // rounding may add a bit
  const auto units = [&](float real) { return std::rint(std::scalbn(static_cast<double>(real), shift)); };
  while (shift > 0 && std::fabs(units(offset)) > kOffsetRoom) --shift;
  const auto fixed = [&](float real, int64_t most) {
    return std::clamp<int64_t>(std::llrint(std::scalbn(static_cast<double>(real), shift)), -most, most);
  };
  const int64_t sum = a * fixed(scale_a, kRoom - 1) + b * fixed(scale_b, kRoom - 1) + fixed(offset, kOffsetRoom);
  const int64_t rounded = shifted_right(sum, shift, rounds_half_away);
  return static_cast<int32_t>(std::clamp<int64_t>(rounded, INT32_MIN, INT32_MAX));
}

int32_t requantize_add(int32_t a, int32_t b, float scale_a, float scale_b, float offset, const Limits& limits) {
  if (limits.is_fixed) {
    const int32_t apart = limits.rounds_half_away ? limits.zero_point : 0;
    const int64_t sum = fixed_sum(a, b, scale_a, scale_b, offset - static_cast<float>(apart), limits.rounds_half_away);
    return static_cast<int32_t>(std::clamp<int64_t>(sum + apart, limits.lowest, limits.highest));
  }
  const float inner = std::fma(static_cast<float>(a), scale_a, offset);
  const float sum = std::fma(static_cast<float>(b), scale_b, inner);
  return store(sum, {0, limits.lowest, limits.highest});
}

int32_t requantize_product(int32_t product, float scale, const Limits& limits) {
  if (limits.is_fixed) return requantize(product, scale, limits);
  const float scaled = static_cast<float>(product) * scale;
  return store(scaled + static_cast<float>(limits.zero_point), {0, limits.lowest, limits.highest});
}

float add_offset(float scale_a, int32_t a_zero_point, float scale_b, int32_t b_zero_point, int32_t y_zero_point) {
  const float part = scale_a * static_cast<float>(a_zero_point);
  return static_cast<float>(y_zero_point) - std::fma(scale_b, static_cast<float>(b_zero_point), part);
}

float product_scale(float x_scale, float w_scale, float y_scale) {
  const float product = x_scale * w_scale;
  return product / y_scale;
}

}  // namespace covenant::compiler::reference
