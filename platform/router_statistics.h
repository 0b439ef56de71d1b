/// Statistics of a router.
#pragma once

#include <cstdint>
#include <systemc>
#include <vector>

#include "offchip/statistics.h"

namespace covenant::sc {

/// Counts transactions within a region; refused ones are counted only by `refused`.
struct RouterStatistics {
  struct Initiator {
    uint64_t transactions = 0;
    uint64_t bytes = 0;
    uint64_t requested_beats = 0;
    uint64_t granted_beats = 0;  ///< at the end equal to the requested ones
    uint64_t waits = 0;          ///< transactions that had to wait for their path
    sc_core::sc_time waited{};   ///< in total
    uint64_t refused = 0;
  };
  struct Target {
    uint64_t transactions = 0;
    uint64_t bytes = 0;
    sc_core::sc_time busy{};  ///< time for which its path was held
  };
  std::vector<Initiator> initiators{};  ///< in the order of their bindings
  std::vector<Target> targets{};        ///< in the order of the regions
};

}  // namespace covenant::sc
