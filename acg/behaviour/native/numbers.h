/// Arithmetic of generated machines that C++ does not have. `bad` is set where the definition would stop.
#pragma once

#include <cstdint>

#include "acg/behaviour/native/abi.h"

namespace covenant::acg::behaviour::native {

template <typename Number>
inline Number floor_divide(Number left, Number right, bool& bad) {
  if (right == 0) {
    bad = true;
    return 0;
  }
  if (right == -1) return -left;
  return left / right - (left % right != 0 && (left < 0) != (right < 0) ? 1 : 0);
}

template <typename Number>
inline Number floor_modulo(Number left, Number right, bool& bad) {
  if (right <= 0) {
    bad = true;
    return 0;
  }
  const Number rest = left % right;
  return rest < 0 ? rest + right : rest;
}

inline int32_t floor_log2(int64_t value, bool& bad) {
  if (value > 0) return 63 - __builtin_clzll(static_cast<uint64_t>(value));
  bad = true;
  return 0;
}

/// Bits of a command: as many, from bit `at` on.
inline uint64_t bits_of(const uint64_t* words, int at, int bits) {
  const int word = at / 64, shift = at % 64;
  uint64_t value = words[word] >> shift;
  if (shift + bits > 64) value |= words[word + 1] << (64 - shift);
  return bits > 63 ? value : value & ((uint64_t{1} << bits) - 1);
}

/// Counts the terms of a sum; false if they are too many.
inline bool count_terms(int64_t first, int64_t last, uint64_t& work) {
  if (last < first) return true;
  const uint64_t steps = static_cast<uint64_t>(last) - static_cast<uint64_t>(first);
  if (steps >= kMostWork) return false;
  work += steps + 1;
  return work <= kMostWork;
}

}  // namespace covenant::acg::behaviour::native
