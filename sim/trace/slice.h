/// A slice: one interval on an engine's track in a trace.
#pragma once

#include <cstdint>
#include <string>

namespace covenant::sim {

struct TraceSlice {
  uint32_t track = 0;  ///< place among the names of tracks
  uint32_t block = 0;
  uint64_t start = 0;     ///< cycle
  uint64_t duration = 0;  ///< cycles
  bool is_stall = false;
  std::string name;  ///< activity, or cause of the stall
};

}  // namespace covenant::sim
