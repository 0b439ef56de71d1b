/// A performance counter of a core.
#pragma once

#include <cstdint>
#include <string>

namespace covenant::sim {

/// A count, under the name of the corresponding event of V66's performance monitor, or a name of our own if there is
/// none. Names and meanings: docs/reference/units/vliw_core.md.
struct EventCount {
  std::string name;
  uint64_t count = 0;
  bool operator==(const EventCount&) const = default;
};

}  // namespace covenant::sim
