#include "acg/lang/resolve.h"

#include <fmt/format.h>
#include <limits>
#include <map>
#include <set>
#include <string>

#include "acg/base/failure.h"
#include "acg/base/suggest.h"
#include "acg/graph/element_types.h"
#include "acg/graph/limits.h"
#include "acg/graph/queries.h"
#include "acg/graph/unit_info.h"
#include "acg/graph/words.h"
#include "acg/lang/attributes.h"
#include "acg/lang/evaluate.h"
#include "acg/lang/parameters.h"
#include "acg/lang/parser.h"
#include "acg/lang/resolve_mnemonic.h"

namespace covenant::acg::lang {
namespace {

constexpr uint64_t kAnyCount = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());

class Resolver {
 public:
  explicit Resolver(const MachineSpec& spec) : spec_(spec) {}

  Resolved run(std::string_view preset, const Settings& set) {
    ParameterValues parameters = parameter_values(spec_, preset, set);
    machine().name = spec_.name.text;
    machine().parameters = std::move(parameters.values);
    for (const std::string& option : parameters.unlisted) machine().parameters.erase(option);
    known_ = std::move(parameters.known);
    machine().preset = std::move(parameters.preset);
    note("machine", spec_.name.where);
    settings();
    const MachineSpec expanded = expand(spec_, known_);
    for (const DTypeSpec& said : expanded.dtypes) dtype(said);
    for (const MemorySpec& said : expanded.memories) memory(said);
    for (const ComputeSpec& said : expanded.computes) compute(said);
    for (Compute& node : machine().computes) find_roles(node);
    for (const EdgeSpec& said : expanded.edges) edge(said);
    if (expanded.packet) machine().packet = resolve_packet(*expanded.packet, known_, resolved_.places);
    for (const MnemonicSpec& said : expanded.mnemonics) {
      declare(mnemonics_, said.name, "mnemonic");
      machine().mnemonics.push_back(resolve_mnemonic(said, machine(), known_, resolved_.places));
    }
    return std::move(resolved_);
  }

 private:
  Machine& machine() { return resolved_.machine; }
  void note(const std::string& path, const SourceLocation& where) { resolved_.places[path] = where; }

  static void declare(std::set<std::string>& names, const Word& name, const std::string& what) {
    if (names.insert(name.text).second) return;
    throw Failure{
        {"ACG0004", name.where, what, "a name declared twice", name.text, {}, "give one of the two another name"}};
  }

  void settings() {
    if (spec_.clock) {
      machine().clock_hertz = spec_.clock->hertz;
      note("machine clock", spec_.clock->where);
    }
    const auto read = [&](const std::optional<AttributeSpec>& said, uint32_t& into, std::vector<std::string> allowed) {
      if (!said) return;
      into =
          static_cast<uint32_t>(count_of(said->value, known_, kAny32, std::move(allowed), "machine", said->name.text));
      note("machine " + said->name.text, said->value.where);
    };
    read(spec_.word, machine().word_bits, word_widths());
    read(spec_.opcode, machine().opcode_bits, {text_of(opcode_bits_limits(machine().word_bits))});
  }

  void dtype(const DTypeSpec& said) {
    const std::string path = "dtype " + said.name.text;
    declare(dtypes_, said.name, "dtype");
    if (said.name.text == "fixed" || element_type_of(machine(), said.name.text)) {
      throw Failure{{"ACG0004",
                     said.name.where,
                     "dtype",
                     "an element type that there is already",
                     said.name.text,
                     {},
                     "choose another name"}};
    }
    const AttributeReader reader(path, said.attributes, {"bits"}, known_, resolved_.places);
    note(path, said.name.where);
    machine().dtypes.push_back({said.name.text, reader.number32("bits", 0, {text_of(kElementBits)})});
  }

  std::vector<Port> ports(const std::vector<PortSpec>& said, const std::string& path) {
    std::set<std::string> names;
    std::vector<Port> result;
    for (const PortSpec& entry : said) {
      declare(names, entry.name, path);
      const std::string place = fmt::format("{} port {}", path, entry.name.text);
      note(place, entry.name.where);
      const AttributeReader reader(place, entry.attributes, {"width"}, known_, resolved_.places);
      Expression direction;
      direction.name = entry.direction.text;
      direction.where = entry.direction.where;
      result.push_back({entry.name.text, word_in(kPortDirections, direction, place, "direction of a port"),
                        reader.number32("width", 0, {text_of(kPortWidth)})});
    }
    return result;
  }

