// Implements multiplications.
#include "sim/vliw/dot_products.h"
#include "sim/vliw/operand_access.h"
#include "sim/vliw/values.h"

namespace covenant::sim::vliw {
namespace {

using enum acg::VliwOperation;
using Operation = MicroOperation;

template <typename Element>
std::array<Element, 4> bytes_of(uint32_t word) {
  return std::bit_cast<std::array<Element, 4>>(word);
}

/// vx.w[i] += (or =) the sum over k<4 of vu[4i+k] * rt[k]
template <typename U, typename T, bool accumulates>
void reduce_by_scalar(CoreState& core, const Operation& operation) {
  Lanes<uint32_t> words;
  words.fill(scalar(core, operation, 2));
  const Vector u = vector(core, operation, 1);
  Vector& x = vector(core, operation, 0);
  if constexpr (!accumulates) x = {};
  add_dot_products<U, T>(x, u, vector_of(words));
}

/// vx.w[i] += the sum over k<4 of vu[4i+k] * vv[4i+k]
template <typename U, typename V>
void reduce_by_vector(CoreState& core, const Operation& operation) {
  const Vector u = vector(core, operation, 1), v = vector(core, operation, 2);
  add_dot_products<U, V>(vector(core, operation, 0), u, v);
}

/// Four taps that slide over a pair of vectors, two positions at once.
void reduce_sliding(CoreState& core, const Operation& operation) {
  const auto a = lanes_of<uint8_t>(vector(core, operation, 1)), b = lanes_of<uint8_t>(upper(core, operation, 1));
  const auto t = bytes_of<int8_t>(scalar(core, operation, 2));
  auto low = lanes_of<uint32_t>(vector(core, operation, 0)), high = lanes_of<uint32_t>(upper(core, operation, 0));
  const bool is_odd = (operation.operands[3] & 1) != 0;
  for (size_t i = 0; i < kVectorBytes; i += 4) {
    const int32_t first = is_odd ? b[i] * t[3] + a[i + 1] * t[0] + a[i + 2] * t[1] + a[i + 3] * t[2]
                                 : a[i] * t[0] + a[i + 1] * t[1] + a[i + 2] * t[2] + a[i + 3] * t[3];
    const int32_t second = is_odd ? b[i] * t[1] + b[i + 1] * t[2] + b[i + 2] * t[3] + a[i + 3] * t[0]
                                  : b[i] * t[2] + b[i + 1] * t[3] + a[i + 2] * t[0] + a[i + 3] * t[1];
    low[i / 4] += static_cast<uint32_t>(first);
    high[i / 4] += static_cast<uint32_t>(second);
  }
  set_pair(core, operation, vector_of(low), vector_of(high));
}

void reduce_halves_saturated(CoreState& core, const Operation& operation) {
  const auto u = lanes_of<int16_t>(vector(core, operation, 1)), v = lanes_of<int16_t>(vector(core, operation, 2));
  auto x = lanes_of<int32_t>(vector(core, operation, 0));
  for (size_t i = 0; i < x.size(); ++i) {
    const int64_t sum = int64_t{u[2 * i]} * v[2 * i] + int64_t{u[2 * i + 1]} * v[2 * i + 1];
    x[i] = saturated<int32_t>(x[i] + sum);
  }
  vector(core, operation, 0) = vector_of(x);
}

/// Even lanes of vu and vv go to the lower vector of the pair, odd ones to the upper, twice as wide.
template <typename U, typename V, typename Wide, bool accumulates, auto function>
void widen(CoreState& core, const Operation& operation) {
  const auto u = lanes_of<U>(vector(core, operation, 1));
  const auto v = lanes_of<V>(vector(core, operation, 2));
  Lanes<Wide> low{}, high{};
  if constexpr (accumulates) {
    low = lanes_of<Wide>(vector(core, operation, 0));
    high = lanes_of<Wide>(upper(core, operation, 0));
  }
  for (size_t i = 0; i < low.size(); ++i) {
    low[i] = static_cast<Wide>(low[i] + static_cast<Wide>(function(u[2 * i], v[2 * i])));
    high[i] = static_cast<Wide>(high[i] + static_cast<Wide>(function(u[2 * i + 1], v[2 * i + 1])));
  }
  set_pair(core, operation, vector_of(low), vector_of(high));
}
constexpr auto kProduct = [](auto u, auto v) { return u * v; };
constexpr auto kSum = [](auto u, auto v) { return u + v; };
constexpr auto kDifference = [](auto u, auto v) { return u - v; };

template <auto function>
void halves(CoreState& core, const Operation& operation) {
  const auto u = lanes_of<int16_t>(vector(core, operation, 1)), v = lanes_of<int16_t>(vector(core, operation, 2));
  Lanes<int16_t> d;
  for (size_t i = 0; i < d.size(); ++i) d[i] = function(int32_t{u[i]}, int32_t{v[i]});
  vector(core, operation, 0) = vector_of(d);
}
constexpr auto kLowHalf = [](int32_t u, int32_t v) { return static_cast<int16_t>(u * v); };
constexpr auto kRoundedHigh = [](int32_t u, int32_t v) {
  return saturated<int16_t>((2 * int64_t{u} * v + 0x8000) >> 16);
};

void high_of_even(CoreState& core, const Operation& operation) {
  const auto u = lanes_of<int32_t>(vector(core, operation, 1));
  const auto v = lanes_of<uint16_t>(vector(core, operation, 2));
  Lanes<int32_t> d;
  for (size_t i = 0; i < d.size(); ++i) d[i] = static_cast<int32_t>((int64_t{u[i]} * v[2 * i]) >> 16);
  vector(core, operation, 0) = vector_of(d);
}

void add_high_of_odd(CoreState& core, const Operation& operation) {
  const auto u = lanes_of<int32_t>(vector(core, operation, 1));
  const auto v = lanes_of<int16_t>(vector(core, operation, 2));
  auto x = lanes_of<int32_t>(vector(core, operation, 0));
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] = saturated<int32_t>((((x[i] + int64_t{u[i]} * v[2 * i + 1]) >> 14) + 1) >> 1);
  }
  vector(core, operation, 0) = vector_of(x);
}

