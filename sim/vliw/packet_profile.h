/// Cycles of each packet of a run.
#pragma once

#include <cstdint>
#include <string>

#include "acg/isa/vliw/packet_record.h"

namespace covenant::sim {

/// Sums over all executions of one packet. Without cycles, only their number.
struct PacketProfile {
  uint32_t address = 0;
  std::string text;
  uint64_t executed = 0;  ///< times
  /// From the cycle in which it could issue to that in which the next one could: `executed` intervals and
  /// `stalls.issuing()`. The sum over all packets is the cycles of the run, except those in which the last ones retire.
  uint64_t cycles = 0;
  acg::PacketStalls stalls;
  bool operator==(const PacketProfile&) const = default;
};

}  // namespace covenant::sim
