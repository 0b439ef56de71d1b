/// The arithmetic of a SIMD array on flat vectors (docs/reference/units/simd_array.md).
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "acg/isa/operation.h"

namespace covenant::sim {

constexpr uint32_t bytes_of(acg::SimdType type) {
  return type == acg::SimdType::kI8 || type == acg::SimdType::kU8 ? 1 : 4;
}

/// Scalars that requant and requant_add use.
struct Requantization {
  float zero_point = 0;
  float lowest = 0;
  float highest = 0;
  float scale_a = 0;
  float scale_b = 0;
  float offset = 0;
};

/// `count` elements of `type` at `from` as 32-bit lanes: i8 and u8 extended, i32 and the bits of f32 as they are.
void load_lanes(acg::SimdType type, const uint8_t* from, int32_t* to, size_t count);
/// The low bytes of 32-bit lanes, as many as `type` has.
void store_lanes(acg::SimdType type, const int32_t* from, uint8_t* to, size_t count);

/// out[k] = a[k] op b[k] for every operation that is not a reduction (move ignores b). `b` of requant holds the bits of
/// f32. Rounding is to nearest even, fma is fused; the same result on every processor.
void apply(acg::Operation operation, const int32_t* a, const int32_t* b, int32_t* out, size_t count,
           const Requantization& requantization);
/// sum[k] = reduce(sum[k], a[k]) for reduce_sum (wrapping) and reduce_max.
void reduce(acg::Operation operation, const int32_t* a, int32_t* sum, size_t count);

}  // namespace covenant::sim
