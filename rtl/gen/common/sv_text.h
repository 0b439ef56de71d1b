/// Pieces of SystemVerilog that several parts of the generator write.
#pragma once

#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <vector>

#include "acg/graph/graph.h"

namespace covenant::rtl {

/// The range of a vector, be it of one bit.
std::string vector_of(uint64_t bits);
/// A declaration of a net.
std::string wire(uint64_t bits, const std::string& name);
/// Nets `<signal>_write_valid`, `_write_element`, `_write_data` and `_write_strobe` of a write port.
std::string write_wires(const std::string& signal, uint64_t bytes);
/// Nets `<signal>_read_valid`, `_read_element` and `_read_data` of a read port.
std::string read_wires(const std::string& signal, uint64_t bytes);
/// Connections of the ports that every unit has.
std::string unit_ports(const std::string& signal);

/// One number for each memory of the machine, the last one first.
template <typename Value>
std::string per_memory(const acg::Machine& machine, uint32_t bits, Value value) {
  std::string text = "{";
  for (size_t i = machine.memories.size(); i-- > 0;) {
    text += fmt::format("{}'d{}{}", bits, static_cast<uint64_t>(value(machine.memories[i])), i == 0 ? "}" : ", ");
  }
  return text;
}

/// A function of the package that is true for some operations, which are given by their full names.
std::string operation_class(std::string_view name, std::string_view comment, const std::vector<std::string>& members);

}  // namespace covenant::rtl
