#include "sim/stream/simd_array/simd_fixed.h"

#include <algorithm>

#include "acg/base/check.h"

namespace covenant::sim {

namespace {

constexpr int kFractionBits = 31;

int32_t clamped(int64_t value, const FixedPoint& point) {
  return static_cast<int32_t>(std::clamp<int64_t>(value, point.lowest, point.highest));
}

/// value / 2^shift, halves away from zero: one more than the floor where the rest is greater than the threshold.
int64_t half_away(int64_t value, int32_t shift) {
  const int64_t mask = (int64_t{1} << shift) - 1;
  const int64_t threshold = (mask >> 1) + (value < 0 ? 1 : 0);
  return (value >> shift) + ((value & mask) > threshold ? 1 : 0);
}

/// value * fraction / 2^31, shifted; the product rounds half up, and so does the shift, or away from zero. Nothing of
/// it leaves 64 bits.
int64_t scaled(int32_t value, int32_t fraction, const FixedPoint& point) {
  const int32_t shift = point.shift;
  const int left = std::max(0, -shift);
  const int64_t most = INT32_MAX >> left;
  const int64_t factor = std::clamp<int64_t>(value, -most - 1, most) * (int64_t{1} << left);
  const int64_t product = (factor * fraction + (int64_t{1} << (kFractionBits - 1))) >> kFractionBits;
  if (shift <= 0) return product;
  return point.half_away ? half_away(product, shift) : (product + (int64_t{1} << (shift - 1))) >> shift;
}

int32_t without_zero_points(int32_t a, int32_t b, const FixedPoint& point) {
  const auto less = [](int32_t x, int32_t y) { return static_cast<uint32_t>(x) - static_cast<uint32_t>(y); };
  return static_cast<int32_t>(less(a, point.zero_a) * less(b, point.zero_b));
}

}  // namespace

void apply_fixed(acg::Operation operation, const int32_t* a, const int32_t* b, int32_t* out, size_t count,
                 const FixedPoint& point) {
  switch (operation) {
    case acg::Operation::kRequantFixed:
      for (size_t k = 0; k < count; ++k) out[k] = clamped(scaled(a[k], b[k], point) + point.zero_point, point);
      return;
    case acg::Operation::kRequantAddFixed:
      for (size_t k = 0; k < count; ++k) {
        const int64_t sum = int64_t{a[k]} * point.scale_a + int64_t{b[k]} * point.scale_b + point.offset;
        out[k] = clamped(point.half_away ? half_away(sum, point.shift) + point.zero_point : sum >> point.shift, point);
      }
      return;
    case acg::Operation::kRequantMulFixed:
      for (size_t k = 0; k < count; ++k) {
        const int32_t product = without_zero_points(a[k], b[k], point);
        out[k] = clamped(scaled(product, point.scale_a, point) + point.zero_point, point);
      }
      return;
    default:
      fail("not an operation in fixed point");
  }
}

}  // namespace covenant::sim
