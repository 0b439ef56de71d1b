/// A selection of the commands of a run.
#pragma once

#include <cstdint>

namespace covenant::sim {

/// Commands by how many have been executed before; both ends are of it.
struct CommandRange {
  uint64_t first = 0;
  uint64_t last = UINT64_MAX;
  bool contains(uint64_t command) const { return first <= command && command <= last; }
  bool operator==(const CommandRange&) const = default;
};

}  // namespace covenant::sim
