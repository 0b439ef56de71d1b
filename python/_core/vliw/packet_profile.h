/// Converts packet profiles for Python.
#pragma once

#include <pybind11/pybind11.h>
#include <vector>

#include "sim/vliw/packet_profile.h"

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

}  // namespace covenant::python
