/// Predicates as operands of micro-operations, and the relations that set them.
#pragma once

#include "sim/vliw/micro_operation.h"

namespace covenant::sim::vliw {

inline uint8_t& predicate_bits(CoreState& core, const MicroOperation& operation, size_t operand) {
  return core.registers.predicates[static_cast<size_t>(operation.operands[operand])];
}
/// True if the predicate of an operand allows execution. `sense`: if its bit 0 is set, otherwise if it is clear.
template <bool sense>
bool holds(CoreState& core, const MicroOperation& operation, size_t operand) {
  return ((predicate_bits(core, operation, operand) & 1) != 0) == sense;
}

constexpr uint8_t all_bits(bool is_true) { return is_true ? 0xff : 0; }
/// Operand 0 becomes these bits, or the AND with what another compare of the packet has written.
inline void write_predicate(CoreState& core, const MicroOperation& operation, uint8_t bits) {
  uint8_t& written = predicate_bits(core, operation, 0);
  written = operation.operands[kAndOperand] != 0 ? written & bits : bits;
}

inline bool greater(uint32_t left, uint32_t right) { return static_cast<int32_t>(left) > static_cast<int32_t>(right); }
inline bool greater_unsigned(uint32_t left, uint32_t right) { return left > right; }
inline bool equal(uint32_t left, uint32_t right) { return left == right; }

}  // namespace covenant::sim::vliw
