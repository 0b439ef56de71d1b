/// Division that rounds up: counts of tiles, beats and units.
#pragma once

#include <concepts>

namespace covenant {

/// The least whole number that is not below value / divisor. Precondition: divisor > 0. Never overflows.
template <std::integral T>
constexpr T ceil_divide(T value, T divisor) {
  return value / divisor + (value % divisor > 0 ? 1 : 0);
}

/// `value`, or the next multiple above it. Precondition: multiple > 0, and the result is within T.
template <std::integral T>
constexpr T round_up(T value, T multiple) {
  return ceil_divide(value, multiple) * multiple;
}

}  // namespace covenant
