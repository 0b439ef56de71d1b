/// The cost model's prediction for a schedule.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace covenant::compiler {

/// Predicted cycles of one engine, or of a bus that engines share, during a layer.
struct EngineCost {
  std::string name;      ///< "SA", "DRAM->IBUF"; a bus has its own name
  uint64_t work = 0;     ///< cycles in which it moves beats or takes steps
  uint64_t control = 0;  ///< cycles for its other words
  uint64_t stall = 0;    ///< cycles in which it waits for tokens or for its bus
  bool operator==(const EngineCost&) const = default;
};

struct Prediction {
  uint64_t cycles = 0;
  uint64_t fetch = 0;               ///< of these, cycles before the first words arrive: 0 if a layer runs before
  bool is_simulated = false;        ///< every tile was simulated; otherwise the cycles are only summed up
  std::vector<EngineCost> engines;  ///< engines with work, followed by the buses
  std::string limited_by;           ///< the engine or bus with the most work
  bool operator==(const Prediction&) const = default;
};

}  // namespace covenant::compiler
