/// What the cost model says of a schedule.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace covenant::compiler {

/// What one engine does during a layer, or a bus that engines share.
struct EngineCost {
  std::string name;      ///< "SA", "DRAM->IBUF"; of a bus its own
  uint64_t work = 0;     ///< cycles in which it moves beats or takes steps
  uint64_t control = 0;  ///< cycles for its other words
  uint64_t stall = 0;    ///< cycles in which it waits for tokens or for its bus
  bool operator==(const EngineCost&) const = default;
};

struct Prediction {
  uint64_t cycles = 0;
  uint64_t fetch = 0;               ///< of these, before the first words are there: none if a layer runs before
  bool is_simulated = false;        ///< every tile was simulated through; otherwise only summed up
  std::vector<EngineCost> engines;  ///< those with work, and after them the buses
  std::string limited_by;           ///< the engine or bus with the most work
  bool operator==(const Prediction&) const = default;
};

}  // namespace covenant::compiler
