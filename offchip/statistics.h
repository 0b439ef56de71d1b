/// Statistics of an off-chip memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace covenant::offchip {

/// Bursts are what ports ask for; accesses are what the memory's own bus moves for them.
struct PortStatistics {
  uint64_t bursts = 0;
  uint64_t bytes = 0;     ///< requested bytes
  uint64_t answered = 0;  ///< bytes of the bursts that have an answer
  bool operator==(const PortStatistics&) const = default;
};

struct Statistics {
  uint64_t reads = 0;          ///< accesses
  uint64_t writes = 0;         ///< accesses
  uint64_t bytes_read = 0;     ///< over the memory's bus
  uint64_t bytes_written = 0;  ///< over the memory's bus
  uint64_t row_hits = 0;       ///< accesses whose row was open
  uint64_t row_misses = 0;     ///< accesses whose bank had no open row
  uint64_t row_conflicts = 0;  ///< accesses whose bank had another row open
  uint64_t activations = 0;    ///< rows that were opened; again if a refresh has closed one before its access
  uint64_t refreshes = 0;
  uint64_t busy = 0;   ///< picoseconds in which data moved, of all channels together
  uint64_t first = 0;  ///< time of the first burst
  uint64_t last = 0;   ///< time of the last answer
  std::vector<PortStatistics> ports{};
  bool operator==(const Statistics&) const = default;

  /// Average bandwidth between the first burst and the last answer; 0 if nothing was answered.
  double bandwidth_bytes_per_second() const {
    return last > first ? static_cast<double>(bytes_read + bytes_written) * 1e12 / static_cast<double>(last - first)
                        : 0;
  }
};

/// Something that a bank was busy with, for a picture: `track` counts banks of all channels, then channels' buses.
struct Slice {
  uint32_t track = 0;
  uint64_t start = 0;     ///< picoseconds
  uint64_t duration = 0;  ///< picoseconds
  std::string name;
};

/// All of them: the names of tracks, and slices of one track in the order of their starts.
struct Timeline {
  std::vector<std::string> tracks{};
  std::vector<Slice> slices{};
};

}  // namespace covenant::offchip
