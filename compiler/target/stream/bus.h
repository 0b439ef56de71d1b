/// A bus that several transfer engines share (docs/reference/units/dma.md, "Shared buses").
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace covenant::compiler::stream {

class Bus {
 public:
  /// From `cycle` on, `engine` wants to move `beats` > 0 beats, `burst` > 0 of them at a time. Engines of a bus have
  /// their turns in the order of their numbers.
  void ask(size_t engine, uint64_t cycle, uint64_t beats, uint64_t burst);

  size_t open() const;  ///< transfers that are not through
  /// The cycle of the next burst, if nobody else asks before.
  std::optional<uint64_t> next() const;

  struct Done {
    size_t engine = 0;
    uint64_t end = 0;  ///< the cycle after the last beat
  };
  /// Gives the next burst, or all that are left if `alone`: nobody else will ask before. The transfer that is through
  /// then. Precondition: next().
  std::optional<Done> give(bool alone);

 private:
  struct Transfer {
    size_t engine = 0;
    uint64_t cycle = 0;  ///< in which it asks for its next burst
    uint64_t beats = 0;  ///< left
    uint64_t burst = 0;  ///< beats of each but the last burst
  };
  std::vector<Transfer> transfers_;  ///< one for each engine that has ever asked, by engine
  size_t last_ = SIZE_MAX;           ///< engine that had the bus last; at first: none
  uint64_t free_ = 0;                ///< first cycle in which no burst goes on
};

}  // namespace covenant::compiler::stream
