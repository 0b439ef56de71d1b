/// Numbers of the immediates from which compute words of a SIMD array take their scalars.
#pragma once

#include <cstdint>

namespace covenant::acg {

/// REQUANT_ADD: scales and offset, as f32.
inline constexpr uint32_t kScaleA = 0, kScaleB = 1, kOffset = 2;
/// REQUANT_MUL: its scale and its offset, as f32, and the zero points of src1 and src2, as i32.
inline constexpr uint32_t kProductScale = 0, kProductOffset = 1, kZeroA = 2, kZeroB = 3;
/// DEQUANTIZE and DEQUANTIZE_SUM: scale (f32) and zero point (i32). QUANTIZE: the number added before rounding (f32).
inline constexpr uint32_t kByteScale = 0, kByteZero = 1, kQuotientOffset = 0;
/// In fixed point all are integers. REQUANT_FIXED takes its shift from the first immediate. REQUANT_ADD_FIXED takes its
/// scales and its offset from those of REQUANT_ADD and its shift from the fourth. REQUANT_MUL_FIXED takes its scale and
/// its zero points from those of REQUANT_MUL and its shift from the second.
inline constexpr uint32_t kFixedShift = 0, kFixedSumShift = 3, kFixedProductShift = 1;

}  // namespace covenant::acg
