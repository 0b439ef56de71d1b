/// The registers of one hardware context of a vliw_core.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "acg/operations/vliw_registers.h"

namespace covenant::sim::vliw {

inline constexpr size_t kVectorBytes = 128;

/// One vector register, the element of index 0 at the lowest address. A vector predicate is one, too: its bytes are 0
/// or 255.
struct alignas(kVectorBytes) Vector {
  std::array<uint8_t, kVectorBytes> bytes{};
  bool operator==(const Vector&) const = default;
};

/// A vector as integers of one type.
template <typename Element>
using Lanes = std::array<Element, kVectorBytes / sizeof(Element)>;

template <typename Element>
Lanes<Element> lanes_of(const Vector& vector) {
  return std::bit_cast<Lanes<Element>>(vector.bytes);
}
template <typename Element, size_t count>
Vector vector_of(const std::array<Element, count>& lanes) {
  static_assert(sizeof(lanes) == kVectorBytes);
  return {std::bit_cast<std::array<uint8_t, kVectorBytes>>(lanes)};
}

/// Registers of a file that instructions name, and after them some that only the model does: for values that live in
/// their packet alone, and for old values that a packet both reads and replaces.
inline constexpr size_t kNamed = 32, kNamedPredicates = 4, kHidden = 16;

struct Registers {
  std::array<Vector, kNamed + kHidden> vectors{};
  std::array<Vector, kNamedPredicates + kHidden> vector_predicates{};
  std::array<uint32_t, kNamed + kHidden> scalars{};
  std::array<uint8_t, kNamedPredicates + kHidden> predicates{};
  std::array<uint32_t, kNamed + kHidden> controls{};
};

}  // namespace covenant::sim::vliw