  void memory(const MemorySpec& said) {
    declare(nodes_, said.name, "memory");
    const AttributeReader reader("memory " + said.name.text, said.attributes,
                                 {"kind", "data_width", "banks", "depth", "buffers", "latency", "granularity",
                                  "accesses", "read_energy", "write_energy", "channels"},
                                 known_, resolved_.places);
    Memory memory;
    memory.name = said.name.text;
    memory.where = said.name.where;
    if (const Expression* kind = reader.word("kind"))
      memory.kind = word_in(kMemoryKinds, *kind, "memory " + said.name.text, "kind of memory");
    const auto allowed = [&](std::string_view name) {
      return std::vector<std::string>{text_of(limits_of(memory.kind, name))};
    };
    memory.data_width = reader.number32("data_width", memory.data_width, data_widths(memory.kind));
    memory.banks = reader.number("banks", memory.banks, kAnyCount, allowed("banks"));
    memory.depth = reader.number("depth", memory.depth, kAnyCount, allowed("depth"));
    memory.buffers = reader.number32("buffers", memory.buffers, allowed("buffers"));
    memory.latency = reader.number32("latency", memory.latency, allowed("latency"));
    memory.granularity = reader.number32("granularity", 0, granularities(memory.data_width));
    memory.accesses = reader.number32("accesses", memory.accesses, allowed("accesses"));
    memory.read_energy = reader.real("read_energy");
    memory.write_energy = reader.real("write_energy");
    memory.ports = ports(said.ports, "memory " + memory.name);
    memory.channels = reader.number32("channels", memory.channels, channel_counts());
    if (reader.find("granularity") != nullptr && memory.granularity == 0) {
      throw Failure{{"ACG0013", reader.find("granularity")->value.where, "memory " + memory.name,
                     "granularity is out of range", "0", granularities(memory.data_width),
                     "leave it out to address whole data_width"}};
    }
    machine().memories.push_back(std::move(memory));
  }

  void compute(const ComputeSpec& said) {
    declare(nodes_, said.name, "compute");
    const std::string path = "compute " + said.name.text;
    const UnitInfo& unit = unit_of(said);
    std::vector<std::string> allowed{"unit", "trigger"};
    for (const UnitAttribute& attribute : unit.attributes) allowed.emplace_back(attribute.name);
    if (unit.is_open) {
      for (const AttributeSpec& attribute : said.attributes) allowed.push_back(attribute.name.text);
    }
    const AttributeReader reader(path, said.attributes, allowed, known_, resolved_.places);
    Compute compute;
    compute.name = said.name.text;
    compute.where = said.name.where;
    compute.unit = unit.kind;
    if (const Expression* trigger = reader.word("trigger")) {
      compute.trigger = word_in(kTriggers, *trigger, path, "trigger");
    }
    compute.ports = ports(said.ports, path);
    compute.attributes = unit_attributes(said, unit, reader);
    for (size_t i = 0; i < said.capabilities.size(); ++i) {
      compute.capabilities.push_back(capability(said.capabilities[i], fmt::format("{} capability {}", path, i)));
    }
    machine().computes.push_back(std::move(compute));
  }

  std::map<std::string, Attribute> unit_attributes(const ComputeSpec& said, const UnitInfo& unit,
                                                   const AttributeReader& reader) {
    std::map<std::string, Attribute> result;
    for (const UnitAttribute& attribute : unit.attributes) {
      if (reader.find(attribute.name) == nullptr) continue;  // validate reports what is missing
      const std::string name(attribute.name);
      if (attribute.kind == AttributeKind::kInteger) {
        const Limits limits{static_cast<uint64_t>(attribute.lowest), static_cast<uint64_t>(attribute.highest)};
        const auto value = static_cast<int64_t>(reader.number(name, 0, kAnyCount, {text_of(limits)}));
        if (value != attribute.otherwise) result[name] = value;
      } else {
        result[name] = reader.word(name)->name;
      }
    }
    if (!unit.is_open) return result;
    for (const AttributeSpec& entry : said.attributes) {
      const std::string& name = entry.name.text;
      if (name == "unit" || name == "trigger" || result.contains(name)) continue;
      const bool is_word = entry.value.kind == ExpressionKind::kName && !known_.contains(entry.value.name);
      if (is_word) {
        result[name] = entry.value.name;
      } else {
        result[name] = static_cast<int64_t>(reader.number(name, 0, kAnyCount, {text_of({0, kAnyCount})}));
      }
    }
    return result;
  }

