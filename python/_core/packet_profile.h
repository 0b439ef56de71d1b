/// Converts packet profiles and performance counters for Python.
#pragma once

#include <pybind11/pybind11.h>
#include <vector>

#include "sim/run/event_count.h"
#include "sim/run/packet_profile.h"

namespace covenant::python {

/// A list of dictionaries: the fields of covenant.PacketProfile.
inline pybind11::list to_python(const std::vector<sim::PacketProfile>& profile) {
  using namespace pybind11::literals;  // pybind11's own idiom for keyword arguments
  pybind11::list list;
  for (const sim::PacketProfile& packet : profile) {
    const acg::PacketStalls& stalls = packet.stalls;
    const pybind11::dict causes("registers"_a = stalls.registers, "queue"_a = stalls.queue,
                                "branches"_a = stalls.branches, "vector_registers"_a = stalls.vector_registers,
                                "vector_loads"_a = stalls.vector_loads, "turn"_a = stalls.turn,
                                "vector_units"_a = stalls.vector_units);
    list.append(pybind11::dict("address"_a = packet.address, "text"_a = packet.text, "executed"_a = packet.executed,
                               "waited"_a = stalls.all(), "cycles"_a = packet.cycles, "stalls"_a = causes));
  }
  return list;
}

/// Counts by the names of their events.
inline pybind11::dict to_python(const std::vector<sim::EventCount>& counts) {
  pybind11::dict events;
  for (const sim::EventCount& event : counts) events[pybind11::str(event.name)] = event.count;
  return events;
}

}  // namespace covenant::python
