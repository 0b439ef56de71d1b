/// A flow: an arrow of a trace.
#pragma once

#include <cstdint>
#include <string>

namespace covenant::sim {

/// From a command to another one that waited for its data, both in cycles in which they use their ports.
struct TraceFlow {
  uint32_t from_track = 0;
  uint64_t from = 0;
  uint32_t to_track = 0;
  uint64_t to = 0;
  std::string memory;  ///< memory of the data
};

}  // namespace covenant::sim
