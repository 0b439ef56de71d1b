/// Timing requirements of a packet: the stages in which it reads and writes registers, and its memory accesses.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "acg/base/check.h"
#include "acg/isa/vliw/operation_stages.h"
#include "acg/isa/vliw/packet.h"
#include "sim/vliw/micro_operation.h"

namespace covenant::sim::vliw {

/// Registers of all files, counted through.
inline constexpr size_t kRegisterCount = 32 + 32 + 4 + 4 + 32;

struct StageUse {
  uint8_t index = 0;  ///< number of a register, counted through all files
  uint8_t stage = 0;
};

/// A few of them, where the packet is.
class StageUses {
 public:
  void push_back(const StageUse& use) {
    check(count_ < uses_.size(), "more registers than a packet can name");
    uses_[count_++] = use;
  }
  operator std::span<const StageUse>() const { return {uses_.data(), count_}; }  // NOLINT(google-explicit-constructor)

 private:
  std::array<StageUse, 8 * kMostSlots - 1> uses_{};
  uint16_t count_ = 0;
};

struct TimedAccess {
  bool is_store = false;
  bool is_vector = false;
  bool is_masked = false;  ///< may leave bytes as they are
  StageUses loaded{};      ///< registers that wait for it
};

/// The scalar side issues a packet; the vector side takes its part out of a queue.
struct PacketTiming {
  bool has_vector_part = false;
  StageUses scalar_reads, scalar_writes;  ///< writes: but those of loads
  StageUses vector_reads, vector_writes;
  /// Scalar registers that the vector part writes; the stage is the latency that their operation states.
  StageUses extracted;
  std::vector<TimedAccess> accesses;  ///< in the order of execution: vector loads first
  bool is_prefetch = false;
  bool reads_cycles = false;  ///< the counter of cycles, by name
};

/// Uses the stage marks of the machine's mnemonics. A value from the same packet (`.new`, `.cur`, `.tmp`) is not a
/// read.
class PacketTimer {
 public:
  explicit PacketTimer(const acg::Machine& machine) : stages_(machine) {}
  PacketTiming timing_of(const acg::Packet& packet) const;

 private:
  void add(const acg::Packet& packet, size_t at, PacketTiming& timing) const;

  acg::StageTable stages_;
};

}  // namespace covenant::sim::vliw
