/// Kinds of compute words of a SIMD array.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "acg/base/dtype.h"
#include "acg/isa/operation.h"

namespace covenant::acg {

/// True for the operations that scale in fixed point.
constexpr bool is_simd_fixed(Operation operation) {
  return operation >= Operation::kRequantFixed && operation <= Operation::kRequantMulFixed;
}

/// True for the operations that run one SIMD loop nest (kAdd .. kDequantizeSum, kRequantFixed .. kRequantMulFixed).
constexpr bool is_simd_compute(Operation operation) {
  return (operation >= Operation::kAdd && operation <= Operation::kDequantizeSum) || is_simd_fixed(operation);
}

/// True for the operations that go on with a result until the last iteration of their reduction levels.
constexpr bool is_simd_reduction(Operation operation) {
  return operation >= Operation::kReduceMax && operation <= Operation::kDequantizeSum;
}

/// Sources that a compute word reads: what it says of the others is ignored.
constexpr size_t simd_sources(Operation operation) {
  const bool is_unary = operation == Operation::kMove || operation == Operation::kSqrt ||
                        operation == Operation::kDequantize || operation == Operation::kLookup;
  return is_unary || is_simd_reduction(operation) ? 1 : 2;
}

/// True for the operations that cut their result to `lowest..highest` of the quantisation.
constexpr bool is_simd_clamping(Operation operation) {
  return operation == Operation::kRequant || operation == Operation::kRequantAdd ||
         operation == Operation::kRequantMul || operation == Operation::kQuantize || is_simd_fixed(operation);
}

/// True for the operations that add the zero point of the quantisation; that of others lies in what they are given.
constexpr bool is_simd_centring(Operation operation, bool rounds_half_away) {
  if (operation == Operation::kRequantAddFixed) return rounds_half_away;
  return operation == Operation::kRequant || operation == Operation::kQuantize ||
         operation == Operation::kRequantFixed || operation == Operation::kRequantMulFixed;
}

/// Immediates, the first ones, that a compute word reads beside its sources.
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

/// The element type of a SIMD operand that has this dtype; nothing if none has.
std::optional<SimdType> simd_type(DType dtype);
/// The type of a systolic array's inputs of this dtype; nothing if none has it.
std::optional<InputType> input_type(DType dtype);
/// The dtype of elements of this type.
DType dtype_of(SimdType type);
/// What the array holds the elements of a capability's operand as: f32 scales of REQUANT_FIXED are fractions of i32.
DType held_dtype(Operation operation, DType dtype);

/// Can the unit do the operation on elements of these types of dst, src1 and src2 (of sources that it reads)?
bool simd_allows(Operation operation, const std::array<SimdType, 3>& types);

}  // namespace covenant::acg
