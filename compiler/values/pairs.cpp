/// Kernels of add, mul, sub, div, max and min on two operands, one of which may be a param.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string_view>
#include <vector>

#include "compiler/srdfg/queries.h"
#include "compiler/srdfg/windows.h"
#include "compiler/values/kernel.h"
#include "compiler/values/layout.h"
#include "compiler/values/rounding.h"

namespace covenant::compiler::values {
namespace {

using srdfg::Value;

/// The bytes of both operands; those of a param are kept.
struct Operands {
  explicit Operands(const Problem& problem) {
    for (size_t i = 0; i < 2; ++i) {
      const Value& value = problem.input(i);
      if (value.modifier == srdfg::Modifier::kParam) kept[i] = stored_data(value);
    }
  }

  std::array<const uint8_t*, 2> of(std::span<const uint8_t* const> inputs) const {
    size_t next = 0;
    std::array<const uint8_t*, 2> both{};
    for (size_t i = 0; i < 2; ++i) both[i] = kept[i].empty() ? inputs[next++] : kept[i].data();
    return both;
  }

  std::array<std::vector<uint8_t>, 2> kept;
};

/// Calls `make` with the types of both operands.
template <typename Make>
Kernel typed(const Problem& problem, Make&& make) {
  const bool has_sign = is_signed(problem.input(1));
  if (is_signed(problem.input(0))) return has_sign ? make(int8_t{}, int8_t{}) : make(int8_t{}, uint8_t{});
  return has_sign ? make(uint8_t{}, int8_t{}) : make(uint8_t{}, uint8_t{});
}

/// Applies `combine(a, b)` to each pair of elements, widened.
template <typename First, typename Second, typename Combine>
Kernel elementwise(const Problem& problem, Combine combine) {
  const size_t size = size_of(problem.output());
  const Simd simd = problem.simd;
  return {0, [=, operands = std::make_shared<Operands>(problem)](auto inputs, uint8_t* y, uint8_t*) {
            const auto both = operands->of(inputs);
            const auto* a = reinterpret_cast<const First*>(both[0]);
            const auto* b = reinterpret_cast<const Second*>(both[1]);
            run_with(simd, [=]() __attribute__((always_inline)) {
              uint8_t* const __restrict to = y;
              for (size_t i = 0; i < size; ++i) to[i] = combine(int32_t{a[i]}, int32_t{b[i]});
            });
          }};
}

/// The same with one element of b per channel of an image.
template <typename First, typename Second, typename Combine>
Kernel by_channel(const Problem& problem, Combine combine) {
  const Value& x = problem.input(0);
  const size_t channels = x.shape[1];
  const size_t pixels = x.shape[2] * x.shape[3];
  const size_t images = x.shape[0];
  const Simd simd = problem.simd;
  return {0, [=, operands = std::make_shared<Operands>(problem)](auto inputs, uint8_t* y, uint8_t*) {
            const auto both = operands->of(inputs);
            const auto* a = reinterpret_cast<const First*>(both[0]);
            run_with(simd, [=]() __attribute__((always_inline)) {
              for (size_t p = 0; p < images * pixels; ++p) {
                const auto* b = reinterpret_cast<const Second*>(both[1]) + p / pixels * channels;
                uint8_t* const __restrict to = y + p * channels;
                for (size_t c = 0; c < channels; ++c) to[c] = combine(int32_t{a[p * channels + c]}, int32_t{b[c]});
              }
            });
          }};
}

/// One or the other, depending on the shapes of the operands.
template <typename Combine>
Kernel combined(const Problem& problem, Combine combine) {
  const bool is_alike = problem.input(0).shape == problem.input(1).shape;
  return typed(problem, [&](auto first, auto second) {
    using First = decltype(first);
    using Second = decltype(second);
    return is_alike ? elementwise<First, Second>(problem, combine) : by_channel<First, Second>(problem, combine);
  });
}

/// The part of fixed_sum (compiler/reference/requantize.h) that does not depend on elements.
struct FixedSum {
  FixedSum(float scale_a, float scale_b, float real_offset) {
    constexpr int64_t kRoom = 1 << 15;
    const double greatest = std::max(std::fabs(scale_a), std::fabs(scale_b));
    shift = greatest == 0 ? 15 : std::clamp(14 - std::ilogb(greatest), 0, 15);
    if (std::nearbyint(std::ldexp(greatest, shift)) >= kRoom && shift > 0) --shift;
    const auto fixed = [&](float real, int64_t most) {
      const double units = std::nearbyint(std::ldexp(static_cast<double>(real), shift));
      return static_cast<int64_t>(std::clamp(units, -static_cast<double>(most), static_cast<double>(most)));
    };
    factor_a = fixed(scale_a, kRoom - 1);
    factor_b = fixed(scale_b, kRoom - 1);
    offset = fixed(real_offset, 1 << 30);
  }
  int shift = 0;
  int64_t factor_a = 0;
  int64_t factor_b = 0;
  int64_t offset = 0;
};

Kernel add(const Problem& problem) {
  const reference::Limits limits = reference::limits_of(problem.node, problem.output());
  const float scale_a = scale_of(problem.input(0)) / scale_of(problem.output());
  const float scale_b = scale_of(problem.input(1)) / scale_of(problem.output());
  const float offset =
      reference::add_offset(scale_a, zero_of(problem.input(0)), scale_b, zero_of(problem.input(1)), limits.zero_point);
  if (limits.is_fixed) {
    const int32_t apart = limits.rounds_half_away ? limits.zero_point : 0;
    const FixedSum fixed(scale_a, scale_b, offset - static_cast<float>(apart));
    const auto combine = [=](int32_t a, int32_t b) __attribute__((always_inline)) {
      const int64_t sum = a * fixed.factor_a + b * fixed.factor_b + fixed.offset;
      const int64_t rounded = shifted_right(sum, fixed.shift, limits.rounds_half_away);
      return static_cast<uint8_t>(std::clamp<int64_t>(rounded + apart, limits.lowest, limits.highest));
    };
    return combined(problem, combine);
  }
  const Rounding round(reference::Limits{0, limits.lowest, limits.highest});
  const auto combine = [=](int32_t a, int32_t b) __attribute__((always_inline)) {
    return round(std::fma(static_cast<float>(b), scale_b, std::fma(static_cast<float>(a), scale_a, offset)));
  };
  return combined(problem, combine);
}

Kernel multiply(const Problem& problem) {
  const reference::Limits limits = reference::limits_of(problem.node, problem.output());
  const float scale =
      reference::product_scale(scale_of(problem.input(0)), scale_of(problem.input(1)), scale_of(problem.output()));
  const int32_t zero_a = zero_of(problem.input(0));
  const int32_t zero_b = zero_of(problem.input(1));
  if (limits.is_fixed) {
    const FixedRounding round(limits, reference::fixed_shift({&scale, 1}));
    const int64_t fraction = fixed_fraction(scale, round.shift);
    const auto combine = [=](int32_t a, int32_t b)
                             __attribute__((always_inline)) { return round((a - zero_a) * (b - zero_b), fraction); };
    return combined(problem, combine);
  }
  const Rounding round(reference::Limits{0, limits.lowest, limits.highest});
  const auto zero_y = static_cast<float>(limits.zero_point);
  const auto combine = [=](int32_t a, int32_t b) __attribute__((always_inline)) {
    return round(static_cast<float>((a - zero_a) * (b - zero_b)) * scale + zero_y);
  };
  return combined(problem, combine);
}

/// Combines the dequantised operands in single precision.
template <typename Combine>
Kernel real_pair(const Problem& problem, Combine combine) {
  const Rounding round(reference::limits_of(problem.node, problem.output()));
  const float scale_a = scale_of(problem.input(0));
  const float scale_b = scale_of(problem.input(1));
  const float scale_y = scale_of(problem.output());
  const int32_t zero_a = zero_of(problem.input(0));
  const int32_t zero_b = zero_of(problem.input(1));
  const auto stored = [=](int32_t a, int32_t b) __attribute__((always_inline)) {
    return round(combine(static_cast<float>(a - zero_a) * scale_a, static_cast<float>(b - zero_b) * scale_b) / scale_y);
  };
  return combined(problem, stored);
}

bool is_known_pair(const Problem& problem) {
  const Value& a = problem.input(0);
  const Value& b = problem.input(1);
  if (!has_only(problem.node, {"lowest", "highest", reference::kFixedPoint})) return false;
  if (!is_byte_activation(a) || !is_byte_activation(b) || !is_byte_activation(problem.output())) return false;
  return a.shape == b.shape || (problem.node.operation == "mul" && srdfg::is_one_per_channel(b.shape, a.shape));
}

}  // namespace

std::optional<Kernel> pair_kernel(const Problem& problem) {
  const std::string& operation = problem.node.operation;
  constexpr std::array<std::string_view, 6> kPairs{"add", "mul", "sub", "div", "max", "min"};
  if (std::ranges::find(kPairs, operation) == kPairs.end() || !is_known_pair(problem)) return std::nullopt;
  // ONNX Runtime has no integer kernel for operands of different signedness: DequantizeLinear -> operation ->
  // QuantizeLinear.
  const bool has_one_sign = is_signed(problem.input(0)) == is_signed(problem.output()) &&
                            is_signed(problem.input(1)) == is_signed(problem.output());
  const bool is_in_integers = has_one_sign || problem.node.attributes.contains(reference::kFixedPoint);
  if (operation == "add" && is_in_integers) return add(problem);
  if (operation == "mul" && is_in_integers) return multiply(problem);
  if (operation == "add") {
    return real_pair(problem, [](float a, float b) __attribute__((always_inline)) { return a + b; });
  }
  if (operation == "mul") {
    return real_pair(problem, [](float a, float b) __attribute__((always_inline)) { return a * b; });
  }
  if (operation == "sub") {
    return real_pair(problem, [](float a, float b) __attribute__((always_inline)) { return a - b; });
  }
  if (operation == "div") {
    return real_pair(problem, [](float a, float b) __attribute__((always_inline)) { return a / b; });
  }
  if (operation == "max") {
    return real_pair(problem, [](float a, float b) __attribute__((always_inline)) { return a < b ? b : a; });
  }
  if (operation == "min") {
    return real_pair(problem, [](float a, float b) __attribute__((always_inline)) { return b < a ? b : a; });
  }
  return std::nullopt;
}

}  // namespace covenant::compiler::values
