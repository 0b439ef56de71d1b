#include "compiler/codelet/arithmetic.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "acg/base/accumulator.h"
#include "acg/base/check.h"

namespace covenant::compiler::codelet {
namespace {

constexpr std::array<FunctionInfo, 27> kFunctions{
    {{Function::kGemm, "GEMM", 3, true, false, false, 0},
     {Function::kAdd, "ADD", 2, false, false, false, 0},
     {Function::kSub, "SUB", 2, false, false, false, 0},
     {Function::kMul, "MUL", 2, false, false, false, 0},
     {Function::kMax, "MAX", 2, false, false, true, 0},
     {Function::kMin, "MIN", 2, false, false, true, 0},
     {Function::kMove, "MOVE", 1, false, false, false, 0},
     {Function::kRequant, "REQUANT", 2, false, true, true, 0},
     {Function::kRequantFixed, "REQUANT_FIXED", 2, false, true, true, 0},
     {Function::kRequantAdd, "REQUANT_ADD", 5, false, true, true, 3},
     {Function::kRequantAddFixed, "REQUANT_ADD_FIXED", 5, false, true, true, 3},
     {Function::kRequantMul, "REQUANT_MUL", 6, false, true, true, 4},
     {Function::kRequantMulFixed, "REQUANT_MUL_FIXED", 5, false, true, true, 3},
     {Function::kLookup, "LOOKUP", 2, false, false, false, 1},
     {Function::kReduceMax, "REDUCE_MAX", 1, true, false, true, 0},
     {Function::kReduceSum, "REDUCE_SUM", 1, true, false, false, 0},
     {Function::kRelu, "RELU", 1, false, false, true, 0},
     {Function::kMmul, "MMUL", 2, true, false, false, 0},
     {Function::kMmul, "MVMUL", 2, true, false, false, 0},
     {Function::kMac, "MAC", 3, true, false, false, 0},
     {Function::kDiv, "DIV", 2, false, false, true, 0},
     {Function::kSigmoid, "SIGMOID", 1, false, false, false, 0},
     {Function::kTanh, "TANH", 1, false, false, false, 0},
     {Function::kSqrt, "SQRT", 1, false, false, false, 0},
     {Function::kDequantize, "DEQUANTIZE", 3, false, false, true, 2},
     {Function::kDequantizeSum, "DEQUANTIZE_SUM", 3, true, false, true, 2},
     {Function::kQuantize, "QUANTIZE", 3, false, true, true, 1}}};

constexpr std::array<std::pair<Function, Function>, 7> kRealForms{{{Function::kAdd, Function::kAddReal},
                                                                   {Function::kSub, Function::kSubReal},
                                                                   {Function::kMul, Function::kMulReal},
                                                                   {Function::kDiv, Function::kDivReal},
                                                                   {Function::kMax, Function::kMaxReal},
                                                                   {Function::kMin, Function::kMinReal},
                                                                   {Function::kReduceSum, Function::kReduceSumReal}}};

/// Most entries of a table: one for each value of a byte.
constexpr size_t kMostTableEntries = 256;
constexpr int kFractionBits = 31;  // fraction bits of fixed-point scales

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

/// `value` / 2^right rounded to the nearest integer, halves up or away from zero.
int64_t shifted_right(int64_t value, int right, bool half_away) {
  if (right == 0) return value;
  const int64_t quotient = value >> right, half = int64_t{1} << (right - 1);
  const int64_t rest = value - (quotient << right);
  const bool rounds_up = half_away && value < 0 ? rest > half : rest >= half;
  return quotient + (rounds_up ? 1 : 0);
}

/// `value` times a scale in units of 2^-31 and 2^-shift. The product is rounded half up to an integer, and rounded
/// again if it is shifted to the right. A shift to the left is applied to `value` before the product, which is clamped
/// so that it does not overflow.
int64_t rounded_fixed(int32_t value, float scale, int32_t shift, bool half_away) {
  const int left = std::clamp(-shift, 0, -kLeastFixedShift), right = std::clamp(shift, 0, kMostFixedShift);
  const double exact = std::nearbyint(std::ldexp(static_cast<double>(scale), kFractionBits + right - left));
  const auto fraction = static_cast<int64_t>(std::clamp<double>(exact, -INT32_MAX, INT32_MAX));
  const int64_t room = int64_t{1} << (kFractionBits - left);
  const int64_t shifted = std::clamp<int64_t>(value, -room, room - 1) * (int64_t{1} << left);
  const int64_t product = (shifted * fraction + (int64_t{1} << (kFractionBits - 1))) >> kFractionBits;
  return shifted_right(product, right, half_away);
}

/// The scalars of REQUANT_ADD_FIXED: 16-bit scales with as many fraction bits as both scales and the offset leave room
/// for.
struct FixedSum {
  static constexpr double kMostOffset = 0x1p30;
  int32_t scale_a, scale_b, offset;
  int shift;

