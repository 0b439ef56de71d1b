#include "compiler/values/rounding.h"

#include <cmath>

namespace covenant::compiler::values {

int64_t fixed_fraction(float scale, int32_t shift) {
  constexpr double kMost = 2147483647.0;  // 2^31 - 1
  const double units = std::nearbyint(std::ldexp(static_cast<double>(scale), 31 + shift));
  return static_cast<int64_t>(std::clamp(units, -kMost, kMost));
}

void wrap(int32_t* sums, size_t count, uint32_t bits, Simd simd) {
  run_with(simd, [=]() __attribute__((always_inline)) {
    for (size_t i = 0; i < count; ++i) sums[i] = wrapped(static_cast<uint32_t>(sums[i]), bits);
  });
}

Requantizer::Requantizer(const reference::Limits& limits, std::vector<float> scales, Simd simd,
                         uint32_t accumulator_bits)
    : simd_(simd),
      is_fixed_(limits.is_fixed),
      accumulator_bits_(accumulator_bits),
      rounding_(limits),
      fixed_(limits, reference::fixed_shift(scales)),
      scales_(std::move(scales)) {
  if (!is_fixed_) return;
  for (const float scale : scales_) fractions_.push_back(fixed_fraction(scale, fixed_.shift));
}

void Requantizer::finish(int32_t* sums, size_t first, size_t count, uint8_t* y) const {
  if (accumulator_bits_ != kWordBits) wrap(sums, count, accumulator_bits_, simd_);
  if (is_fixed_) {
    const int64_t* fractions = fractions_.data() + first;
    for (size_t i = 0; i < count; ++i) y[i] = fixed_(sums[i], fractions[i]);
    return;
  }
  const float* scales = scales_.data() + first;
  const Rounding round = rounding_;
  run_with(simd_, [=]() __attribute__((always_inline)) {
    for (size_t i = 0; i < count; ++i) y[i] = round(static_cast<float>(sums[i]) * scales[i]);
  });
}

void Requantizer::finish_alike(const int32_t* sums, size_t count, uint8_t* y) const {
  if (is_fixed_) {
    for (size_t i = 0; i < count; ++i) y[i] = fixed_(sums[i], fractions_[0]);
    return;
  }
  const float scale = scales_[0];
  const Rounding round = rounding_;
  run_with(simd_, [=]() __attribute__((always_inline)) {
    for (size_t i = 0; i < count; ++i) y[i] = round(static_cast<float>(sums[i]) * scale);
  });
}

}  // namespace covenant::compiler::values
