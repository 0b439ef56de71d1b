/// The resources that hardware contexts of a vliw_core share: issue turns, vector units, caches.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>

#include "acg/graph/graph.h"
#include "sim/vliw/memory_path.h"

namespace covenant::sim::vliw {

/// An attribute of the machine's cores, taken from the first one that has it.
uint64_t attribute_of(const acg::Machine& machine, const std::string& name, uint64_t otherwise);

/// Limits how many packets issue in one clock.
class IssueTurns {
 public:
  /// `contexts`: number of contexts that take turns; a single one has them all.
  IssueTurns(uint64_t width, uint64_t contexts) : width_(width), is_alone_(contexts == 1) {}
  /// The first clock from `wanted` on with a free place, which is then reserved. Calls come in ascending order of
  /// `wanted`, so that no earlier place is left over.
  uint64_t take(uint64_t wanted) { return is_alone_ ? wanted : take_shared(wanted); }
  /// Clocks in which more than one packet has issued.
  uint64_t shared_clocks() const { return shared_clocks_; }

 private:
  uint64_t take_shared(uint64_t wanted);

  uint64_t width_;
  bool is_alone_;
  uint64_t clock_ = 0;   ///< clock of the last packet
  uint64_t issued_ = 0;  ///< packets issued in it
  uint64_t shared_clocks_ = 0;
};

/// Each runs one vector part in an interval. A part holds a unit from the clock in which it runs, and takes none that
/// an earlier one will need.
class VectorUnits {
 public:
  /// `contexts`: that want them; each runs one part at a time.
  VectorUnits(uint64_t units, uint64_t contexts, uint64_t interval)
      : units_(units), interval_(interval), is_scarce_(contexts > units) {}
  /// The first clock from `wanted` on in which a unit is free for an interval; reserves it. `now`: no later call will
  /// ask for a clock before it.
  uint64_t take(uint64_t wanted, uint64_t now) { return is_scarce_ ? take_scarce(wanted, now) : wanted; }

 private:
  uint64_t take_scarce(uint64_t wanted, uint64_t now);
  bool is_free(uint64_t clock) const;

  uint64_t units_;
  uint64_t interval_;
  bool is_scarce_;
  std::deque<uint64_t> runs_;  ///< clocks in which parts run, in their order; those that are over by now are forgotten
};

struct SharedSide {
  /// `contexts`: that are in use. Fault as of MemoryPaths.
  SharedSide(const acg::Machine& machine, uint64_t contexts);

  MemoryPaths memory;
  IssueTurns turns;
  VectorUnits vector_units;
};

}  // namespace covenant::sim::vliw