  FixedSum(float a, float b, float added) : shift(kMostFixedShift) {
    const auto scaled = [&](float real) { return std::nearbyint(std::ldexp(static_cast<double>(real), shift)); };
    const auto greatest = [&] { return std::max(std::abs(scaled(a)), std::abs(scaled(b))); };
    while (shift > 0 && (greatest() > INT16_MAX || std::abs(scaled(added)) > kMostOffset)) --shift;
    const auto within = [](double real, double most) { return static_cast<int32_t>(std::clamp(real, -most, most)); };
    scale_a = within(scaled(a), INT16_MAX);
    scale_b = within(scaled(b), INT16_MAX);
    offset = within(scaled(added), kMostOffset);
  }
  int64_t operator()(int32_t a, int32_t b, bool half_away) const {
    return shifted_right(int64_t{a} * scale_a + int64_t{b} * scale_b + offset, shift, half_away);
  }
};

int32_t within(int64_t value, const Quantization& quantization) {
  return static_cast<int32_t>(std::clamp<int64_t>(value, quantization.lowest, quantization.highest));
}

int32_t quantized_fixed(int32_t value, float scale, const Quantization& quantization) {
  const int64_t scaled = rounded_fixed(value, scale, quantization.shift, quantization.half_away);
  return within(scaled + quantization.zero_point, quantization);
}

/// Calls `add(place in the result, x, w)` for every product of a matrix multiplication.
template <typename Add>
void multiply(Lanes x, Lanes w, size_t results, Add add) {
  const size_t inner = inner_extent(x.size(), w.size(), results);
  const size_t columns = w.size() / inner;
  for (size_t i = 0; i < x.size(); ++i) {
    const int32_t* weights = w.data() + i % inner * columns;
    const size_t row = i / inner * columns;
    for (size_t j = 0; j < columns; ++j) add(row + j, x[i], weights[j]);
  }
}

/// The initial value of a sum; a constant is broadcast.
void start(Lanes from, std::span<int32_t> result) {
  for (size_t j = 0; j < result.size(); ++j) result[j] = from[from.size() == 1 ? 0 : j];
}

/// The same for MAC: calls `add` pair by pair.
template <typename Add>
void multiply_pairs(Lanes a, Lanes b, size_t results, Add add) {
  const size_t inner = std::max(a.size(), b.size()) / results;
  const auto element = [](Lanes lanes, size_t at) { return lanes[lanes.size() == 1 ? 0 : at]; };
  for (size_t at = 0; at < inner * results; ++at) add(at / inner, element(a, at), element(b, at));
}

/// Adds products to sums that wrap at 32 bits.
auto wrapping(std::span<int32_t> sums) {
  return [sums](size_t place, int32_t a, int32_t b) {
    sums[place] = wrap(unsigned_bits(sums[place]) + unsigned_bits(a) * unsigned_bits(b));
  };
}

int32_t divide(int32_t a, int32_t b) {
  if (b == 0) return -1;
  return b == -1 ? wrap(0U - unsigned_bits(a)) : a / b;  // the lowest value divided by -1 wraps to itself
}

/// The bits of a float; every NaN becomes the same one.
int32_t bits(float value) {
  return std::bit_cast<int32_t>(std::isnan(value) ? std::numeric_limits<float>::quiet_NaN() : value);
}

/// Computes `take` in double precision and rounds once.
template <typename Take>
int32_t rounded(int32_t operand, Take take) {
  return bits(static_cast<float>(take(static_cast<double>(real(operand)))));
}

/// The product of both operands less their zero points.
int32_t product_of(int32_t a, int32_t b, int32_t zero_a, int32_t zero_b) {
  return wrap((unsigned_bits(a) - unsigned_bits(zero_a)) * (unsigned_bits(b) - unsigned_bits(zero_b)));
}

/// Dequantises: (a - zero point) * scale.
float dequantized(int32_t a, std::span<const Lanes> operands) {
  return static_cast<float>(wrap(unsigned_bits(a) - unsigned_bits(operands[2][0]))) * real(operands[1][0]);
}

/// Calls `function(lane, element of operand 0)` or `(…, element of operand 1)`, broadcasting constants.
template <typename OneLane>
void for_each_lane(std::span<const Lanes> operands, std::span<int32_t> result, OneLane one_lane) {
  const size_t step_a = operands[0].size() == 1 ? 0 : 1;
  const size_t step_b = operands.size() < 2 || operands[1].size() == 1 ? 0 : 1;
  const int32_t* b = operands.size() < 2 ? operands[0].data() : operands[1].data();
  for (size_t j = 0; j < result.size(); ++j) result[j] = one_lane(operands[0][j * step_a], b[j * step_b], result[j]);
}

}  // namespace

size_t inner_extent(size_t x, size_t w, size_t result) {
  if (x * result == w) return x;  // a single row
  if (result == 0 || x * w % result != 0) return 0;
  const size_t squared = x * w / result;
  const auto inner = static_cast<size_t>(std::lround(std::sqrt(static_cast<double>(squared))));
  const bool fits = inner > 0 && x % inner == 0 && w % inner == 0 && x / inner * (w / inner) == result;
  return fits ? inner : 0;
}

std::optional<FunctionInfo> function_named(std::string_view name) {
  for (const FunctionInfo& info : kFunctions) {
    if (info.name == name) return info;
  }
  return std::nullopt;
}

bool accumulates(std::string_view name) {
  const std::optional<FunctionInfo> function = function_named(name);
  return function && function->accumulates;
}

std::vector<std::string> function_names() {
  std::vector<std::string> names;
  for (const FunctionInfo& info : kFunctions) names.emplace_back(info.name);
  return names;
}

std::optional<Function> real_form(Function function) {
  for (const auto& [form, real] : kRealForms) {
    if (form == function) return real;
  }
  return std::nullopt;
}

bool fit_together(Function function, std::span<const size_t> operands, size_t result) {
  const auto fits = [&](size_t lanes) { return lanes == result || lanes == 1; };
  switch (function) {
    case Function::kGemm:
    case Function::kMmul:
      return inner_extent(operands[0], operands[1], result) > 0 && (operands.size() < 3 || fits(operands[2]));
    case Function::kMac: {
      const size_t most = std::max(operands[0], operands[1]);
      const auto is_whole = [&](size_t lanes) { return lanes == most || lanes == 1; };
      return most >= result && most % result == 0 && is_whole(operands[0]) && is_whole(operands[1]) &&
             fits(operands[2]);
    }
    case Function::kLookup:
      return fits(operands[0]) && std::has_single_bit(operands[1]) && operands[1] <= kMostTableEntries;
    default:
      return std::all_of(operands.begin(), operands.end(), fits);
  }
}

void apply(Function function, std::span<const std::span<const int32_t>> operands, const Quantization& quantization,
           bool first, std::span<int32_t> result) {
  switch (function) {
    case Function::kGemm:
      if (first) start(operands[2], result);
      return multiply(operands[0], operands[1], result.size(), wrapping(result));
    case Function::kMmul:
      if (first) std::fill(result.begin(), result.end(), 0);
      return multiply(operands[0], operands[1], result.size(), wrapping(result));
    case Function::kMac:
      if (first) start(operands[2], result);
      return multiply_pairs(operands[0], operands[1], result.size(), wrapping(result));
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
    case Function::kRequantFixed:
      return for_each_lane(operands, result,
                           [&](int32_t a, int32_t b, int32_t) { return quantized_fixed(a, real(b), quantization); });
    case Function::kRequantAdd: {
      const float scale_a = real(operands[2][0]);
      const float scale_b = real(operands[3][0]);
      const float offset = real(operands[4][0]);
      return for_each_lane(operands.first(2), result, [&](int32_t a, int32_t b, int32_t) {
        const float scaled = std::fma(static_cast<float>(a), scale_a, offset);
        return clamp_to_integer(std::nearbyint(std::fma(static_cast<float>(b), scale_b, scaled)), quantization);
      });
    }
    case Function::kRequantAddFixed: {
      const FixedSum sum(real(operands[2][0]), real(operands[3][0]), real(operands[4][0]));
      const int32_t apart = quantization.half_away ? quantization.zero_point : 0;
      return for_each_lane(operands.first(2), result, [&](int32_t a, int32_t b, int32_t) {
        return within(sum(a, b, quantization.half_away) + apart, quantization);
      });
    }
    case Function::kRequantMul: {
      const float scale = real(operands[2][0]);
      const float offset = real(operands[3][0]);
      return for_each_lane(operands.first(2), result, [&](int32_t a, int32_t b, int32_t) {
        const float scaled = static_cast<float>(product_of(a, b, operands[4][0], operands[5][0])) * scale;
        return clamp_to_integer(std::nearbyint(scaled + offset), quantization);
      });
    }
    case Function::kRequantMulFixed:
      return for_each_lane(operands.first(2), result, [&](int32_t a, int32_t b, int32_t) {
        return quantized_fixed(product_of(a, b, operands[3][0], operands[4][0]), real(operands[2][0]), quantization);
      });
    case Function::kLookup:
      return for_each_lane(operands.first(1), result, [table = operands[1]](int32_t a, int32_t, int32_t) {
        return table[unsigned_bits(a) % table.size()];
      });
    case Function::kReduceMax:
      return for_each_lane(operands, result,
                           [&](int32_t a, int32_t, int32_t before) { return first ? a : std::max(a, before); });
    case Function::kReduceSum:
      return for_each_lane(operands, result, [&](int32_t a, int32_t, int32_t before) {
        return first ? a : wrap(unsigned_bits(a) + unsigned_bits(before));
      });
    case Function::kDiv:
      return for_each_lane(operands, result, [](int32_t a, int32_t b, int32_t) { return divide(a, b); });
    case Function::kAddReal:
      return for_each_lane(operands, result, [](int32_t a, int32_t b, int32_t) { return bits(real(a) + real(b)); });
    case Function::kSubReal:
      return for_each_lane(operands, result, [](int32_t a, int32_t b, int32_t) { return bits(real(a) - real(b)); });
    case Function::kMulReal:
      return for_each_lane(operands, result, [](int32_t a, int32_t b, int32_t) { return bits(real(a) * real(b)); });
    case Function::kDivReal:
      return for_each_lane(operands, result, [](int32_t a, int32_t b, int32_t) { return bits(real(a) / real(b)); });
    case Function::kMaxReal:
      return for_each_lane(operands, result,
                           [](int32_t a, int32_t b, int32_t) { return bits(real(b) > real(a) ? real(b) : real(a)); });
    case Function::kMinReal:
      return for_each_lane(operands, result,
                           [](int32_t a, int32_t b, int32_t) { return bits(real(b) < real(a) ? real(b) : real(a)); });
    case Function::kReduceSumReal:
      return for_each_lane(operands, result, [&](int32_t a, int32_t, int32_t before) {
        return first ? a : bits(real(before) + real(a));
      });
    case Function::kConvert:
      return for_each_lane(operands, result, [](int32_t a, int32_t, int32_t) { return bits(static_cast<float>(a)); });
    case Function::kSqrt:
      return for_each_lane(operands, result, [](int32_t a, int32_t, int32_t) { return bits(std::sqrt(real(a))); });
    case Function::kDequantize:
      return for_each_lane(operands.first(1), result,
                           [&](int32_t a, int32_t, int32_t) { return bits(dequantized(a, operands)); });
    case Function::kDequantizeSum:
      return for_each_lane(operands.first(1), result, [&](int32_t a, int32_t, int32_t before) {
        return bits(first ? dequantized(a, operands) : real(before) + dequantized(a, operands));
      });
    case Function::kQuantize:
      return for_each_lane(operands.first(2), result, [&](int32_t a, int32_t b, int32_t) {
        const float quotient = real(a) / real(b);
        const float shifted = quotient + real(operands[2][0]);
        return clamp_to_integer(std::nearbyint(shifted) + static_cast<float>(quantization.zero_point), quantization);
      });
    case Function::kSigmoid:
      return for_each_lane(operands, result, [](int32_t a, int32_t, int32_t) {
        return rounded(a, [](double value) { return 1.0 / (1.0 + std::exp(-value)); });
      });
    case Function::kTanh:
      return for_each_lane(operands, result, [](int32_t a, int32_t, int32_t) {
        return rounded(a, [](double value) { return std::tanh(value); });
      });
    case Function::kRelu:
      return for_each_lane(operands, result, [](int32_t a, int32_t, int32_t) { return std::max(a, 0); });
  }
  fail("unknown function");
}

void apply_saturating(Function function, std::span<const std::span<const int32_t>> operands, bool first, uint32_t bits,
                      std::span<int32_t> result) {
  std::vector<int64_t> products(result.size());
  const auto add = [&products](size_t place, int32_t a, int32_t b) { products[place] += int64_t{a} * b; };
  if (function == Function::kMac) {
    multiply_pairs(operands[0], operands[1], result.size(), add);
  } else {
    multiply(operands[0], operands[1], result.size(), add);
  }
  if (first && operands.size() > 2) start(operands[2], result);
  if (first && operands.size() == 2) std::fill(result.begin(), result.end(), 0);
  for (size_t j = 0; j < result.size(); ++j) result[j] = saturated(result[j] + products[j], bits);
}

}  // namespace covenant::compiler::codelet
