/// The context in which a unit executes one command, and the timing that it returns.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "acg/graph/graph.h"
#include "sim/stream/common/memory_image.h"
#include "sim/stream/common/region.h"
#include "sim/stream/common/tally.h"

namespace covenant::sim {

class ValueQueue;

/// Cycles of one command, as the unit pages define them, and the digest of its writes.
struct CommandTiming {
  uint64_t occupancy = 1;     ///< from its issue to the arrival of the next word
  uint64_t retire_after = 1;  ///< from its issue to its retire cycle
  uint64_t port_cycles = 0;   ///< beats or steps; 0: uses no port
  uint64_t digest = 0;
  uint64_t port_wait = 0;   ///< cycles from its issue to its first port cycle, and
  uint64_t port_stall = 0;  ///< all cycles that it waited for a shared bus: part of occupancy, not of port_cycles
};

/// Everything in here outlives the command; references only.
struct CommandContext {
  const acg::Machine& machine;
  MemoryImage& image;
  ValueQueue* values = nullptr;  ///< takes the arithmetic; null: cycles alone
  bool keeps = false;            ///< the unit keeps what it moves, for its caller to read
  bool digests = false;          ///< compute CommandTiming::digest (needs values, computed at once)
  uint64_t cycle_budget = 0;     ///< cycles from the issue of this command to the limit of the run
  std::span<const uint32_t>
      pointers;                   ///< this engine's buffer of channel (memory, slot), at memory * kMaxChannels + slot
  std::vector<Access>& accesses;  ///< the unit appends what the command touches
  Tally& tally;                   ///< the unit adds its counts here

  /// Byte at which the engine's current buffer of a channel starts.
  uint64_t buffer_start(uint32_t memory, uint32_t slot) const {
    return pointers[memory * acg::kMaxChannels + slot] * machine.memories[memory].buffer_bytes();
  }
};

/// Fault SIM0060 if a command of `cycles` cycles would pass the limit of the run; called before any work is done.
void require_cycles(uint64_t cycles, const CommandContext& context);

/// One loop of a nest: `count` iterations, the address advancing by `stride` units.
struct NestLevel {
  uint32_t count = 1;
  int64_t stride = 0;
};

/// Places the addresses `start + sum of index * stride` (32 bits, wrapping) of `bytes` bytes each within one buffer.
/// Returns the region in bytes of the memory. Fault: SIM0030 (an address is past the end of the buffer).
///
/// Exact although only the corners of the nest are checked: no step between corners is longer than the buffer, so a
/// walk that leaves the buffer is detected before it could wrap around to a valid address.
Region place_in_buffer(const CommandContext& context, uint32_t memory, uint32_t slot, uint32_t start,
                       std::span<const NestLevel> nest, uint64_t bytes, std::string_view operand);

}  // namespace covenant::sim
