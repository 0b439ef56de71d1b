/// Properties of the compute words of a SIMD array, by operation.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "acg/base/dtype.h"
#include "acg/operations/operation.h"

namespace covenant::acg {

/// True for the operations that scale in fixed point.
constexpr bool is_simd_fixed(Operation operation) {
  return operation >= Operation::kRequantFixed && operation <= Operation::kRequantMulFixed;
}

/// True for the operations that run one SIMD loop nest (kAdd .. kDequantizeSum, kRequantFixed .. kRequantMulFixed).
constexpr bool is_simd_compute(Operation operation) {
  return (operation >= Operation::kAdd && operation <= Operation::kDequantizeSum) || is_simd_fixed(operation);
}

/// True for the operations that accumulate a result until the last iteration of their reduction levels.
constexpr bool is_simd_reduction(Operation operation) {
  return operation >= Operation::kReduceMax && operation <= Operation::kDequantizeSum;
}

/// Number of sources that a compute word reads; its fields for other sources are ignored.
constexpr size_t simd_sources(Operation operation) {
  const bool is_unary = operation == Operation::kMove || operation == Operation::kSqrt ||
                        operation == Operation::kDequantize || operation == Operation::kLookup;
  return is_unary || is_simd_reduction(operation) ? 1 : 2;
}

/// True for the operations that clamp their result to `lowest..highest` of the quantisation.
constexpr bool is_simd_clamping(Operation operation) {
  return operation == Operation::kRequant || operation == Operation::kRequantAdd ||
         operation == Operation::kRequantMul || operation == Operation::kQuantize || is_simd_fixed(operation);
}

/// True for the operations that add the zero point of the quantisation. For others it is contained in their arguments.
constexpr bool is_simd_centring(Operation operation, bool rounds_half_away) {
  if (operation == Operation::kRequantAddFixed) return rounds_half_away;
  return operation == Operation::kRequant || operation == Operation::kQuantize ||
         operation == Operation::kRequantFixed || operation == Operation::kRequantMulFixed;
}

/// Number of immediates that a compute word reads besides its sources.
constexpr uint32_t simd_scalars(Operation operation) {
  switch (operation) {
    case Operation::kRequantAdd:
      return kOffset + 1;
    case Operation::kRequantMul:
      return kZeroB + 1;
    case Operation::kDequantize:
    case Operation::kDequantizeSum:
      return kByteZero + 1;
    case Operation::kQuantize:
      return kQuotientOffset + 1;
    case Operation::kRequantFixed:
      return kFixedShift + 1;
    case Operation::kRequantAddFixed:
      return kFixedSumShift + 1;
    case Operation::kRequantMulFixed:
      return kZeroB + 1;
    default:
      return 0;
  }
}

/// The SIMD element type of this dtype; nothing if there is none.
std::optional<SimdType> simd_type(DType dtype);
/// The input type of a systolic array for this dtype; nothing if there is none.
std::optional<InputType> input_type(DType dtype);
/// The dtype of elements of this type.
DType dtype_of(SimdType type);
/// The dtype in which the array holds the elements of a capability's operand: the f32 scales of REQUANT_FIXED are i32
/// fractions.
DType held_dtype(Operation operation, DType dtype);

/// True if the unit can execute the operation on elements of these types of dst, src1 and src2 (types of unread sources
/// are ignored).
bool simd_allows(Operation operation, const std::array<SimdType, 3>& types);

}  // namespace covenant::acg
