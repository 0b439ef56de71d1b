/// The times of a packet.
#pragma once

#include <cstdint>

namespace covenant::sim::vliw {

/// Cycles in which no packet issued, by cause.
struct WaitCycles {
  uint64_t scalar_registers = 0;  ///< a scalar register or predicate that is not there yet
  uint64_t queue = 0;             ///< the queue of the vector side is full
  uint64_t branches = 0;          ///< taken, or guessed wrong
  uint64_t turn = 0;              ///< packets of other contexts issued
  WaitCycles& operator+=(const WaitCycles& other) {
    scalar_registers += other.scalar_registers;
    queue += other.queue;
    branches += other.branches;
    turn += other.turn;
    return *this;
  }
  bool operator==(const WaitCycles&) const = default;
};
/// Cycles in which the vector side ran no packet although it had one, by cause.
struct VectorWaitCycles {
  uint64_t registers = 0;  ///< a vector register that is not there yet
  uint64_t loads = 0;      ///< data on the way from memory
  uint64_t units = 0;      ///< the vector units run parts of other contexts
  VectorWaitCycles& operator+=(const VectorWaitCycles& other) {
    registers += other.registers;
    loads += other.loads;
    units += other.units;
    return *this;
  }
  bool operator==(const VectorWaitCycles&) const = default;
};

struct PipelineCounts {
  uint64_t packets = 0;
  uint64_t vector_packets = 0;
  WaitCycles waits;
  VectorWaitCycles vector_waits;
  PipelineCounts& operator+=(const PipelineCounts& other) {
    packets += other.packets;
    vector_packets += other.vector_packets;
    waits += other.waits;
    vector_waits += other.vector_waits;
    return *this;
  }
  bool operator==(const PipelineCounts&) const = default;
};

/// The times of one packet.
struct PacketTimes {
  uint64_t issued = 0;
  uint64_t ran = 0;               ///< its vector part; without one as issued
  uint64_t retired = 0;           ///< everything that it writes is visible
  WaitCycles waits;               ///< before it issued; of branches after it
  VectorWaitCycles vector_waits;  ///< before its vector part ran
};

}  // namespace covenant::sim::vliw
