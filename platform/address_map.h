/// The address map of a platform: where each target is, and how fast its path is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "acg/base/result.h"

namespace covenant::sc {

/// Addresses of one target, a memory or a window of registers, and the path to it: `beat_bytes` bytes each `beat_time`.
/// A path without a beat time has no limit, and nothing ever waits for it.
struct Region {
  std::string name;
  uint64_t base = 0;
  uint64_t bytes = 0;
  uint32_t beat_bytes = 4;
  sc_core::sc_time beat_time{};
  uint64_t target_base = 0;  ///< the target's own address of the first byte

  bool has_limit() const { return beat_time > sc_core::SC_ZERO_TIME; }
  uint64_t last() const { return base + (bytes - 1); }
  uint64_t beats_of(uint64_t length) const { return (length + beat_bytes - 1) / beat_bytes; }
  /// The target's own address. Precondition: the region contains `address`.
  uint64_t at_target(uint64_t address) const { return address - base + target_base; }
  /// The addresses of a region of the target that are seen here; nothing if none is.
  std::optional<std::pair<uint64_t, uint64_t>> seen(uint64_t first, uint64_t last) const;
};

/// Regions that do not overlap.
class AddressMap {
 public:
  /// Each region has a unique name, at least one byte, beats of at least one byte, and ends below 2^64 on either side
  /// (SIM0100); no two overlap (SIM0101).
  static Result<AddressMap> of(std::vector<Region> regions);

  const std::vector<Region>& regions() const { return regions_; }

  /// The region of an address, by its place in the list.
  std::optional<uint32_t> find(uint64_t address) const;

 private:
  std::vector<Region> regions_;
  std::vector<uint32_t> by_base_;  ///< places of the regions, in order of their addresses
};

}  // namespace covenant::sc
