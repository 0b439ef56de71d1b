// Loads and stores. Addresses of aligned vectors lose their lowest seven bits; scalars must be aligned.
#include <cstring>
#include <fmt/format.h>

#include "sim/units/fault.h"
#include "sim/units/vliw_core/operand_access.h"
#include "sim/units/vliw_core/values.h"

namespace covenant::sim::vliw {
namespace {

using enum acg::VliwOperation;
using Operation = MicroOperation;

constexpr uint32_t kVector = kVectorBytes;

uint8_t* touched(CoreState& core, uint32_t address, uint32_t bytes) {
  core.touched[core.touches++] = {address, bytes};
  return core.memory.at(address, bytes);
}

/// Where an access lies, and what it does to its address register afterwards.
uint32_t with_offset(CoreState& core, const Operation& operation, size_t base, int32_t unit) {
  return scalar(core, operation, base) + static_cast<uint32_t>(operation.operands[base + 1] * unit);
}
uint32_t then_step(CoreState& core, const Operation& operation, size_t base, int32_t unit) {
  const uint32_t address = scalar(core, operation, base);
  scalar(core, operation, base) += static_cast<uint32_t>(operation.operands[base + 1] * unit);
  return address;
}
uint32_t then_modify(CoreState& core, const Operation& operation, size_t base) {
  const uint32_t address = scalar(core, operation, base);
  const auto modifier = static_cast<size_t>(acg::kFirstModifier + operation.operands[base + 1]);
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
void store_then_step(CoreState& core, const Operation& operation) {
  store_vector(core, aligned(then_step(core, operation, 0, kVector)), vector(core, operation, 2));
}
void store_where(CoreState& core, const Operation& operation) {
  const Vector& where = core.registers.vector_predicates[static_cast<size_t>(operation.operands[0])];
  const Vector& from = vector(core, operation, 3);
  uint8_t* const to = touched(core, aligned(with_offset(core, operation, 1, kVector)), kVector);
  for (size_t i = 0; i < kVectorBytes; ++i) to[i] = where.bytes[i] != 0 ? from.bytes[i] : to[i];
}

void check_aligned(uint32_t address, uint32_t bytes) {
  if (address % bytes == 0) return;
  raise("SIM0082", fmt::format("an access to {} bytes that is not aligned to them", bytes),
        fmt::format("0x{:x}", address), {fmt::format("multiples of {}", bytes)},
        "align the address, or load smaller pieces");
}

/// A pair of registers holds the lower word in its lower register, as memory does.
template <typename Element>
void load_scalar(CoreState& core, uint32_t address, uint32_t* to) {
  check_aligned(address, sizeof(Element));
  Element element = 0;
  std::memcpy(&element, touched(core, address, sizeof(Element)), sizeof(Element));
  to[0] = static_cast<uint32_t>(element);
  if constexpr (sizeof(Element) == 8) to[1] = static_cast<uint32_t>(element >> 32);
}
template <typename Element>
void load_scalar_at_offset(CoreState& core, const Operation& operation) {
  load_scalar<Element>(core, with_offset(core, operation, 1, 1), &scalar(core, operation, 0));
}
template <typename Element>
void load_scalar_then_step(CoreState& core, const Operation& operation) {
  load_scalar<Element>(core, then_step(core, operation, 1, 1), &scalar(core, operation, 0));
}
template <size_t registers>
void store_scalar_at_offset(CoreState& core, const Operation& operation) {
  constexpr uint32_t kBytes = 4 * registers;
  const uint32_t address = with_offset(core, operation, 0, 1);
  check_aligned(address, kBytes);
  std::memcpy(touched(core, address, kBytes), &scalar(core, operation, 2), kBytes);
}

constexpr std::array kValues{
    Value{kVl32bAi, load_at_offset},
    Value{kVl32bPi, load_then_step},
    Value{kVl32bCurPi, load_then_step},
    Value{kVl32bTmpPi, load_then_step},
    Value{kVl32bPpu, load_then_modify},
    Value{kVl32ubAi, load_unaligned},
    Value{kVs32bAi, store_at_offset},
    Value{kVs32bPi, store_then_step},
    Value{kVs32bNewPi, store_then_step},
    Value{kVs32bQpredAi, store_where},
    Value{kVs32ubAi, store_unaligned},
    Value{kL2LoadriIo, load_scalar_at_offset<uint32_t>},
    Value{kL2LoadriPi, load_scalar_then_step<uint32_t>},
    Value{kL2LoadrdIo, load_scalar_at_offset<uint64_t>},
    Value{kL2LoadrdPi, load_scalar_then_step<uint64_t>},
    Value{kL2LoadrbPi, load_scalar_then_step<int8_t>},
    Value{kL2LoadrubPi, load_scalar_then_step<uint8_t>},
    Value{kS2StoreriIo, store_scalar_at_offset<1>},
    Value{kS2StorerdIo, store_scalar_at_offset<2>},
};

}  // namespace

std::span<const Value> memory_values() { return kValues; }

}  // namespace covenant::sim::vliw
