/// Division that rounds up, for counts of tiles, beats and units.
#pragma once

#include <concepts>

namespace covenant {

/// The smallest whole number that is at least value / divisor. Precondition: divisor > 0. Never overflows.
template <std::integral T>
constexpr T ceil_divide(T value, T divisor) {
  return value / divisor + (value % divisor > 0 ? 1 : 0);
}

/// `value` rounded up to a multiple of `multiple`. Precondition: multiple > 0, and the result is within T.
template <std::integral T>
constexpr T round_up(T value, T multiple) {
  return ceil_divide(value, multiple) * multiple;
}

}  // namespace covenant
