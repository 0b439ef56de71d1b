/// Statistics of bursts and answers that every model keeps, and the order of answers.
#pragma once

#include <algorithm>
#include <cstdint>

#include "offchip/model.h"

namespace covenant::offchip {

inline void note_request(Statistics& statistics, const Burst& burst) {
  const bool is_first = std::all_of(statistics.ports.begin(), statistics.ports.end(),
                                    [](const PortStatistics& port) { return port.bursts == 0; });
  statistics.first = is_first ? burst.time : std::min(statistics.first, burst.time);
  ++statistics.ports[burst.port].bursts;
  statistics.ports[burst.port].bytes += burst.bytes;
}

inline void note_answer(Statistics& statistics, uint32_t port, uint64_t time, uint32_t bytes) {
  statistics.last = std::max(statistics.last, time);
  statistics.ports[port].answered += bytes;
}

/// Order of answers: by time, then by port; equal ones keep their order.
inline bool comes_before(const Answer& a, const Answer& b) {
  return a.time != b.time ? a.time < b.time : a.port < b.port;
}

}  // namespace covenant::offchip
