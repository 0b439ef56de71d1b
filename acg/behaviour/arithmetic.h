/// Arithmetic of behaviours on 64-bit numbers, where the hardware's operations differ from those of C++.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "acg/behaviour/code.h"

namespace covenant::acg::behaviour {

/// Quotient, rounded towards minus infinity. Precondition: `right` is not 0, and the quotient fits.
template <typename Integer>
constexpr Integer floor_divide(Integer left, Integer right) {
  return left / right - (left % right != 0 && (left < 0) != (right < 0) ? 1 : 0);
}

/// Remainder, 0 or more. Precondition: `right` is positive.
constexpr int64_t floor_modulo(int64_t left, int64_t right) {
  const int64_t rest = left % right;
  return rest < 0 ? rest + right : rest;
}

/// Position of the highest bit. Precondition: `value` is positive.
constexpr int64_t floor_log2(int64_t value) {
  return static_cast<int64_t>(std::bit_width(static_cast<uint64_t>(value))) - 1;
}

/// The lowest `bits` bits of `value`, from bit `at` on.
constexpr uint64_t bits_of(uint64_t value, int64_t at, int64_t bits) {
  const uint64_t shifted = at > 63 ? 0 : value >> at;
  return bits > 63 ? shifted : shifted & ((uint64_t{1} << bits) - 1);
}

/// The number of `type` with the same lowest bits as `value`.
constexpr int64_t wrapped(int64_t value, const Type& type) {
  const uint64_t low = bits_of(static_cast<uint64_t>(value), 0, type.bits);
  if (!type.is_signed || type.bits > 63 || (low >> (type.bits - 1)) == 0) return static_cast<int64_t>(low);
  return static_cast<int64_t>(low | ~((uint64_t{1} << type.bits) - 1));
}

/// The number of `type` that is nearest to `value`.
inline int64_t saturated(int64_t value, const Type& type) {
  const Range range = type.range();
  return std::clamp(value, range.low, range.high);
}

}  // namespace covenant::acg::behaviour
