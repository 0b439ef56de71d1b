/// The work of an engine within one block.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/stream/common/tally.h"

namespace covenant::sim {

/// The work of one engine in one block, in cycles.
struct EngineBlock {
  uint64_t start = 0;  ///< arrival of its first word
  uint64_t end = 0;    ///< when a next word would have arrived
  uint64_t last_retire = 0;
  uint64_t commands = 0;
  uint64_t busy = 0;             ///< port cycles
  uint64_t control = 0;          ///< cycles of words that use no port
  uint64_t drain = 0;            ///< occupied without using the port
  uint64_t bus_stall = 0;        ///< waiting for a shared bus
  uint64_t memory_stall = 0;     ///< cycles waiting for a place in the queue, on a bus of its own
  std::vector<uint64_t> stalls;  ///< waiting for a token, by counter
  Tally tally;
};

}  // namespace covenant::sim
