/// Turns sums and reals into stored bytes: the arithmetic of compiler/reference/requantize.h, prepared once for all
/// elements and written as loops that compilers vectorise.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "acg/base/accumulator.h"
#include "compiler/reference/requantize.h"
#include "compiler/values/simd.h"

namespace covenant::compiler::values {

/// clamp(rint(value) + zero_point), half to even, as the low byte of the result; NaN gives lowest.
struct Rounding {
  explicit Rounding(const reference::Limits& limits)
      : least(static_cast<float>(limits.lowest - limits.zero_point)),
        most(static_cast<float>(limits.highest - limits.zero_point)),
        zero_point(limits.zero_point) {}

  [[gnu::always_inline]] uint8_t operator()(float value) const {
    // Values within the limits are below 2^22. Adding 1.5 * 2^23 leaves one unit in the last place, so the addition
    // itself rounds to integer.
    constexpr float kOnes = 12582912.0F;
    const float above = value >= least ? value : least;
    const float inside = above <= most ? above : most;
    return static_cast<uint8_t>(static_cast<int32_t>((inside + kOnes) - kOnes) + zero_point);
  }

  float least;
  float most;
  int32_t zero_point;
};

/// value / 2^shift rounded to the nearest integer. Ties go up, or away from zero: before the floor, half is added, and
/// for negative values rounding away from zero one unit less.
[[gnu::always_inline]] inline int64_t shifted_right(int64_t value, int32_t shift, bool rounds_half_away) {
  if (shift <= 0) return value;
  const int64_t less = rounds_half_away ? value >> 63 : 0;
  return (value + (int64_t{1} << (shift - 1)) + less) >> shift;
}

/// Requantisation in fixed point (docs/reference/numerics.md) with a given fraction.
struct FixedRounding {
  FixedRounding(const reference::Limits& limits, int32_t shift_of_all)
      : lowest(limits.lowest),
        highest(limits.highest),
        zero_point(limits.zero_point),
        shift(shift_of_all),
        rounds_half_away(limits.rounds_half_away) {}

  [[gnu::always_inline]] uint8_t operator()(int32_t sum, int64_t fraction) const {
    const int64_t times = int64_t{1} << std::max(0, -shift);
    const int64_t factor = std::clamp<int64_t>(sum, INT32_MIN / times, INT32_MAX / times) * times;
    const int64_t product = shifted_right((factor * fraction + (int64_t{1} << 30)) >> 31, shift, rounds_half_away);
    const auto near = static_cast<int32_t>(std::clamp<int64_t>(product, INT16_MIN, INT16_MAX));
    return static_cast<uint8_t>(std::clamp(near + zero_point, lowest, highest));
  }

  int32_t lowest;
  int32_t highest;
  int32_t zero_point;
  int32_t shift;
  bool rounds_half_away;
};

/// rint(scale * 2^(31 + shift)), clamped to 32 bits.
int64_t fixed_fraction(float scale, int32_t shift);

/// Wraps each of `count` sums modulo 2^bits and extends it.
void wrap(int32_t* sums, size_t count, uint32_t bits, Simd simd);

/// Requantises sums of products; each output has a scale of its own.
class Requantizer {
 public:
  /// `accumulator_bits`: width at which the sums given to `finish` wrap.
  Requantizer(const reference::Limits& limits, std::vector<float> scales, Simd simd,
              uint32_t accumulator_bits = kWordBits);

  /// Turns `count` sums of outputs `first`, first + 1, ... into bytes. Sums are wrapped in place.
  void finish(int32_t* sums, size_t first, size_t count, uint8_t* y) const;

  /// The same for `count` sums of output 0.
  void finish_alike(const int32_t* sums, size_t count, uint8_t* y) const;

 private:
  Simd simd_;
  bool is_fixed_;
  uint32_t accumulator_bits_;
  Rounding rounding_;
  FixedRounding fixed_;
  std::vector<float> scales_;
  std::vector<int64_t> fractions_;  ///< for fixed point
};

}  // namespace covenant::compiler::values
