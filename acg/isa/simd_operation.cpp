#include "acg/isa/simd_operation.h"

#include <algorithm>

namespace covenant::acg {

std::optional<SimdType> simd_type(DType dtype) {
  switch (dtype) {
    case DType::kI8:
      return SimdType::kI8;
    case DType::kU8:
      return SimdType::kU8;
    case DType::kI32:
      return SimdType::kI32;
    case DType::kF32:
      return SimdType::kF32;
    default:
      return std::nullopt;
  }
}

bool simd_allows(Operation operation, const std::array<SimdType, 3>& types) {
  const auto is_byte = [&types](size_t k) { return types[k] == SimdType::kI8 || types[k] == SimdType::kU8; };
  const auto is_real = [&types](size_t k) { return types[k] == SimdType::kF32; };
  const size_t operands = 1 + simd_sources(operation);
  const auto reals = std::count(types.begin(), types.begin() + static_cast<std::ptrdiff_t>(operands), SimdType::kF32);
  const bool all_integers = reals == 0;
  const bool all_reals = reals == static_cast<std::ptrdiff_t>(operands);
  switch (operation) {
    case Operation::kAdd:
    case Operation::kSub:
    case Operation::kMul:
    case Operation::kMax:
    case Operation::kMin:
      return all_integers || all_reals;
    case Operation::kMove:
      return all_integers || is_real(0);
    case Operation::kReduceMax:
      return all_integers;
    case Operation::kReduceSum:
      return types[0] == SimdType::kI32 ? all_integers : all_reals;
    case Operation::kDiv:
    case Operation::kSqrt:
      return all_reals;
    case Operation::kRequant:
      return is_byte(0) && types[1] == SimdType::kI32 && is_real(2);
    case Operation::kRequantAdd:
    case Operation::kRequantMul:
      return is_byte(0) && is_byte(1) && is_byte(2);
    case Operation::kDequantize:
    case Operation::kDequantizeSum:
      return is_real(0) && is_byte(1);
    case Operation::kQuantize:
      return is_byte(0) && is_real(1) && is_real(2);
    case Operation::kLookup:
      return (is_byte(0) || is_real(0)) && is_byte(1);
    default:
      return false;
  }
}

}  // namespace covenant::acg
