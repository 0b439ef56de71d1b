/// A bus shared by several transfer engines (docs/reference/units/dma.md, "Shared buses").
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace covenant::compiler::stream {

class Bus {
 public:
  /// Requests the bus: from `cycle` on, `engine` wants to move `beats` > 0 beats, `burst` > 0 at a time. Engines of a
  /// bus take turns in the order of their numbers.
  void ask(size_t engine, uint64_t cycle, uint64_t beats, uint64_t burst);

  size_t open() const;  ///< number of unfinished transfers
  /// The cycle of the next burst, unless another request comes before it.
  std::optional<uint64_t> next() const;

  struct Done {
    size_t engine = 0;
    uint64_t end = 0;  ///< the cycle after the last beat
  };
  /// Grants the next burst, or all remaining bursts if `alone`, that is, if no other request will come before them.
  /// Returns the transfer if it is finished then. Precondition: next().
  std::optional<Done> give(bool alone);

 private:
  struct Transfer {
    size_t engine = 0;
    uint64_t cycle = 0;  ///< cycle in which it requests its next burst
    uint64_t beats = 0;  ///< remaining beats
    uint64_t burst = 0;  ///< beats of each burst except the last
  };
  std::vector<Transfer> transfers_;  ///< by engine, for all that have ever requested the bus
  size_t last_ = SIZE_MAX;           ///< engine that had the bus last; at first none
  uint64_t free_ = 0;                ///< first cycle after the current burst
};

}  // namespace covenant::compiler::stream
