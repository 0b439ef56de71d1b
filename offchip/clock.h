/// Converts between cycles of a machine and picoseconds.
#pragma once

#include <cstdint>

namespace covenant::offchip {

/// The clock of the requester. Cycle c is at time c * period.
struct Clock {
  uint64_t period = 1000;  ///< picoseconds

  /// The clock of a machine of that frequency, rounded to the nearest picosecond, at least one.
  static Clock of_frequency(double hertz) {
    const double period = 1e12 / hertz;
    return {period < 1.5 ? uint64_t{1} : static_cast<uint64_t>(period + 0.5)};
  }
  uint64_t time_of(uint64_t cycle) const { return cycle * period; }
  /// The first cycle that is not before `time`.
  uint64_t cycle_from(uint64_t time) const { return (time + period - 1) / period; }
};

}  // namespace covenant::offchip
