/// What each capability computes, lane by lane: docs/reference/units/simd_array.md and systolic_array.md.
///
/// Operands are arrays of 32-bit lanes: integers sign- or zero-extended from their dtype, f32 as their bits.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace covenant::compiler::codelet {

enum class Function : uint8_t {
  kGemm,
  kAdd,
  kSub,
  kMul,
  kMax,
  kMin,
  kMove,
  kRequant,
  kRequantAdd,
  kReduceMax,
  kReduceSum,
  kRelu,
};

struct FunctionInfo {
  Function function;
  std::string_view name;
  size_t operands;
  bool accumulates;  ///< over its reduction loops
  bool quantizes;    ///< needs the attributes lowest and highest
};

std::optional<FunctionInfo> function_named(std::string_view name);
std::vector<std::string> function_names();

struct Quantization {
  int32_t zero_point = 0;
  int32_t lowest = 0;
  int32_t highest = 0;
};

/// One application. `result` holds the destination's lanes: read first by functions that accumulate, unless `first`.
/// GEMM: operands x [rows], w [rows * lanes], bias [lanes]. Others: every operand has as many lanes as `result`, or one
/// that is broadcast. Integer arithmetic wraps at 32 bits, floating point is IEEE single precision, each step rounded.
void apply(Function function, std::span<const std::span<const int32_t>> operands, const Quantization& quantization,
           bool first, std::span<int32_t> result);

}  // namespace covenant::compiler::codelet
