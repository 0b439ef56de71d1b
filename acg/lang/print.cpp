#include "acg/lang/print.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "acg/graph/element_types.h"
#include "acg/graph/queries.h"
#include "acg/graph/words.h"
#include "acg/lang/print_mnemonic.h"

namespace covenant::acg {
namespace {

std::string clock_text(double hertz) {
  const double gigahertz = hertz / 1e9;
  if (hertz >= 1e9 && gigahertz * 1e9 == hertz) return fmt::format("{} GHz", gigahertz);
  return fmt::format("{} Hz", hertz);
}

/// A decimal that reads back as the same number: always with a point, as the lexer requires.
std::string real(double value) {
  std::string text = fmt::format("{}", value);
  const size_t exponent = text.find('e');
  if (text.find('.') == std::string::npos) text.insert(std::min(exponent, text.size()), ".0");
  return text;
}

/// ` name = value;`, or empty for the default.
std::string optional_text(std::string_view name, double value) {
  return value == 0 ? "" : fmt::format(" {} = {};", name, real(value));
}

std::string ports_text(const std::vector<Port>& ports) {
  std::string text;
  for (const Port& port : ports) {
    text += fmt::format(" port {} {}", port.name, name_in(kPortDirections, port.direction));
    text += port.width == 0 ? ";" : fmt::format(" {{ width = {}; }}", port.width);
  }
  return text;
}

std::string memory_text(const Memory& memory) {
  std::string text =
      fmt::format("  memory {} {{ kind = {}; data_width = {}; banks = {}; depth = {}; buffers = {}; latency = {};",
                  memory.name, name_in(kMemoryKinds, memory.kind), memory.data_width, memory.banks, memory.depth,
                  memory.buffers, memory.latency);
  if (memory.granularity != 0) text += fmt::format(" granularity = {};", memory.granularity);
  if (memory.channels != kChannelSlots) text += fmt::format(" channels = {};", memory.channels);
  if (memory.accesses != 1) text += fmt::format(" accesses = {};", memory.accesses);
  text += optional_text("read_energy", memory.read_energy) + optional_text("write_energy", memory.write_energy);
  return text + ports_text(memory.ports) + " }\n";
}

std::string operand_text(const CapabilityOperand& operand) {
  std::string text = "(" + element_type_text(operand);
  for (uint64_t size : operand.shape) text += fmt::format(",{}", size);
  return text + ")";
}

std::string compute_text(const Compute& compute) {
  std::string text = fmt::format("  compute {} {{\n    unit = {};\n", compute.name, name_of(compute.unit));
  if (compute.trigger != Trigger::kMnemonic) {
    text += fmt::format("    trigger = {};\n", name_in(kTriggers, compute.trigger));
  }
  if (!compute.ports.empty()) text += "   " + ports_text(compute.ports) + "\n";
  for (const auto& [name, value] : compute.attributes) {
    const auto* integer = std::get_if<int64_t>(&value);
    text += fmt::format("    {} = {};\n", name,
                        integer != nullptr ? fmt::format("{}", *integer) : std::get<std::string>(value));
  }
  for (const Capability& capability : compute.capabilities) {
    std::vector<std::string> inputs;
    for (const CapabilityOperand& input : capability.inputs) inputs.push_back(operand_text(input));
    text += fmt::format("    {} = {}({}) {{ latency = {};", operand_text(capability.output), capability.name,
                        fmt::join(inputs, ","), capability.latency);
    if (capability.occupancy != 1) text += fmt::format(" occupancy = {};", capability.occupancy);
    text += optional_text("energy", capability.energy) + " }\n";
  }
  return text + "  }\n";
}

std::string end_text(const Machine& machine, NodeId node, const std::string& port) {
  return port.empty() ? name_of(machine, node) : name_of(machine, node) + "." + port;
}

std::string edge_text(const Machine& machine, const Edge& edge) {
  std::string inside;
  if (edge.bandwidth != 0) inside += fmt::format(" bandwidth = {};", edge.bandwidth);
  if (edge.latency != 0) inside += fmt::format(" latency = {};", edge.latency);
  inside += optional_text("energy", edge.energy);
  if (!edge.bus.empty()) inside += fmt::format(" bus = {};", edge.bus);
  if (edge.burst != kBurstBeats) inside += fmt::format(" burst = {};", edge.burst);
  return fmt::format("  edge {} -> {}{}\n", end_text(machine, edge.from, edge.from_port),
                     end_text(machine, edge.to, edge.to_port), inside.empty() ? ";" : " {" + inside + " }");
}

}  // namespace

std::string print(const Machine& machine) {
  std::string text = fmt::format("acg {} {{\n", machine.name);
  for (const auto& [name, value] : machine.parameters) text += fmt::format("  param {} = {};\n", name, value);
  if (!machine.preset.empty()) text += fmt::format("  preset \"{0}\" {{}}\n  preset = \"{0}\";\n", machine.preset);
  text += fmt::format("  clock = {};\n", clock_text(machine.clock_hertz));
  text += fmt::format("  word = {};\n  opcode = {};\n", machine.word_bits, machine.opcode_bits);
  text += lang::packet_text(machine.packet) + "\n";
  for (const NamedDType& dtype : machine.dtypes)
    text += fmt::format("  dtype {} {{ bits = {}; }}\n", dtype.name, dtype.bits);
  for (const Memory& memory : machine.memories) text += memory_text(memory);
  if (!machine.computes.empty()) text += '\n';
  for (const Compute& compute : machine.computes) text += compute_text(compute);
  if (!machine.edges.empty()) text += '\n';
  for (const Edge& edge : machine.edges) text += edge_text(machine, edge);
  if (!machine.mnemonics.empty()) text += '\n';
  for (const Mnemonic& mnemonic : machine.mnemonics) text += lang::mnemonic_text(mnemonic, machine.packet);
  return text + "}\n";
}

}  // namespace covenant::acg
