#include "acg/operations/simd_operation.h"

#include <algorithm>

namespace covenant::acg {

namespace {

/// Indexed by SimdType.
constexpr std::array<DType, 8> kDtypes{DType::kI8,  DType::kU8,  DType::kI32, DType::kF32,
                                       DType::kI16, DType::kU16, DType::kI4,  DType::kU4};

}  // namespace

std::optional<SimdType> simd_type(DType dtype) {
  const auto* found = std::ranges::find(kDtypes, dtype);
  return found == kDtypes.end() ? std::nullopt : std::optional(static_cast<SimdType>(found - kDtypes.begin()));
}

std::optional<InputType> input_type(DType dtype) {
  constexpr std::array kInputs{DType::kI8, DType::kU8, DType::kI16, DType::kU16, DType::kI4, DType::kU4};
  const auto* found = std::ranges::find(kInputs, dtype);
  return found == kInputs.end() ? std::nullopt : std::optional(static_cast<InputType>(found - kInputs.begin()));
}

DType dtype_of(SimdType type) { return kDtypes.at(static_cast<size_t>(type)); }

DType held_dtype(Operation operation, DType dtype) {
  return is_simd_fixed(operation) && dtype == DType::kF32 ? DType::kI32 : dtype;
}

bool simd_allows(Operation operation, const std::array<SimdType, 3>& types) {
  const auto is_narrow = [&types](size_t k) { return covenant::is_narrow(dtype_of(types[k])); };
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
      return is_narrow(0) && types[1] == SimdType::kI32 && is_real(2);
    case Operation::kRequantFixed:
      return is_narrow(0) && types[1] == SimdType::kI32 && types[2] == SimdType::kI32;
    case Operation::kRequantAdd:
    case Operation::kRequantMul:
    case Operation::kRequantAddFixed:
    case Operation::kRequantMulFixed:
      return is_narrow(0) && is_narrow(1) && is_narrow(2);
    case Operation::kDequantize:
    case Operation::kDequantizeSum:
      return is_real(0) && is_narrow(1);
    case Operation::kQuantize:
      return is_narrow(0) && is_real(1) && is_real(2);
    case Operation::kLookup:
      return (is_narrow(0) || is_real(0)) && is_narrow(1) && bits(dtype_of(types[1])) <= 8;
    default:
      return false;
  }
}

}  // namespace covenant::acg
