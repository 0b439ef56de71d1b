/// One compute word of a SIMD array with its operands resolved: hazards and values.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "acg/operations/operation.h"
#include "sim/stream/common/region.h"
#include "sim/stream/simd_array/simd_arithmetic.h"
#include "sim/stream/simd_array/simd_fixed.h"

namespace covenant::sim {

/// An operand in memory (or an immediate, which has no region).
struct SimdOperand {
  acg::SimdType type = acg::SimdType::kI8;
  bool is_immediate = false;
  uint32_t immediate = 0;
  Region region;                                    ///< all bytes it touches
  uint64_t start = 0;                               ///< byte of the first vector in its whole memory
  std::array<int64_t, acg::kSimdLevels> strides{};  ///< bytes; 0 where it does not advance
  uint64_t vector_bytes = 0;
};

static_assert(acg::kSimdLevels <= kRegionLevels);

struct SimdNest {
  acg::Operation operation = acg::Operation::kAdd;
  uint32_t lanes = 0;
  std::array<uint32_t, acg::kSimdLevels> counts{};  ///< outermost first
  uint32_t first_reduction = acg::kSimdLevels;      ///< 8 unless the operation reduces
  bool resumes = false;                             ///< a reduction that resumes from the values in dst
  SimdOperand dst;
  std::array<SimdOperand, 2> sources;
  size_t source_count = 0;
  Requantization requantization;
  FixedPoint fixed_point;
  Table table;  ///< for a lookup

  /// True if it computes in f32. A quantisation ends in bytes.
  bool is_real() const { return dst.type == acg::SimdType::kF32 || operation == acg::Operation::kQuantize; }
};

/// Fault SIM0044: an iteration reads what an earlier one has written. SIM0045: two iterations write the same byte.
/// Strides and bounds first; only if they cannot tell, the nest is walked and bytes are marked.
void check_hazards(const SimdNest& nest);

/// Computes the whole nest. `memories[k]`: all bytes of the memory of dst, src1, src2 (empty for immediates).
/// Precondition: check_hazards has passed, so iterations may be done in batches.
void run_nest(const SimdNest& nest, const std::array<std::span<uint8_t>, 3>& memories);

/// A nest with its memories.
struct NestValues {
  SimdNest nest;
  std::array<std::span<uint8_t>, 3> memories;
};
inline void compute(const NestValues& values) { run_nest(values.nest, values.memories); }

}  // namespace covenant::sim
