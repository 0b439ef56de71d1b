/// What each packet of a run has cost, and which packets of a run are looked at one by one.
#pragma once

#include <cstdint>
#include <string>

#include "acg/isa/packet_record.h"

namespace covenant::sim {

/// In all executions of one packet. Without cycles only how many they are.
struct PacketProfile {
  uint32_t address = 0;
  std::string text;
  uint64_t executed = 0;  ///< times
  /// From where it could issue to where the next one could: `executed` intervals and `stalls.issuing()`. Those of all
  /// packets add up to the cycles of the run, but for what is still to retire after the last one.
  uint64_t cycles = 0;
  acg::PacketStalls stalls;
  bool operator==(const PacketProfile&) const = default;
};

/// Packets by how many have been executed before; both ends are of it.
struct PacketRange {
  uint64_t first = 0;
  uint64_t last = UINT64_MAX;
  bool contains(uint64_t packet) const { return first <= packet && packet <= last; }
  bool operator==(const PacketRange&) const = default;
};

}  // namespace covenant::sim
