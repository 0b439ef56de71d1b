/// What a core has counted.
#pragma once

#include <cstdint>
#include <string>

namespace covenant::sim {

/// One number, by the name of the event of V66's performance monitor that it stands for, or one of our own where it has
/// none. Names and meanings: docs/reference/units/vliw_core.md.
struct EventCount {
  std::string name;
  uint64_t count = 0;
  bool operator==(const EventCount&) const = default;
};

}  // namespace covenant::sim