/// Products of 48 bits in two words: the upper vector their upper 32 bits, the lower one the rest, shifted up.
void wide_of_even(CoreState& core, const Operation& operation) {
  const auto u = lanes_of<int32_t>(vector(core, operation, 1));
  const auto v = lanes_of<uint16_t>(vector(core, operation, 2));
  Lanes<uint32_t> low, high;
  for (size_t i = 0; i < low.size(); ++i) {
    const int64_t product = int64_t{u[i]} * v[2 * i];
    low[i] = static_cast<uint32_t>(product) << 16;
    high[i] = static_cast<uint32_t>(product >> 16);
  }
  set_pair(core, operation, vector_of(low), vector_of(high));
}

/// The other half of such products: then the pair holds 64 bits of them.
void add_wide_of_odd(CoreState& core, const Operation& operation) {
  const auto u = lanes_of<int32_t>(vector(core, operation, 1));
  const auto v = lanes_of<int16_t>(vector(core, operation, 2));
  auto low = lanes_of<uint32_t>(vector(core, operation, 0));
  auto high = lanes_of<int32_t>(upper(core, operation, 0));
  for (size_t i = 0; i < low.size(); ++i) {
    const int64_t sum = high[i] + int64_t{u[i]} * v[2 * i + 1];
    low[i] = low[i] >> 16 | static_cast<uint32_t>(sum) << 16;
    high[i] = static_cast<int32_t>(sum >> 16);
  }
  set_pair(core, operation, vector_of(low), vector_of(high));
}

/// Three taps, the last of them 1.
void three_taps(CoreState& core, const Operation& operation) {
  const auto a = lanes_of<uint8_t>(vector(core, operation, 1)), b = lanes_of<uint8_t>(upper(core, operation, 1));
  const auto t = bytes_of<int8_t>(scalar(core, operation, 2));
  auto low = lanes_of<uint16_t>(vector(core, operation, 0)), high = lanes_of<uint16_t>(upper(core, operation, 0));
  for (size_t i = 0; i < low.size(); ++i) {
    const int8_t first = t[i % 2 * 2], second = t[i % 2 * 2 + 1];
    low[i] = static_cast<uint16_t>(low[i] + a[2 * i] * first + a[2 * i + 1] * second + b[2 * i]);
    high[i] = static_cast<uint16_t>(high[i] + a[2 * i + 1] * first + b[2 * i] * second + b[2 * i + 1]);
  }
  set_pair(core, operation, vector_of(low), vector_of(high));
}

constexpr std::array kValues{
    Value{kVrmpyubAcc, reduce_by_scalar<uint8_t, uint8_t, true>},
    Value{kVrmpybusAcc, reduce_by_scalar<uint8_t, int8_t, true>},
    Value{kVrmpybus, reduce_by_scalar<uint8_t, int8_t, false>},
    Value{kVrmpybusvAcc, reduce_by_vector<uint8_t, int8_t>},
    Value{kVrmpybvAcc, reduce_by_vector<int8_t, int8_t>},
    Value{kVrmpyubvAcc, reduce_by_vector<uint8_t, uint8_t>},
    Value{kVrmpybusiAcc, reduce_sliding},
    Value{kVdmpyhvsatAcc, reduce_halves_saturated},
    Value{kVmpybusv, widen<uint8_t, int8_t, uint16_t, false, kProduct>},
    Value{kVmpybv, widen<int8_t, int8_t, uint16_t, false, kProduct>},
    Value{kVmpybusvAcc, widen<uint8_t, int8_t, uint16_t, true, kProduct>},
    Value{kVmpyhv, widen<int16_t, int16_t, uint32_t, false, kProduct>},
    Value{kVmpyhvAcc, widen<int16_t, int16_t, uint32_t, true, kProduct>},
    Value{kVmpyih, halves<kLowHalf>},
    Value{kVmpyhvsrs, halves<kRoundedHigh>},
    Value{kVmpyewuh, high_of_even},
    Value{kVmpyowhRndSacc, add_high_of_odd},
    Value{kVmpyewuh64, wide_of_even},
    Value{kVmpyowh64Acc, add_wide_of_odd},
    Value{kVtmpybusAcc, three_taps},
    Value{kVaddubh, widen<uint8_t, uint8_t, uint16_t, false, kSum>},
    Value{kVaddhw, widen<int16_t, int16_t, uint32_t, false, kSum>},
    Value{kVsububh, widen<uint8_t, uint8_t, uint16_t, false, kDifference>},
};

}  // namespace

std::span<const Value> product_values() { return kValues; }

}  // namespace covenant::sim::vliw
