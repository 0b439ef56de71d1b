// Implements loads and stores of vectors. Aligned accesses ignore the lowest seven bits of the address.
#include <cstring>

#include "sim/vliw/memory_access.h"
#include "sim/vliw/values.h"

namespace covenant::sim::vliw {
namespace {

using enum acg::VliwOperation;
using Operation = MicroOperation;

constexpr uint32_t kVector = kVectorBytes;

uint32_t then_modify(CoreState& core, const Operation& operation, size_t base) {
  const uint32_t address = scalar(core, operation, base);
  const auto modifier = static_cast<size_t>(acg::kFirstModifier) + static_cast<size_t>(operation.operands[base + 1]);
  scalar(core, operation, base) += core.registers.controls[modifier];
  return address;
}

void load_vector(CoreState& core, uint32_t address, Vector& to) {
  std::memcpy(to.bytes.data(), touched(core, address, kVector), kVector);
}
void store_vector(CoreState& core, uint32_t address, const Vector& from) {
  std::memcpy(touched(core, address, kVector), from.bytes.data(), kVector);
}
uint32_t aligned(uint32_t address) { return address & ~(kVector - 1); }

void load_at_offset(CoreState& core, const Operation& operation) {
  load_vector(core, aligned(with_offset(core, operation, 1, kVector)), vector(core, operation, 0));
}
void load_unaligned(CoreState& core, const Operation& operation) {
  load_vector(core, with_offset(core, operation, 1, kVector), vector(core, operation, 0));
}
void load_unaligned_then_step(CoreState& core, const Operation& operation) {
  load_vector(core, then_step(core, operation, 1, kVector), vector(core, operation, 0));
}
void load_then_step(CoreState& core, const Operation& operation) {
  load_vector(core, aligned(then_step(core, operation, 1, kVector)), vector(core, operation, 0));
}
void load_then_modify(CoreState& core, const Operation& operation) {
  load_vector(core, aligned(then_modify(core, operation, 1)), vector(core, operation, 0));
}

void store_at_offset(CoreState& core, const Operation& operation) {
  store_vector(core, aligned(with_offset(core, operation, 0, kVector)), vector(core, operation, 2));
}
void store_unaligned(CoreState& core, const Operation& operation) {
  store_vector(core, with_offset(core, operation, 0, kVector), vector(core, operation, 2));
}
void store_unaligned_then_step(CoreState& core, const Operation& operation) {
  store_vector(core, then_step(core, operation, 0, kVector), vector(core, operation, 2));
}
void store_then_step(CoreState& core, const Operation& operation) {
  store_vector(core, aligned(then_step(core, operation, 0, kVector)), vector(core, operation, 2));
}
void store_where(CoreState& core, const Operation& operation) {
  const Vector& where = core.registers.vector_predicates[static_cast<size_t>(operation.operands[0])];
  const Vector& from = vector(core, operation, 3);
  uint8_t* const to = touched(core, aligned(with_offset(core, operation, 1, kVector)), kVector);
  for (size_t i = 0; i < kVectorBytes; ++i) to[i] = where.bytes[i] != 0 ? from.bytes[i] : to[i];
}

constexpr std::array kValues{
    Value{kVl32bAi, load_at_offset},
    Value{kVl32bCurAi, load_at_offset},
    Value{kVl32bTmpAi, load_at_offset},
    Value{kVl32bPi, load_then_step},
    Value{kVl32bCurPi, load_then_step},
    Value{kVl32bTmpPi, load_then_step},
    Value{kVl32bPpu, load_then_modify},
    Value{kVl32ubAi, load_unaligned},
    Value{kVl32ubPi, load_unaligned_then_step},
    Value{kVs32bNewAi, store_at_offset},
    Value{kVs32bAi, store_at_offset},
    Value{kVs32bPi, store_then_step},
    Value{kVs32bNewPi, store_then_step},
    Value{kVs32bQpredAi, store_where},
    Value{kVs32ubAi, store_unaligned},
    Value{kVs32ubPi, store_unaligned_then_step},
};

}  // namespace

std::span<const Value> memory_values() { return kValues; }

}  // namespace covenant::sim::vliw