  /// Finds the memories in the roles of compute nodes. For inner nodes, inner memories come first.
  void find_roles(Compute& compute) {
    for (auto& [name, value] : compute.attributes) {
      auto* word = std::get_if<std::string>(&value);
      if (word == nullptr) continue;
      for (std::string scope = compute.name + "."; !scope.empty(); scope = outer(scope)) {
        if (!find_memory(machine(), scope + *word)) continue;
        *word = scope + *word;
        break;
      }
    }
  }

  /// The enclosing scope: "A.B." -> "A." -> "".
  static std::string outer(const std::string& scope) {
    const size_t dot = scope.size() < 2 ? std::string::npos : scope.rfind('.', scope.size() - 2);
    return dot == std::string::npos ? "" : scope.substr(0, dot + 1);
  }

  static const UnitInfo& unit_of(const ComputeSpec& said) {
    const std::vector<std::string> allowed = compute_unit_names();
    const std::string subject = "compute " + said.name.text;
    for (const AttributeSpec& attribute : said.attributes) {
      if (attribute.name.text != "unit") continue;
      if (const auto kind = compute_unit_named(attribute.value.name)) return *find_compute_unit(*kind);
      throw Failure{{"ACG0003", attribute.value.where, subject, "unknown unit kind", attribute.value.name, allowed,
                     suggest(attribute.value.name, allowed)}};
    }
    throw Failure{
        {"ACG0014", said.name.where, subject, "an attribute is missing", "unit", allowed, "say `unit = KIND;` first"}};
  }

  Capability capability(const CapabilitySpec& said, const std::string& path) {
    note(path, said.name.where);
    Capability capability;
    capability.name = said.name.text;
    capability.output = operand(said.output, path);
    for (const OperandSpec& input : said.inputs) capability.inputs.push_back(operand(input, path));
    const AttributeReader reader(path, said.attributes, {"latency", "occupancy", "energy"}, known_, resolved_.places);
    capability.latency = reader.number32("latency", 1, {text_of(kCapabilityCycles)});
    capability.occupancy = reader.number32("occupancy", 1, {text_of(kCapabilityCycles)});
    capability.energy = reader.real("energy");
    return capability;
  }

  CapabilityOperand operand(const OperandSpec& said, const std::string& path) {
    CapabilityOperand operand = said.dtype.text == "fixed" ? fixed(said, path) : plain(said, path);
    for (const Expression& size : said.shape) {
      operand.shape.push_back(count_of(size, known_, kAnyCount, {text_of(kShapeElements) + " in all"}, path, "a size"));
    }
    return operand;
  }

  CapabilityOperand plain(const OperandSpec& said, const std::string& path) {
    if (const std::optional<CapabilityOperand> known = element_type_of(machine(), said.dtype.text)) {
      if (said.format.empty()) return *known;
      throw Failure{{"ACG0043",
                     said.dtype.where,
                     path,
                     fmt::format("the element type {} takes no values", said.dtype.text),
                     fmt::format("{}", said.format.size()),
                     {"0"},
                     fmt::format("write {}", said.dtype.text)}};
    }
    std::vector<std::string> allowed = element_type_names(machine());
    std::string fix = suggest(said.dtype.text, allowed);
    throw Failure{{"ACG0003", said.dtype.where, path, "unknown element type", said.dtype.text, std::move(allowed),
                   std::move(fix)}};
  }

