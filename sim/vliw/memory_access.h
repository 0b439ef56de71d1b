/// Address computation of loads and stores, and the bytes that they touch.
#pragma once

#include "sim/vliw/operand_access.h"

namespace covenant::sim::vliw {

inline uint8_t* touched(CoreState& core, uint32_t address, uint32_t bytes) {
  core.touched[core.touches++] = {address, bytes};
  return core.memory.at(address, bytes);
}

/// Addressing modes: return the address of an access and update its address register.
inline uint32_t with_offset(CoreState& core, const MicroOperation& operation, size_t base, int32_t unit) {
  return scalar(core, operation, base) + static_cast<uint32_t>(operation.operands[base + 1] * unit);
}
inline uint32_t then_step(CoreState& core, const MicroOperation& operation, size_t base, int32_t unit) {
  const uint32_t address = scalar(core, operation, base);
  scalar(core, operation, base) += static_cast<uint32_t>(operation.operands[base + 1] * unit);
  return address;
}
/// An access that its predicate has switched off.
inline void touch_nothing(CoreState& core) { core.touched[core.touches++] = {}; }

}  // namespace covenant::sim::vliw
