/// Converts performance counters for Python.
#pragma once

#include <pybind11/pybind11.h>
#include <vector>

#include "sim/run/event_count.h"

namespace covenant::python {

/// Counts by the names of their events.
inline pybind11::dict to_python(const std::vector<sim::EventCount>& counts) {
  pybind11::dict events;
  for (const sim::EventCount& event : counts) events[pybind11::str(event.name)] = event.count;
  return events;
}

}  // namespace covenant::python
