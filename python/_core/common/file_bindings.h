/// Bindings that every kind of program file has: its state, the host's parts before and after the machine, its bytes.
#pragma once

#include <cstdint>
#include <pybind11/pybind11.h>
#include <span>
#include <string>
#include <vector>

#include "python/_core/common/tensor_object.h"

namespace covenant::python {

inline pybind11::bytes to_bytes(const std::vector<uint8_t>& data) {
  return {reinterpret_cast<const char*>(data.data()), data.size()};
}

inline std::span<const uint8_t> bytes_of(const std::string& data) {
  return {reinterpret_cast<const uint8_t*>(data.data()), data.size()};
}

/// `write`: the bytes of a file.
template <typename Program, typename Write>
void bind_file(pybind11::class_<Program>& bound, Write write) {
  bound.def_property_readonly("state", [](const Program& program) { return state_pairs(program.state); })
      .def_property_readonly("host_start", [](const Program& program) { return to_bytes(program.host_start); })
      .def_property_readonly("host_end", [](const Program& program) { return to_bytes(program.host_end); })
      .def("with_host",
           [](Program program, const std::string& start, const std::string& end) {
             program.host_start.assign(start.begin(), start.end());
             program.host_end.assign(end.begin(), end.end());
             return program;
           })
      .def("to_bytes", [write](const Program& program) { return to_bytes(write(program)); });
}

}  // namespace covenant::python
