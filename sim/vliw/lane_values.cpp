// Implements operations that do the same to every lane of their vectors, and those that narrow lanes.
#include <algorithm>
#include <limits>

#include "sim/vliw/operand_access.h"
#include "sim/vliw/values.h"

namespace covenant::sim::vliw {
namespace {

using enum acg::VliwOperation;
using Operation = MicroOperation;

/// vd = function(vu, vv) by lanes. Numbers are computed in `int` or 64 bits and cut to the lane.
template <typename Element, auto function>
void by_lane(CoreState& core, const Operation& operation) {
  const auto u = lanes_of<Element>(vector(core, operation, 1));
  const auto v = lanes_of<Element>(vector(core, operation, 2));
  Lanes<Element> d;
  for (size_t i = 0; i < d.size(); ++i) d[i] = static_cast<Element>(function(u[i], v[i]));
  vector(core, operation, 0) = vector_of(d);
}

constexpr auto kSum = [](auto u, auto v) { return u + v; };
constexpr auto kDifference = [](auto u, auto v) { return u - v; };
constexpr auto kGreater = [](auto u, auto v) { return u > v ? u : v; };
constexpr auto kSmaller = [](auto u, auto v) { return u < v ? u : v; };
constexpr auto kXor = [](auto u, auto v) { return u ^ v; };
constexpr auto kAnd = [](auto u, auto v) { return u & v; };
constexpr auto kOr = [](auto u, auto v) { return u | v; };
constexpr auto kAverage = [](auto u, auto v) { return (u + v) >> 1; };
constexpr auto kRoundedAverage = [](auto u, auto v) { return (u + v + 1) >> 1; };
template <typename Element>
constexpr auto kSaturatedSum = [](auto u, auto v) { return saturated<Element>(u + v); };

/// vd.w = vu.w >> n or << n, n the same for all lanes.
template <auto function>
void shift_all(CoreState& core, const Operation& operation) {
  const auto u = lanes_of<uint32_t>(vector(core, operation, 1));
  const uint32_t by = scalar(core, operation, 2) & 31;
  Lanes<uint32_t> d;
  for (size_t i = 0; i < d.size(); ++i) d[i] = function(u[i], by);
  vector(core, operation, 0) = vector_of(d);
}
constexpr auto kShiftedRight = [](uint32_t u, uint32_t by) {
  return static_cast<uint32_t>(static_cast<int32_t>(u) >> by);
};
constexpr auto kShiftedLeft = [](uint32_t u, uint32_t by) { return u << by; };

/// Shifts every lane by a number of six bits, to the left if it is negative.
void shift_by_lane(CoreState& core, const Operation& operation) {
  const auto u = lanes_of<int32_t>(vector(core, operation, 1));
  const auto v = lanes_of<int32_t>(vector(core, operation, 2));
  Lanes<int32_t> d;
  for (size_t i = 0; i < d.size(); ++i) {
    const int32_t by = (v[i] & 63) - ((v[i] & 32) != 0 ? 64 : 0);
    const auto wide = int64_t{u[i]};
    d[i] = static_cast<int32_t>(by < 0 ? static_cast<int64_t>(static_cast<uint64_t>(wide) << -by) : wide >> by);
  }
  vector(core, operation, 0) = vector_of(d);
}

/// The lanes of vv become the even ones of vd, half as wide, those of vu the odd ones: shifted right, rounded half up
/// if `rounds`, saturated.
template <typename Wide, typename Narrow, bool rounds>
void narrow_shifted(CoreState& core, const Operation& operation) {
  const auto u = lanes_of<Wide>(vector(core, operation, 1));
  const auto v = lanes_of<Wide>(vector(core, operation, 2));
  constexpr uint32_t kMost = 8 * sizeof(Narrow) - 1;
  const uint32_t by = scalar(core, operation, 3) & kMost;
  const int64_t half = rounds && by > 0 ? int64_t{1} << (by - 1) : 0;
  Lanes<Narrow> d;
  for (size_t i = 0; i < u.size(); ++i) {
    d[2 * i] = saturated<Narrow>((v[i] + half) >> by);
    d[2 * i + 1] = saturated<Narrow>((u[i] + half) >> by);
  }
  vector(core, operation, 0) = vector_of(d);
}

/// The same without a shift.
template <typename Wide, typename Narrow>
void saturate(CoreState& core, const Operation& operation) {
  const auto u = lanes_of<Wide>(vector(core, operation, 1)), v = lanes_of<Wide>(vector(core, operation, 2));
  Lanes<Narrow> d;
  for (size_t i = 0; i < u.size(); ++i) {
    d[2 * i] = saturated<Narrow>(v[i]);
    d[2 * i + 1] = saturated<Narrow>(u[i]);
  }
  vector(core, operation, 0) = vector_of(d);
}

void compare_words(CoreState& core, const Operation& operation) {
  const auto u = lanes_of<int32_t>(vector(core, operation, 1));
  const auto v = lanes_of<int32_t>(vector(core, operation, 2));
  Lanes<int32_t> d;
  for (size_t i = 0; i < d.size(); ++i) d[i] = u[i] > v[i] ? -1 : 0;
  predicate(core, operation, 0) = vector_of(d);
}

void choose(CoreState& core, const Operation& operation) {
  const Vector& where = predicate(core, operation, 1);
  const Vector u = vector(core, operation, 2), v = vector(core, operation, 3);
  Vector& d = vector(core, operation, 0);
  for (size_t i = 0; i < kVectorBytes; ++i) d.bytes[i] = where.bytes[i] != 0 ? u.bytes[i] : v.bytes[i];
}

/// A sum that wraps is smaller than its operands.
void add_with_carry(CoreState& core, const Operation& operation) {
  const auto u = lanes_of<uint32_t>(vector(core, operation, 2)), v = lanes_of<uint32_t>(vector(core, operation, 3));
  Lanes<uint32_t> sums, carries;
  for (size_t i = 0; i < sums.size(); ++i) {
    sums[i] = u[i] + v[i];
    carries[i] = sums[i] < u[i] ? ~uint32_t{0} : 0;
  }
  vector(core, operation, 0) = vector_of(sums);
  predicate(core, operation, 1) = vector_of(carries);
}

/// Each byte of a sum under its own bit.
void add_where(CoreState& core, const Operation& operation) {
  const Vector& where = predicate(core, operation, 1);
  Vector& x = vector(core, operation, 0);
  const auto words = lanes_of<uint32_t>(x), u = lanes_of<uint32_t>(vector(core, operation, 2));
  Lanes<uint32_t> sums;
  for (size_t i = 0; i < sums.size(); ++i) sums[i] = words[i] + u[i];
  const Vector sum = vector_of(sums);
  for (size_t i = 0; i < kVectorBytes; ++i) x.bytes[i] = where.bytes[i] != 0 ? sum.bytes[i] : x.bytes[i];
}

void first_bytes(CoreState& core, const Operation& operation) {
  const uint32_t count = scalar(core, operation, 1) % kVectorBytes;
  Vector& d = predicate(core, operation, 0);
  for (size_t i = 0; i < kVectorBytes; ++i) d.bytes[i] = i < count ? 0xff : 0;
}

void copy(CoreState& core, const Operation& operation) { vector(core, operation, 0) = vector(core, operation, 1); }

void combine(CoreState& core, const Operation& operation) {
  const Vector high = vector(core, operation, 1), low = vector(core, operation, 2);
  set_pair(core, operation, low, high);
}

template <typename Element>
void splat(CoreState& core, const Operation& operation) {
  Lanes<Element> d;
  d.fill(static_cast<Element>(scalar(core, operation, 1)));
  vector(core, operation, 0) = vector_of(d);
}

void insert_word(CoreState& core, const Operation& operation) {
  auto x = lanes_of<uint32_t>(vector(core, operation, 0));
  x[0] = scalar(core, operation, 1);
  vector(core, operation, 0) = vector_of(x);
}

void extract_word(CoreState& core, const Operation& operation) {
  const auto u = lanes_of<uint32_t>(vector(core, operation, 1));
  const uint32_t byte = scalar(core, operation, 2) % kVectorBytes;
  core.registers.scalars[static_cast<size_t>(operation.operands[0])] = u[byte / 4];
}

constexpr std::array kValues{
    Value{kVaddw, by_lane<uint32_t, kSum>},
    Value{kVaddh, by_lane<uint16_t, kSum>},
    Value{kVaddb, by_lane<uint8_t, kSum>},
    Value{kVaddcarryo, add_with_carry},
    Value{kVaddwq, add_where},
    Value{kVaddhsat, by_lane<int16_t, kSaturatedSum<int16_t>>},
    Value{kVaddubsat, by_lane<uint8_t, kSaturatedSum<uint8_t>>},
    Value{kVaddbsat, by_lane<int8_t, kSaturatedSum<int8_t>>},
    Value{kVsubw, by_lane<uint32_t, kDifference>},
    Value{kVsubh, by_lane<uint16_t, kDifference>},
    Value{kVmaxh, by_lane<int16_t, kGreater>},
    Value{kVminh, by_lane<int16_t, kSmaller>},
    Value{kVsathub, saturate<int16_t, uint8_t>},
    Value{kVsatwh, saturate<int32_t, int16_t>},
    Value{kVavgub, by_lane<uint8_t, kAverage>},
    Value{kVavgubrnd, by_lane<uint8_t, kRoundedAverage>},
    Value{kVmaxub, by_lane<uint8_t, kGreater>},
    Value{kVminub, by_lane<uint8_t, kSmaller>},
    Value{kVmaxb, by_lane<int8_t, kGreater>},
    Value{kVminb, by_lane<int8_t, kSmaller>},
    Value{kVmaxw, by_lane<int32_t, kGreater>},
    Value{kVminw, by_lane<int32_t, kSmaller>},
    Value{kVxor, by_lane<uint32_t, kXor>},
    Value{kVand, by_lane<uint32_t, kAnd>},
    Value{kVor, by_lane<uint32_t, kOr>},
    Value{kVassign, copy},
    Value{kVcombine, combine},
    Value{kVgtw, compare_words},
    Value{kVmux, choose},
    Value{kPredScalar2, first_bytes},
    Value{kVasrw, shift_all<kShiftedRight>},
    Value{kVaslw, shift_all<kShiftedLeft>},
    Value{kVasrwv, shift_by_lane},
    Value{kVasrwhsat, narrow_shifted<int32_t, int16_t, false>},
    Value{kVasrwhrndsat, narrow_shifted<int32_t, int16_t, true>},
    Value{kVasrhubsat, narrow_shifted<int16_t, uint8_t, false>},
    Value{kVasrhubrndsat, narrow_shifted<int16_t, uint8_t, true>},
    Value{kVasrhbrndsat, narrow_shifted<int16_t, int8_t, true>},
    Value{kLvsplatw, splat<uint32_t>},
    Value{kLvsplath, splat<uint16_t>},
    Value{kLvsplatb, splat<uint8_t>},
    Value{kVinsertwr, insert_word},
    Value{kExtractw, extract_word},
};

}  // namespace

std::span<const Value> lane_values() { return kValues; }

}  // namespace covenant::sim::vliw