  CapabilityOperand fixed(const OperandSpec& said, const std::string& path) {
    if (said.format.size() != 2) {
      throw Failure{{"ACG0043",
                     said.dtype.where,
                     path,
                     "the element type fixed takes two values",
                     fmt::format("{}", said.format.size()),
                     {"2"},
                     "write fixed(INTEGER_BITS,FRACTION_BITS)"}};
    }
    const auto bits_of = [&](size_t index, std::string_view name) {
      return static_cast<uint32_t>(
          count_of(said.format[index], known_, kAny32, {text_of(kFixedBits) + " bits in all"}, path, name));
    };
    return {
        DType::kFixed, {}, {bits_of(0, "the number of integer bits"), bits_of(1, "the number of fraction bits"), ""}};
  }

  void edge(const EdgeSpec& said) {
    const End from = end(said.from, said.scope);
    const End to = end(said.to, said.scope);
    add_edge(said, from, to, said.from.where);
    if (said.both_directions) add_edge(said, to, from, said.from.where);
  }

  struct End {
    NodeId node;
    std::string port;
  };

  void add_edge(const EdgeSpec& said, const End& from, const End& to, const SourceLocation& where) {
    const std::string path = fmt::format("edge {}", machine().edges.size());
    const AttributeReader reader(path, said.attributes, {"bandwidth", "latency", "energy", "bus", "burst"}, known_,
                                 resolved_.places);
    Edge edge{from.node, to.node, 0, where, from.port, to.port, 0, 0, ""};
    edge.bandwidth = reader.number32("bandwidth", 0, bandwidths());
    edge.latency = reader.number32("latency", 0, {text_of(kEdgeLatency)});
    edge.energy = reader.real("energy");
    if (const Expression* bus = reader.word("bus")) edge.bus = bus->name;
    edge.burst = reader.number32("burst", edge.burst, {text_of(kBurst)});
    note(path + " from", said.from.where);
    note(path + " to", said.to.where);
    if (reader.find("bandwidth") != nullptr && edge.bandwidth == 0) {
      const std::string subject =
          fmt::format("edge {} -> {}", name_of(machine(), from.node), name_of(machine(), to.node));
      throw Failure{{"ACG0013", reader.find("bandwidth")->value.where, subject, "bandwidth is out of range", "0",
                     bandwidths(), "give the bits per cycle"}};
    }
    machine().edges.push_back(std::move(edge));
  }

  std::optional<NodeId> node(const std::string& name) {
    if (const std::optional<MemoryId> memory = find_memory(machine(), name)) return *memory;
    if (const std::optional<ComputeId> compute = find_compute(machine(), name)) return *compute;
    return std::nullopt;
  }

  /// The end of an edge: a node, or a node whose port is the last part of the name; inner nodes first.
  End end(const Word& said, std::string scope) {
    while (true) {
      const std::string name = scope + said.text;
      if (const std::optional<NodeId> found = node(name)) return {*found, ""};
      const size_t dot = name.rfind('.');
      const std::optional<NodeId> owner = dot == std::string::npos ? std::nullopt : node(name.substr(0, dot));
      // Within a node, a bare name is one of its ports. validate checks that the port exists.
      if (owner && (dot >= scope.size() || has_port(*owner, name.substr(dot + 1))))
        return {*owner, name.substr(dot + 1)};
      if (scope.empty()) break;
      scope = outer(scope);
    }
    std::vector<std::string> names;
    for (const Memory& memory : machine().memories) names.push_back(memory.name);
    for (const Compute& compute : machine().computes) names.push_back(compute.name);
    std::string fix = suggest(said.text, names);
    throw Failure{{"ACG0015", said.where, "edge", "no such node", said.text, std::move(names), std::move(fix)}};
  }

  bool has_port(NodeId owner, const std::string& name) {
    for (const Port& port : ports_of(machine(), owner)) {
      if (port.name == name) return true;
    }
    return false;
  }

  const MachineSpec& spec_;
  std::map<std::string, int64_t> known_;  ///< names that expressions may use
  Resolved resolved_;
  std::set<std::string> nodes_;
  std::set<std::string> dtypes_;
  std::set<std::string> mnemonics_;
};

}  // namespace

Resolved resolve(const MachineSpec& spec, std::string_view preset, const Settings& set) {
  return Resolver(spec).run(preset, set);
}

}  // namespace covenant::acg::lang
