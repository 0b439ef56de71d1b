/// The arithmetic of a SIMD array in fixed point (docs/reference/units/simd_array.md).
#pragma once

#include <cstddef>
#include <cstdint>

#include "acg/operations/operation.h"

namespace covenant::sim {

/// Parameters of a fixed-point operation besides its sources.
struct FixedPoint {
  int32_t shift = 0;    ///< right shift, -16..15; for requant_add_fixed 0..15
  int32_t scale_a = 0;  ///< for requant_add_fixed 16 bits; for requant_mul_fixed a fraction
  int32_t scale_b = 0;  ///< for requant_add_fixed, 16 bits
  int32_t offset = 0;   ///< for requant_add_fixed
  int32_t zero_a = 0;   ///< for requant_mul_fixed
  int32_t zero_b = 0;
  int32_t zero_point = 0;  ///< for requant_fixed and requant_mul_fixed; with half_away for requant_add_fixed, too
  int32_t lowest = 0;
  int32_t highest = 0;
  bool half_away =
      false;  ///< right shifts round halves away from zero; in requant_add_fixed before the zero point is added
};

/// The parameters that the immediates give. `immediate(slot)`: the 32 bits of one.
template <typename Immediate>
FixedPoint fixed_point(acg::Operation operation, const Immediate& immediate) {
  const auto number = [&](uint32_t slot) { return static_cast<int32_t>(immediate(slot)); };
  const auto low = [&](uint32_t slot, int bits) {
    return static_cast<int32_t>(immediate(slot) << (32 - bits)) >> (32 - bits);
  };
  FixedPoint result;
  switch (operation) {
    case acg::Operation::kRequantAddFixed:
      result.scale_a = low(acg::kScaleA, 16);
      result.scale_b = low(acg::kScaleB, 16);
      result.offset = number(acg::kOffset);
      result.shift = number(acg::kFixedSumShift) & 15;
      break;
    case acg::Operation::kRequantMulFixed:
      result.scale_a = number(acg::kProductScale);
      result.zero_a = number(acg::kZeroA);
      result.zero_b = number(acg::kZeroB);
      result.shift = low(acg::kFixedProductShift, 5);
      break;
    default:
      result.shift = low(acg::kFixedShift, 5);
  }
  return result;
}

/// out[k] = a[k] op b[k] for the operations that scale in fixed point. `b` of requant_fixed holds fractions.
void apply_fixed(acg::Operation operation, const int32_t* a, const int32_t* b, int32_t* out, size_t count,
                 const FixedPoint& point);

}  // namespace covenant::sim
