/// Micro-operations: the instructions of a packet in execution order, each one step on registers and memory.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "acg/operations/operation.h"
#include "sim/vliw/address_space.h"
#include "sim/vliw/registers.h"

namespace covenant::sim::vliw {

/// Most slots of any machine's packet.
inline constexpr size_t kMostSlots = 8;

/// An access to memory.
struct Touch {
  uint32_t address = 0;
  uint32_t bytes = 0;
};

/// The block that a prefetch fetches: rows of `width` bytes, `stride` bytes apart.
struct Block {
  uint32_t address = 0;
  uint32_t height = 0, width = 0, stride = 0;
};

/// The state that a packet works on.
struct CoreState {
  Registers registers;
  AddressSpace memory;
  uint32_t following = 0;                   ///< address after the packet
  std::optional<uint32_t> taken;            ///< target of the first taken branch
  bool is_guessed_wrong = false;            ///< a conditional branch that was reached has gone the other way
  std::optional<int32_t> service;           ///< service requested by trap0
  std::array<Touch, kMostSlots> touched{};  ///< its accesses to memory, in the order in which they are done
  uint32_t touches = 0;
  Block prefetched;      ///< block of the last prefetch
  uint64_t packets = 0;  ///< executed before
  uint64_t cycles = 0;   ///< cycle in which all of those are done
};

/// Operands as the operation lists them; registers may be hidden ones, targets are absolute.
struct MicroOperation {
  using Execute = void (*)(CoreState&, const MicroOperation&);
  Execute execute = nullptr;
  std::array<int32_t, 5> operands{};
};

/// Means, as the last operand of a compare: the predicate becomes the AND with what another one has written.
inline constexpr size_t kAndOperand = 4;

/// The function that executes an operation; every VliwOperation has one.
MicroOperation::Execute execute_of(acg::VliwOperation operation);

}  // namespace covenant::sim::vliw
