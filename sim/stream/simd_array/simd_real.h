/// The arithmetic of a SIMD array in single precision (docs/reference/units/simd_array.md).
///
/// Lanes hold the bits of f32, or integers extended to 32 bits. Every step is rounded to nearest even separately; every
/// NaN is the quiet one, 0x7FC00000, so that all processors give the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "acg/operations/operation.h"
#include "sim/stream/simd_array/simd_arithmetic.h"

namespace covenant::sim {

/// out[k] = a[k] op b[k] for the element-wise operations with f32 results, and quantize. `source`: the type of a (move
/// converts integers; dequantize takes bytes).
void apply_real(acg::Operation operation, acg::SimdType source, const int32_t* a, const int32_t* b, int32_t* out,
                size_t count, const Requantization& requantization);

/// sum[k] = sum[k] + a[k]; of dequantize_sum a is dequantised first. `is_first`: sum[k] = a[k].
void reduce_real(acg::Operation operation, const int32_t* a, int32_t* sum, size_t count, bool is_first,
                 const Requantization& requantization);

}  // namespace covenant::sim
