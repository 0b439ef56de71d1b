#include "tests/property/acg/random_graph.h"

#include <algorithm>
#include <set>
#include <string>

#include "acg/graph/queries.h"

namespace covenant::acg::testing {
namespace {

constexpr int64_t kAnything = int64_t{1} << 62;

class GraphMaker {
 public:
  explicit GraphMaker(RandomSource& random) : random_(random) {}

  Machine run() {
    machine_.name = word("machine");
    for (int64_t i = below(4); i > 0; --i) machine_.parameters[word("p")] = random_.between(-kAnything, kAnything);
    if (below(3) == 0) machine_.preset = quoted();
    machine_.clock_hertz = static_cast<double>(random_.between(1, 4'000'000'000)) / (below(2) == 0 ? 1 : 3) + 1;
    machine_.opcode_bits = static_cast<uint32_t>(random_.between(1, 16));
    for (int64_t i = below(3); i > 0; --i) {
      machine_.dtypes.push_back({unique("f"), static_cast<uint32_t>(random_.between(1, 1024))});
    }
    for (int64_t i = random_.between(1, 6); i > 0; --i) memory();
    for (int64_t i = below(5); i > 0; --i) compute();
    for (Compute& node : machine_.computes) feed(node.name);
    for (int64_t i = below(8); i > 0; --i) try_edge(any_node(), any_node());
    return std::move(machine_);
  }

 private:
  int64_t below(int64_t count) { return random_.between(0, count - 1); }
  uint32_t small(int64_t lowest, int64_t highest) { return static_cast<uint32_t>(random_.between(lowest, highest)); }

  std::string word(const std::string& start) {
    std::string result = start;
    for (int64_t i = below(4); i > 0; --i) result += "_aZ09xQe"[below(8)];
    return result;
  }
  std::string unique(const std::string& start) { return word(start) + "_" + std::to_string(next_++); }
  std::string quoted() {
    std::string result = "p";
    for (int64_t i = below(6); i > 0; --i) {
      const char letter = static_cast<char>(random_.between(' ', '~'));
      if (letter != '"') result += letter;
    }
    return result;
  }
  /// 0 in half of all cases; numbers with many digits, tiny ones and huge ones.
  double energy() {
    static constexpr double kScales[] = {1e-9, 1e-3, 1, 1e6};
    if (below(2) == 0) return 0;
    return static_cast<double>(random_.between(0, 1'000'000)) / 7 * kScales[below(4)];
  }
  std::vector<Port> ports() {
    std::vector<Port> result;
    for (int64_t i = below(3); i > 0; --i) {
      result.push_back({unique("port"), static_cast<PortDirection>(below(3)), small(0, 512)});
    }
    return result;
  }
  /// Sometimes inside of a node that is there already.
  std::string node_name(const std::string& start) {
    std::string name = unique(start);
    const size_t count = machine_.memories.size() + machine_.computes.size();
    if (count == 0 || below(3) != 0) return name;
    const std::string outer = name_of(machine_, any_node()) + "." + name;
    return std::count(outer.begin(), outer.end(), '.') < 5 ? outer : name;
  }
  NodeId any_node() {
    const auto memories = static_cast<int64_t>(machine_.memories.size());
    const int64_t index = below(memories + static_cast<int64_t>(machine_.computes.size()));
    if (index < memories) return MemoryId{static_cast<uint32_t>(index)};
    return ComputeId{static_cast<uint32_t>(index - memories)};
  }

  void memory() {
    static constexpr MemoryKind kKinds[] = {MemoryKind::kScratchpad, MemoryKind::kRegisterFile, MemoryKind::kCache,
                                            MemoryKind::kOffchip, MemoryKind::kImmediate};
    Memory memory;
    memory.name = node_name("MEM");
    memory.kind = kKinds[below(5)];
    const bool is_single = memory.kind == MemoryKind::kOffchip || memory.kind == MemoryKind::kImmediate;
    if (is_single && !singles_.insert(memory.kind).second) memory.kind = MemoryKind::kScratchpad;
    memory.data_width = 8 * small(1, 64);
    memory.banks = small(1, 9);
    memory.depth = small(1, 4096);
    if (memory.kind == MemoryKind::kScratchpad) memory.buffers = small(1, 4);
    if (memory.kind == MemoryKind::kCache) memory.latency = small(1, 500);
    if (below(3) == 0) memory.granularity = 8;
    if (below(6) == 0) {
      memory.data_width = uint32_t{1} << below(3);
      memory.banks *= 8 / memory.data_width;
      memory.granularity = 0;
    }
    if (memory.kind == MemoryKind::kOffchip) {
      memory.data_width = 8;
      memory.banks = 1;
      memory.latency = small(1, 500);
    } else if (memory.kind == MemoryKind::kImmediate) {
      memory.data_width = 32;
      memory.banks = 1;
      memory.depth = 32;
    }
    memory.accesses = small(1, 4);
    memory.read_energy = energy();
    memory.write_energy = energy();
    memory.ports = ports();
    machine_.memories.push_back(std::move(memory));
  }

  CapabilityOperand operand() {
    CapabilityOperand operand;
    const int64_t kind = below(13);
    operand.dtype = static_cast<DType>(kind);
    if (operand.dtype == DType::kFixed) operand.format = {small(1, 32), small(0, 32), ""};
    if (operand.dtype == DType::kNamed && machine_.dtypes.empty()) operand.dtype = DType::kI4;
    if (operand.dtype == DType::kNamed) {
      operand.format.name =
          machine_.dtypes[static_cast<size_t>(below(static_cast<int64_t>(machine_.dtypes.size())))].name;
    }
    for (int64_t i = below(4); i > 0; --i) operand.shape.push_back(static_cast<uint64_t>(random_.between(1, 1000)));
    return operand;
  }

  void compute() {
    Compute compute;
    compute.name = node_name("UNIT");
    compute.unit = UnitKind::kDescribed;
    compute.trigger = static_cast<Trigger>(below(2));
    for (int64_t i = below(3); i > 0; --i) {
      Attribute value = random_.between(0, kAnything);
      if (below(2) == 0) value = unique("Word");
      compute.attributes[unique("attribute")] = value;
    }
    for (int64_t i = below(4); i > 0; --i) {
      Capability capability{word("DO"), operand(), {}, small(1, 1000), small(1, 1000), energy()};
      for (int64_t j = random_.between(1, 3); j > 0; --j) capability.inputs.push_back(operand());
      compute.capabilities.push_back(std::move(capability));
    }
    compute.ports = ports();
    machine_.computes.push_back(std::move(compute));
  }

  /// A memory that may be beside a compute node.
  void feed(const std::string& name) {
    const NodeId node = find_compute(machine_, name).value();
    for (uint32_t i = 0; i < machine_.memories.size(); ++i) {
      if (machine_.memories[i].kind == MemoryKind::kOffchip) continue;
      return try_edge(MemoryId{i}, node);
    }
    Memory memory;
    memory.name = unique("FEED");
    machine_.memories.push_back(memory);
    try_edge(find_memory(machine_, memory.name).value(), node);
  }

  bool is_kind(NodeId node, MemoryKind kind) {
    const auto* memory = std::get_if<MemoryId>(&node);
    return memory != nullptr && get(machine_, *memory).kind == kind;
  }

  std::string port_for(NodeId node, PortDirection direction) {
    for (const Port& port : ports_of(machine_, node)) {
      if ((port.direction == direction || port.direction == PortDirection::kBoth) && below(2) == 0) return port.name;
    }
    return "";
  }

  /// Adds the edge if the rules allow it.
  void try_edge(NodeId from, NodeId to) {
    const bool two_units = std::holds_alternative<ComputeId>(from) && std::holds_alternative<ComputeId>(to);
    const bool has_offchip = is_kind(from, MemoryKind::kOffchip) || is_kind(to, MemoryKind::kOffchip);
    const bool has_transfers = is_kind(from, MemoryKind::kScratchpad) && is_kind(to, MemoryKind::kScratchpad);
    const bool has_unit = std::holds_alternative<ComputeId>(from) || std::holds_alternative<ComputeId>(to);
    const bool has_immediate = is_kind(from, MemoryKind::kImmediate) || is_kind(to, MemoryKind::kImmediate);
    if (from == to || two_units || edge_between(machine_, from, to)) return;
    if (has_offchip && (has_unit || has_immediate)) return;
    Edge edge{from, to, 8 * small(has_offchip || has_transfers ? 1 : 0, 100), {}, "", "", 0, 0, ""};
    edge.from_port = port_for(from, PortDirection::kOut);
    edge.to_port = port_for(to, PortDirection::kIn);
    if (below(2) == 0) edge.latency = small(0, 1000);
    edge.energy = energy();
    if (below(3) == 0) edge.bus = "bus" + std::to_string(below(2));
    if (below(3) == 0) edge.burst = small(1, 65536);
    machine_.edges.push_back(std::move(edge));
  }

  RandomSource& random_;
  Machine machine_;
  std::set<MemoryKind> singles_;
  int next_ = 0;
};

}  // namespace

Machine random_graph(RandomSource& random) { return GraphMaker(random).run(); }

}  // namespace covenant::acg::testing
