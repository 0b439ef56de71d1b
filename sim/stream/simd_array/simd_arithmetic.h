/// The arithmetic of a SIMD array on flat vectors (docs/reference/units/simd_array.md).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "acg/operations/operation.h"

namespace covenant::sim {

/// Bits of an element.
constexpr uint32_t bits_of(acg::SimdType type) {
  switch (type) {
    case acg::SimdType::kI4:
    case acg::SimdType::kU4:
      return 4;
    case acg::SimdType::kI8:
    case acg::SimdType::kU8:
      return 8;
    case acg::SimdType::kI16:
    case acg::SimdType::kU16:
      return 16;
    default:
      return 32;
  }
}

/// Parameters of an operation besides its sources.
struct Requantization {
  float zero_point = 0;  ///< for requant and quantize
  float lowest = 0;
  float highest = 0;
  float scale_a = 0;  ///< for requant_add; the only scale of requant_mul, dequantize and dequantize_sum
  float scale_b = 0;
  float offset = 0;    ///< for requant_add, requant_mul and quantize
  int32_t zero_a = 0;  ///< for requant_mul, dequantize and dequantize_sum
  int32_t zero_b = 0;
};

/// An entry for each value of its source, of one byte or of four.
using Table = std::vector<uint8_t>;

/// `count` elements of `type` packed at `from` as 32-bit lanes: integers of less bits extended, i32 and the bits of f32
/// as they are.
void load_lanes(acg::SimdType type, const uint8_t* from, int32_t* to, size_t count);
/// Stores the low bits of 32-bit lanes, as many as `type` has. Precondition: they fill whole bytes.
void store_lanes(acg::SimdType type, const int32_t* from, uint8_t* to, size_t count);

/// out[k] = a[k] op b[k] on integers for every operation that is no reduction and no lookup (move ignores b). `b` of
/// requant holds the bits of f32. Rounding is to nearest even, fma is fused; the same result on every processor.
void apply(acg::Operation operation, const int32_t* a, const int32_t* b, int32_t* out, size_t count,
           const Requantization& requantization);
/// out[k] = the table's entry of `type` for a[k], of `source`, whatever its sign. Precondition: it has one for each
/// value.
void look_up(const Table& table, acg::SimdType type, acg::SimdType source, const int32_t* a, int32_t* out,
             size_t count);
/// sum[k] = reduce(sum[k], a[k]) on integers for reduce_sum (wrapping) and reduce_max.
void reduce(acg::Operation operation, const int32_t* a, int32_t* sum, size_t count);

}  // namespace covenant::sim
