/// Access to the registers and numbers that the operands of a micro-operation name.
#pragma once

#include <algorithm>
#include <limits>

#include "sim/vliw/micro_operation.h"

namespace covenant::sim::vliw {

inline Vector& vector(CoreState& core, const MicroOperation& operation, size_t operand) {
  return core.registers.vectors[static_cast<size_t>(operation.operands[operand])];
}
/// The upper vector of a pair.
inline Vector& upper(CoreState& core, const MicroOperation& operation, size_t operand) {
  return core.registers.vectors[static_cast<size_t>(operation.operands[operand]) + 1];
}
inline Vector& predicate(CoreState& core, const MicroOperation& operation, size_t operand) {
  return core.registers.vector_predicates[static_cast<size_t>(operation.operands[operand])];
}
inline uint32_t& scalar(CoreState& core, const MicroOperation& operation, size_t operand) {
  return core.registers.scalars[static_cast<size_t>(operation.operands[operand])];
}
/// A number, or an absolute target.
inline uint32_t number(const MicroOperation& operation, size_t operand) {
  return static_cast<uint32_t>(operation.operands[operand]);
}
/// A pair of scalar registers as one number, the lower word in the even register.
inline uint64_t wide(CoreState& core, const MicroOperation& operation, size_t operand) {
  const uint32_t* const pair = &scalar(core, operation, operand);
  return uint64_t{pair[1]} << 32 | pair[0];
}
inline void set_wide(CoreState& core, const MicroOperation& operation, size_t operand, uint64_t value) {
  uint32_t* const pair = &scalar(core, operation, operand);
  pair[0] = static_cast<uint32_t>(value);
  pair[1] = static_cast<uint32_t>(value >> 32);
}
/// The pair of vectors that operand 0 names.
inline void set_pair(CoreState& core, const MicroOperation& operation, const Vector& low, const Vector& high) {
  vector(core, operation, 0) = low;
  upper(core, operation, 0) = high;
}

/// The nearest number that an Element holds.
template <typename Element, typename Wide>
constexpr Element saturated(Wide wide) {
  constexpr auto kLowest = static_cast<Wide>(std::numeric_limits<Element>::min());
  constexpr auto kHighest = static_cast<Wide>(std::numeric_limits<Element>::max());
  return static_cast<Element>(std::clamp(wide, kLowest, kHighest));
}

}  // namespace covenant::sim::vliw
