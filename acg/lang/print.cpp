#include "acg/lang/print.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>

#include "acg/graph/queries.h"
#include "acg/graph/words.h"
#include "acg/lang/print_mnemonic.h"

namespace covenant::acg {
namespace {

/// The lowest number has no literal: its magnitude does not fit 63 bits.
std::string number(int64_t value) {
  if (value == std::numeric_limits<int64_t>::min()) return fmt::format("{} - 1", value + 1);
  return fmt::format("{}", value);
}

std::string clock_text(double hertz) {
  const double gigahertz = hertz / 1e9;
  if (hertz >= 1e9 && gigahertz * 1e9 == hertz) return fmt::format("{} GHz", gigahertz);
  return fmt::format("{} Hz", hertz);
}

std::string memory_text(const Memory& memory) {
  std::string text =
      fmt::format("  memory {} {{ kind = {}; data_width = {}; banks = {}; depth = {}; buffers = {}; latency = {};",
                  memory.name, name_in(kMemoryKinds, memory.kind), memory.data_width, memory.banks, memory.depth,
                  memory.buffers, memory.latency);
  if (memory.granularity != 0) text += fmt::format(" granularity = {};", memory.granularity);
  if (memory.channels != kChannelSlots) text += fmt::format(" channels = {};", memory.channels);
  return text + " }\n";
}

std::string operand_text(const CapabilityOperand& operand) {
  std::string text = fmt::format("({}", name(operand.dtype));
  for (uint64_t size : operand.shape) text += fmt::format(",{}", size);
  return text + ")";
}

std::string compute_text(const Compute& compute) {
  std::string text = fmt::format("  compute {} {{\n    unit = {};\n", compute.name, compute.unit);
  for (const auto& [name, value] : compute.attributes) {
    const auto* integer = std::get_if<int64_t>(&value);
    text += fmt::format("    {} = {};\n", name, integer != nullptr ? number(*integer) : std::get<std::string>(value));
  }
  for (const Capability& capability : compute.capabilities) {
    std::vector<std::string> inputs;
    for (const CapabilityOperand& input : capability.inputs) inputs.push_back(operand_text(input));
    text += fmt::format("    {} = {}({}) {{ latency = {}; }}\n", operand_text(capability.output), capability.name,
                        fmt::join(inputs, ","), capability.latency);
  }
  return text + "  }\n";
}

std::string edge_text(const Machine& machine, const Edge& edge) {
  std::string text = fmt::format("  edge {} -> {}", name_of(machine, edge.from), name_of(machine, edge.to));
  if (edge.bandwidth == 0) return text + ";\n";
  return text + fmt::format(" {{ bandwidth = {}; }}\n", edge.bandwidth);
}

}  // namespace

std::string print(const Machine& machine) {
  std::string text = fmt::format("acg {} {{\n", machine.name);
  for (const auto& [name, value] : machine.parameters) text += fmt::format("  param {} = {};\n", name, number(value));
  if (!machine.preset.empty()) text += fmt::format("  preset \"{0}\" {{}}\n  preset = \"{0}\";\n", machine.preset);
  text += fmt::format("  clock = {};\n", clock_text(machine.clock_hertz));
  text += fmt::format("  word = {};\n  opcode = {};\n", machine.word_bits, machine.opcode_bits);
  text += lang::packet_text(machine.packet) + "\n";
  for (const Memory& memory : machine.memories) text += memory_text(memory);
  if (!machine.computes.empty()) text += "\n";
  for (const Compute& compute : machine.computes) text += compute_text(compute);
  if (!machine.edges.empty()) text += "\n";
  for (const Edge& edge : machine.edges) text += edge_text(machine, edge);
  if (!machine.mnemonics.empty()) text += "\n";
  for (const Mnemonic& mnemonic : machine.mnemonics) text += lang::mnemonic_text(mnemonic, machine.packet);
  return text + "}\n";
}

}  // namespace covenant::acg
