/// Rules that break sizes, widths, latencies and the clock.
#include <array>
#include <fmt/format.h>

#include "acg/graph/queries.h"
#include "acg/lang/print.h"
#include "fuzz/breaking.h"

namespace covenant::runtime::breaking {
namespace {

using acg::Machine;
using acg::Memory;
using acg::MemoryKind;

/// No number of a machine is one of these.
const std::vector<std::string>& absurd() {
  static const std::vector<std::string> values{"0", "0 - 1", "1000000000000", "0 - 9223372036854775807",
                                               "9223372036854775807"};
  return values;
}

std::string absurd_memory(Machine machine, Draw& draw) {
  const Memory memory = draw.of(machine.memories);
  const std::string name = draw.of(std::vector<std::string>{"data_width", "banks", "depth", "buffers", "latency"});
  return with_value(acg::print(machine), start_of(memory), name, draw.of(absurd()));
}

std::string absurd_unit(Machine machine, Draw& draw) {
  const acg::Compute& unit = a_compute(machine, draw);
  const std::vector<std::string> names = size_attributes(unit);
  const std::string name = names.size() == 1 ? names.front() : draw.of(names);
  return with_value(acg::print(machine), start_of(unit), name, draw.of(absurd()));
}

std::string absurd_bandwidth(Machine machine, Draw& draw) {
  std::vector<std::string> starts;
  for (const acg::Edge& edge : machine.edges) {
    if (edge.bandwidth == 0) continue;
    starts.push_back(
        fmt::format("  edge {} -> {} {{", acg::name_of(machine, edge.from), acg::name_of(machine, edge.to)));
  }
  return with_value(acg::print(machine), draw.of(starts), "bandwidth", draw.of(absurd()));
}

std::string absurd_word(Machine machine, Draw& draw) {
  const std::string name = draw.once_in(2) ? "word" : "opcode";
  return with_value(acg::print(machine), "  " + name, name, draw.of(absurd()));
}

/// Changes the first capability of a unit.
std::string absurd_cycles(Machine machine, Draw& draw) {
  const acg::Compute& unit = a_compute(machine, draw);
  return with_value(acg::print(machine), start_of(unit), "latency", draw.of(absurd()));
}

std::string absurd_clock(Machine machine, Draw& draw) {
  const std::string value = draw.of(std::vector<std::string>{"0 Hz", "0.25 Hz", "1000000000000 GHz"});
  return with_value(acg::print(machine), "  clock", "clock", value);
}

std::string word_width(Machine machine, Draw& draw) {
  machine.word_bits = draw.of(std::vector<uint32_t>{4, 12, 20, 30, 31, 33, 100, 1000});
  return acg::print(machine);
}

/// Lies in the word, and tells no more than 16 bits do.
std::string opcode_width(Machine machine, Draw& draw) {
  machine.opcode_bits = draw.of(std::vector<uint32_t>{17, 33, 1000});
  return acg::print(machine);
}

// ---- Memories

std::string channels(Machine machine, Draw& draw) {
  a_memory(machine, draw, MemoryKind::kScratchpad).channels = draw.of(std::vector<uint32_t>{3, 5, 6, 7, 12, 64});
  return acg::print(machine);
}

std::string buffers(Machine machine, Draw& draw) {
  if (draw.once_in(3)) {
    a_memory(machine, draw, MemoryKind::kOffchip).buffers = 2;
  } else if (draw.once_in(2)) {
    a_memory(machine, draw, MemoryKind::kInstruction).buffers = draw.once_in(2) ? 1 : 3;
  } else {
    a_memory(machine, draw, MemoryKind::kScratchpad).buffers = static_cast<uint32_t>(draw.between(17, 100));
  }
  return acg::print(machine);
}

std::string scratchpad_latency(Machine machine, Draw& draw) {
  a_memory(machine, draw, MemoryKind::kScratchpad).latency = static_cast<uint32_t>(draw.between(100'001, 200'000));
  return acg::print(machine);
}

std::string offchip_latency(Machine machine, Draw& draw) {
  a_memory(machine, draw, MemoryKind::kOffchip).latency = static_cast<uint32_t>(draw.between(100'001, 200'000));
  return acg::print(machine);
}

std::string granularity(Machine machine, Draw& draw) {
  Memory& memory = a_memory(machine, draw, MemoryKind::kScratchpad);
  memory.data_width = 32;
  memory.granularity = draw.of(std::vector<uint32_t>{5, 12, 24, 64});
  return acg::print(machine);
}

/// Neither whole bytes nor 1, 2 or 4 bits.
std::string data_width(Machine machine, Draw& draw) {
  Memory& memory = a_memory(machine, draw, MemoryKind::kScratchpad);
  memory.granularity = 0;
  memory.data_width = draw.of(std::vector<uint32_t>{3, 5, 7, 9, 12, 31, 33});
  return acg::print(machine);
}

std::string fixed_width(Machine machine, Draw& draw) {
  a_memory(machine, draw, draw.once_in(2) ? MemoryKind::kOffchip : MemoryKind::kImmediate).data_width = 16;
  return acg::print(machine);
}

/// Together more than scratchpads may have.
std::string too_deep(Machine machine, Draw& draw) {
  a_memory(machine, draw, MemoryKind::kScratchpad).depth = uint64_t{1} << 31;
  return acg::print(machine);
}

std::string instruction_depth(Machine machine, Draw& draw) {
  a_memory(machine, draw, MemoryKind::kInstruction).depth = static_cast<uint64_t>(draw.between(1 << 17, 1 << 30));
  return acg::print(machine);
}

/// An address selects more than one step of the node takes.
std::string role_step(Machine machine, Draw& draw) {
  const acg::Compute& node = a_compute_with_roles(machine, draw);
  const std::string name = draw.of(roles_of(machine));
  Memory& memory = machine.memories[acg::role(machine, node, name).value];
  memory.data_width = 8;
  memory.granularity = 0;
  memory.banks = 4 * size_of(node) + 1;
  return acg::print(machine);
}

/// An address selects more than a vector of a node without roles.
std::string vector_step(Machine machine, Draw& draw) {
  const std::vector<size_t> nodes = computes_without_roles(machine);
  std::vector<size_t> written;
  uint64_t most = 0;
  for (const acg::Edge& edge : machine.edges) {
    const auto* from = std::get_if<acg::ComputeId>(&edge.from);
    const auto* to = std::get_if<acg::MemoryId>(&edge.to);
    if (from == nullptr || to == nullptr || !is_among(nodes, from->value)) continue;
    written.push_back(to->value);
    most = std::max(most, size_of(machine.computes[from->value]));
  }
  Memory& memory = machine.memories[draw.of(written)];
  memory.data_width = 8;
  memory.granularity = 0;
  memory.banks = 4 * most + 1;
  return acg::print(machine);
}

/// One byte: no vector of a role that is read fits. Nodes take at least two elements at once.
std::string too_shallow(Machine machine, Draw& draw) {
  std::vector<std::string> read = roles_of(machine);
  read.pop_back();
  for (const size_t index : role_memories(machine, draw.of(read))) {
    Memory& memory = machine.memories[index];
    memory.data_width = 8;
    memory.granularity = 0;
    memory.banks = 1;
    memory.depth = 1;
  }
  return acg::print(machine);
}

std::string few_words(Machine machine, Draw& draw) {
  a_memory(machine, draw, MemoryKind::kInstruction).depth = static_cast<uint64_t>(draw.between(1, 4));
  return acg::print(machine);
}

/// Less than the words of a program.
std::string few_bytes(Machine machine, Draw& draw) {
  a_memory(machine, draw, MemoryKind::kOffchip).depth = static_cast<uint64_t>(draw.between(1, 64));
  return acg::print(machine);
}

std::string accesses(Machine machine, Draw& draw) {
  a_memory(machine, draw, MemoryKind::kScratchpad).accesses = draw.once_in(2) ? 0 : 2000;
  return acg::print(machine);
}

std::string memory_energy(Machine machine, Draw& draw) {
  a_memory(machine, draw, MemoryKind::kScratchpad).read_energy = 1e13;
  return acg::print(machine);
}

// ---- Edges and units

std::string burst(Machine machine, Draw& draw) {
  machine.edges[static_cast<size_t>(draw.between(0, static_cast<int64_t>(machine.edges.size()) - 1))].burst =
      draw.once_in(2) ? 0 : 100'000;
  return acg::print(machine);
}

std::string edge_latency(Machine machine, Draw& draw) {
  machine.edges[static_cast<size_t>(draw.between(0, static_cast<int64_t>(machine.edges.size()) - 1))].latency =
      static_cast<uint32_t>(draw.between(100'001, 1'000'000));
  return acg::print(machine);
}

/// A bandwidth that is not a whole number of bytes or of words.
std::string bandwidth_parts(Machine machine, Draw& draw) {
  std::vector<size_t> offchip;
  for (size_t i = 0; i < machine.edges.size(); ++i) {
    if (machine.edges[i].bandwidth > 0) offchip.push_back(i);
  }
  machine.edges[draw.of(offchip)].bandwidth += static_cast<uint32_t>(draw.between(1, 7));
  return acg::print(machine);
}

std::string occupancy(Machine machine, Draw& draw) {
  a_compute(machine, draw).capabilities[0].occupancy = draw.once_in(2) ? 0 : 1001;
  return acg::print(machine);
}

std::string empty_shape(Machine machine, Draw& draw) {
  a_compute_without_roles(machine, draw).capabilities[0].output.shape[0] = 0;
  return acg::print(machine);
}

std::string huge_shape(Machine machine, Draw& draw) {
  a_compute_without_roles(machine, draw).capabilities[0].output.shape = {uint64_t{1} << 31, uint64_t{1} << 31};
  return acg::print(machine);
}

constexpr std::array kNumberRules{
    Rule{"absurd size of a memory", absurd_memory},
    Rule{"absurd size of a unit", absurd_unit},
    Rule{"absurd bandwidth", absurd_bandwidth},
    Rule{"absurd width of words", absurd_word},
    Rule{"absurd cycles of a capability", absurd_cycles},
    Rule{"absurd clock", absurd_clock},
    Rule{"word of parts of bytes", word_width},
    Rule{"opcode too wide", opcode_width},
    Rule{"channels", channels},
    Rule{"buffers", buffers},
    Rule{"latency of a scratchpad", scratchpad_latency},
    Rule{"latency of off-chip memory", offchip_latency},
    Rule{"granularity", granularity},
    Rule{"data width", data_width},
    Rule{"data width that a kind has not", fixed_width},
    Rule{"scratchpads too large", too_deep},
    Rule{"too many words", instruction_depth},
    Rule{"step of a role", role_step},
    Rule{"vector of a node", vector_step},
    Rule{"scratchpad of one byte", too_shallow},
    Rule{"instruction memory of few words", few_words},
    Rule{"off-chip memory of few bytes", few_bytes},
    Rule{"accesses", accesses},
    Rule{"energy", memory_energy},
    Rule{"burst", burst},
    Rule{"latency of an edge", edge_latency},
    Rule{"parts of a byte in a cycle", bandwidth_parts},
    Rule{"occupancy", occupancy},
    Rule{"shape of nothing", empty_shape},
    Rule{"shape too large", huge_shape},
};

}  // namespace

std::span<const Rule> number_rules() { return kNumberRules; }

}  // namespace covenant::runtime::breaking
