#include "compiler/codelet/arithmetic.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "acg/base/check.h"

namespace covenant::compiler::codelet {
namespace {

constexpr std::array<FunctionInfo, 12> kFunctions{{{Function::kGemm, "GEMM", 3, true, false},
                                                   {Function::kAdd, "ADD", 2, false, false},
                                                   {Function::kSub, "SUB", 2, false, false},
                                                   {Function::kMul, "MUL", 2, false, false},
                                                   {Function::kMax, "MAX", 2, false, false},
                                                   {Function::kMin, "MIN", 2, false, false},
                                                   {Function::kMove, "MOVE", 1, false, false},
                                                   {Function::kRequant, "REQUANT", 2, false, true},
                                                   {Function::kRequantAdd, "REQUANT_ADD", 5, false, true},
                                                   {Function::kReduceMax, "REDUCE_MAX", 1, true, false},
                                                   {Function::kReduceSum, "REDUCE_SUM", 1, true, false},
                                                   {Function::kRelu, "RELU", 1, false, false}}};

using Lanes = std::span<const int32_t>;

int32_t wrap(uint32_t bits) { return std::bit_cast<int32_t>(bits); }
uint32_t unsigned_bits(int32_t value) { return std::bit_cast<uint32_t>(value); }
float real(int32_t bits) { return std::bit_cast<float>(bits); }

/// Clamps before converting, so that nothing overflows; NaN gives `lowest`.
int32_t clamp_to_integer(float value, const Quantization& quantization) {
  if (!(value >= static_cast<float>(quantization.lowest))) return quantization.lowest;
  if (value > static_cast<float>(quantization.highest)) return quantization.highest;
  return static_cast<int32_t>(value);
}

void gemm(std::span<const Lanes> operands, bool first, std::span<int32_t> result) {
  const Lanes x = operands[0];
  const Lanes w = operands[1];
  if (first) std::copy(operands[2].begin(), operands[2].end(), result.begin());
  const size_t columns = result.size();
  for (size_t row = 0; row < x.size(); ++row) {
    const uint32_t factor = unsigned_bits(x[row]);
    const int32_t* weights = w.data() + row * columns;
    for (size_t j = 0; j < columns; ++j) {
      result[j] = wrap(unsigned_bits(result[j]) + factor * unsigned_bits(weights[j]));
    }
  }
}

/// Calls `function(lane, element of operand 0)` or `(…, operand 1)`, constants broadcast.
template <typename OneLane>
void for_each_lane(std::span<const Lanes> operands, std::span<int32_t> result, OneLane one_lane) {
  const size_t step_a = operands[0].size() == 1 ? 0 : 1;
  const size_t step_b = operands.size() < 2 || operands[1].size() == 1 ? 0 : 1;
  const int32_t* b = operands.size() < 2 ? operands[0].data() : operands[1].data();
  for (size_t j = 0; j < result.size(); ++j) result[j] = one_lane(operands[0][j * step_a], b[j * step_b], result[j]);
}

}  // namespace

std::optional<FunctionInfo> function_named(std::string_view name) {
  for (const FunctionInfo& info : kFunctions) {
    if (info.name == name) return info;
  }
  return std::nullopt;
}

std::vector<std::string> function_names() {
  std::vector<std::string> names;
  for (const FunctionInfo& info : kFunctions) names.emplace_back(info.name);
  return names;
}

void apply(Function function, std::span<const std::span<const int32_t>> operands, const Quantization& quantization,
           bool first, std::span<int32_t> result) {
  switch (function) {
    case Function::kGemm:
      return gemm(operands, first, result);
    case Function::kAdd:
      return for_each_lane(operands, result,
                           [](int32_t a, int32_t b, int32_t) { return wrap(unsigned_bits(a) + unsigned_bits(b)); });
    case Function::kSub:
      return for_each_lane(operands, result,
                           [](int32_t a, int32_t b, int32_t) { return wrap(unsigned_bits(a) - unsigned_bits(b)); });
    case Function::kMul:
      return for_each_lane(operands, result,
                           [](int32_t a, int32_t b, int32_t) { return wrap(unsigned_bits(a) * unsigned_bits(b)); });
    case Function::kMax:
      return for_each_lane(operands, result, [](int32_t a, int32_t b, int32_t) { return std::max(a, b); });
    case Function::kMin:
      return for_each_lane(operands, result, [](int32_t a, int32_t b, int32_t) { return std::min(a, b); });
    case Function::kMove:
      return for_each_lane(operands, result, [](int32_t a, int32_t, int32_t) { return a; });
    case Function::kRequant:
      return for_each_lane(operands, result, [&](int32_t a, int32_t b, int32_t) {
        const float scaled = static_cast<float>(a) * real(b);
        return clamp_to_integer(std::nearbyint(scaled) + static_cast<float>(quantization.zero_point), quantization);
      });
    case Function::kRequantAdd: {
      const float scale_a = real(operands[2][0]);
      const float scale_b = real(operands[3][0]);
      const float offset = real(operands[4][0]);
      return for_each_lane(operands.first(2), result, [&](int32_t a, int32_t b, int32_t) {
        const float scaled = std::fma(static_cast<float>(a), scale_a, offset);
        return clamp_to_integer(std::nearbyint(std::fma(static_cast<float>(b), scale_b, scaled)), quantization);
      });
    }
    case Function::kReduceMax:
      return for_each_lane(operands, result,
                           [&](int32_t a, int32_t, int32_t before) { return first ? a : std::max(a, before); });
    case Function::kReduceSum:
      return for_each_lane(operands, result, [&](int32_t a, int32_t, int32_t before) {
        return first ? a : wrap(unsigned_bits(a) + unsigned_bits(before));
      });
    case Function::kRelu:
      return for_each_lane(operands, result, [](int32_t a, int32_t, int32_t) { return std::max(a, 0); });
  }
  fail("unknown function");
}

}  // namespace covenant::compiler::codelet
