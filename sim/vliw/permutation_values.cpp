// Implements operations that permute bytes or look them up.
#include <algorithm>
#include <utility>

#include "sim/vliw/operand_access.h"
#include "sim/vliw/values.h"

namespace covenant::sim::vliw {
namespace {

using enum acg::VliwOperation;
using Operation = MicroOperation;

constexpr size_t kLevels = 7;  // levels of a network over 128 bytes

/// The lanes of vv become the lower half of vd, half as wide, those of vu the upper half.
template <typename Wide, typename Narrow, auto function>
void pack(CoreState& core, const Operation& operation) {
  const auto u = lanes_of<Wide>(vector(core, operation, 1)), v = lanes_of<Wide>(vector(core, operation, 2));
  Lanes<Narrow> d;
  for (size_t i = 0; i < u.size(); ++i) {
    d[i] = function(v[i]);
    d[u.size() + i] = function(u[i]);
  }
  vector(core, operation, 0) = vector_of(d);
}
template <typename Narrow>
constexpr auto kSaturated = [](auto wide) { return saturated<Narrow>(wide); };
constexpr auto kLowByte = [](uint16_t wide) { return static_cast<uint8_t>(wide); };
constexpr auto kLowHalf = [](uint32_t wide) { return static_cast<uint16_t>(wide); };

void even_bytes(CoreState& core, const Operation& operation) {
  const Vector u = vector(core, operation, 1), v = vector(core, operation, 2);
  Vector& d = vector(core, operation, 0);
  for (size_t i = 0; i < kVectorBytes; i += 2) {
    d.bytes[i] = v.bytes[i];
    d.bytes[i + 1] = u.bytes[i];
  }
}

/// One level of the network of vshuff and vdeal: changes the places of bytes between the two vectors.
void change_places(Vector& low, Vector& high, size_t distance) {
  for (size_t j = 0; j < kVectorBytes; ++j) {
    if ((j & distance) == 0) std::swap(high.bytes[j], low.bytes[j + distance]);
  }
}

template <bool deals>
void shuffle_pair(CoreState& core, const Operation& operation) {
  Vector high = vector(core, operation, 1), low = vector(core, operation, 2);
  const uint32_t levels = scalar(core, operation, 3);
  for (size_t k = 0; k < kLevels; ++k) {
    const size_t distance = size_t{1} << (deals ? kLevels - 1 - k : k);
    if ((levels & distance) != 0) change_places(low, high, distance);
  }
  set_pair(core, operation, low, high);
}

void shuffle_bytes(CoreState& core, const Operation& operation) {
  const Vector u = vector(core, operation, 1);
  Vector& d = vector(core, operation, 0);
  for (size_t i = 0; i < kVectorBytes / 2; ++i) {
    d.bytes[2 * i] = u.bytes[i];
    d.bytes[2 * i + 1] = u.bytes[kVectorBytes / 2 + i];
  }
}

void deal_bytes(CoreState& core, const Operation& operation) {
  const Vector u = vector(core, operation, 1);
  Vector& d = vector(core, operation, 0);
  for (size_t i = 0; i < kVectorBytes / 2; ++i) {
    d.bytes[i] = u.bytes[2 * i];
    d.bytes[kVectorBytes / 2 + i] = u.bytes[2 * i + 1];
  }
}

void deal_bytes_of_words(CoreState& core, const Operation& operation) {
  const Vector u = vector(core, operation, 1), v = vector(core, operation, 2);
  Vector& d = vector(core, operation, 0);
  constexpr size_t kQuarter = kVectorBytes / 4;
  for (size_t i = 0; i < kQuarter; ++i) {
    d.bytes[i] = v.bytes[4 * i];
    d.bytes[kQuarter + i] = v.bytes[4 * i + 2];
    d.bytes[2 * kQuarter + i] = u.bytes[4 * i];
    d.bytes[3 * kQuarter + i] = u.bytes[4 * i + 2];
  }
}

void take_from_pair(CoreState& core, const Operation& operation, size_t first) {
  const Vector u = vector(core, operation, 1), v = vector(core, operation, 2);
  Vector& d = vector(core, operation, 0);
  std::copy(v.bytes.begin() + static_cast<std::ptrdiff_t>(first), v.bytes.end(), d.bytes.begin());
  std::copy_n(u.bytes.begin(), first, d.bytes.end() - static_cast<std::ptrdiff_t>(first));
}
void align_by_register(CoreState& core, const Operation& operation) {
  take_from_pair(core, operation, scalar(core, operation, 3) % kVectorBytes);
}
void align_by_value(CoreState& core, const Operation& operation) {
  take_from_pair(core, operation, static_cast<size_t>(operation.operands[3]));
}

void rotate(CoreState& core, const Operation& operation) {
  Vector u = vector(core, operation, 1);
  const auto by = static_cast<std::ptrdiff_t>(scalar(core, operation, 2) % kVectorBytes);
  std::rotate(u.bytes.begin(), u.bytes.begin() + by, u.bytes.end());
  vector(core, operation, 0) = u;
}

void delta_network(CoreState& core, const Operation& operation) {
  Vector d = vector(core, operation, 1);
  const Vector v = vector(core, operation, 2);
  for (size_t k = kLevels; k-- > 0;) {
    const Vector before = d;
    for (size_t j = 0; j < kVectorBytes; ++j) {
      d.bytes[j] = before.bytes[(v.bytes[j] >> k & 1) != 0 ? j ^ (size_t{1} << k) : j];
    }
  }
  vector(core, operation, 0) = d;
}

void unpack_in_order(CoreState& core, const Operation& operation) {
  const Vector u = vector(core, operation, 1);
  Lanes<uint16_t> low, high;
  for (size_t i = 0; i < low.size(); ++i) {
    low[i] = u.bytes[i];
    high[i] = u.bytes[low.size() + i];
  }
  set_pair(core, operation, vector_of(low), vector_of(high));
}

template <typename Byte, typename Half>
void extend(CoreState& core, const Operation& operation) {
  const auto u = lanes_of<Byte>(vector(core, operation, 1));
  Lanes<Half> even, odd;
  for (size_t i = 0; i < even.size(); ++i) {
    even[i] = u[2 * i];
    odd[i] = u[2 * i + 1];
  }
  set_pair(core, operation, vector_of(even), vector_of(odd));
}

/// The entries of a slice are in the halves of vv, two bytes each; the number of the slice selects which half and which
/// byte.
Vector found_in_slice(CoreState& core, const Operation& operation, uint32_t slice) {
  const Vector u = vector(core, operation, 1), v = vector(core, operation, 2);
  Vector found{};
  for (size_t i = 0; i < kVectorBytes; ++i) {
    const size_t entry = u.bytes[i] % 64U;
    found.bytes[i] = u.bytes[i] >> 5 == slice ? v.bytes[2 * entry + (slice >> 1 & 1)] : 0;
  }
  return found;
}
void look_up_by_register(CoreState& core, const Operation& operation) {
  vector(core, operation, 0) = found_in_slice(core, operation, scalar(core, operation, 3) & 7);
}
void look_up_by_value(CoreState& core, const Operation& operation) {
  vector(core, operation, 0) = found_in_slice(core, operation, static_cast<uint32_t>(operation.operands[3]));
}
void look_up_more(CoreState& core, const Operation& operation) {
  const Vector found = found_in_slice(core, operation, static_cast<uint32_t>(operation.operands[3]));
  Vector& x = vector(core, operation, 0);
  for (size_t i = 0; i < kVectorBytes; ++i) x.bytes[i] |= found.bytes[i];
}

constexpr std::array kValues{
    Value{kVpackwhSat, pack<int32_t, int16_t, kSaturated<int16_t>>},
    Value{kVpackhubSat, pack<int16_t, uint8_t, kSaturated<uint8_t>>},
    Value{kVpackhbSat, pack<int16_t, int8_t, kSaturated<int8_t>>},
    Value{kVpackeb, pack<uint16_t, uint8_t, kLowByte>},
    Value{kVpackeh, pack<uint32_t, uint16_t, kLowHalf>},
    Value{kVshuffeb, even_bytes},
    Value{kVshuffvdd, shuffle_pair<false>},
    Value{kVdealvdd, shuffle_pair<true>},
    Value{kVshuffb, shuffle_bytes},
    Value{kVdealb, deal_bytes},
    Value{kVdealb4w, deal_bytes_of_words},
    Value{kValignb, align_by_register},
    Value{kValignbi, align_by_value},
    Value{kVror, rotate},
    Value{kVdelta, delta_network},
    Value{kVunpackub, unpack_in_order},
    Value{kVzb, extend<uint8_t, uint16_t>},
    Value{kVsb, extend<int8_t, int16_t>},
    Value{kVlutvvb, look_up_by_register},
    Value{kVlutvvbi, look_up_by_value},
    Value{kVlutvvbOracci, look_up_more},
};

}  // namespace

std::span<const Value> permutation_values() { return kValues; }

}  // namespace covenant::sim::vliw
