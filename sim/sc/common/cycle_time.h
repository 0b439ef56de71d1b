/// Converts between cycles of a machine and time of the kernel.
#pragma once

#include <cstdint>
#include <systemc>

namespace covenant::sim::sc {

/// Cycle c is at `origin + c * period`.
struct CycleTime {
  sc_core::sc_time period;
  sc_core::sc_time origin{};

  sc_core::sc_time at(uint64_t cycle) const { return origin + sc_core::sc_time::from_value(cycle * period.value()); }
  /// From now to `cycle`; nothing if that has passed.
  sc_core::sc_time until(uint64_t cycle) const {
    const sc_core::sc_time then = at(cycle);
    const sc_core::sc_time& now = sc_core::sc_time_stamp();
    return then > now ? then - now : sc_core::SC_ZERO_TIME;
  }
  /// The cycle that it is: memories answer between the beginnings of cycles, too.
  uint64_t now() const {
    const sc_core::sc_time& time = sc_core::sc_time_stamp();
    return time <= origin ? 0 : (time - origin).value() / period.value();
  }
  /// The first cycle that does not begin before `time`.
  uint64_t cycle_from(const sc_core::sc_time& time) const {
    if (time <= origin) return 0;
    return ((time - origin).value() + period.value() - 1) / period.value();
  }
};

}  // namespace covenant::sim::sc
