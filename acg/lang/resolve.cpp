#include "acg/lang/resolve.h"

#include <fmt/format.h>
#include <limits>
#include <set>

#include "acg/base/failure.h"
#include "acg/base/suggest.h"
#include "acg/graph/queries.h"
#include "acg/graph/unit_kinds.h"
#include "acg/graph/words.h"
#include "acg/lang/attributes.h"
#include "acg/lang/evaluate.h"
#include "acg/lang/parameters.h"
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
    machine().preset = std::move(parameters.preset);
    note("machine", spec_.name.where);
    settings();
    for (const MemorySpec& said : spec_.memories) memory(said);
    for (const ComputeSpec& said : spec_.computes) compute(said);
    for (const EdgeSpec& said : spec_.edges) edge(said);
    if (spec_.packet) machine().packet = resolve_packet(*spec_.packet, machine().parameters, resolved_.places);
    for (const MnemonicSpec& said : spec_.mnemonics) {
      declare(mnemonics_, said.name, "mnemonic");
      machine().mnemonics.push_back(resolve_mnemonic(said, machine().parameters, machine().packet, resolved_.places));
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
    const uint64_t highest = std::numeric_limits<uint32_t>::max();
    const auto read = [&](const std::optional<AttributeSpec>& said, uint32_t& into) {
      if (!said) return;
      into = static_cast<uint32_t>(count_of(said->value, machine().parameters, highest, "machine", said->name.text));
      note("machine " + said->name.text, said->value.where);
    };
    read(spec_.word, machine().word_bits);
    read(spec_.opcode, machine().opcode_bits);
  }

  void memory(const MemorySpec& said) {
    declare(nodes_, said.name, "memory");
    const AttributeReader reader(
        "memory " + said.name.text, said.attributes,
        {"kind", "data_width", "banks", "depth", "buffers", "latency", "granularity", "channels"}, machine().parameters,
        resolved_.places);
    Memory memory;
    memory.name = said.name.text;
    memory.where = said.name.where;
    if (const Expression* kind = reader.word("kind")) memory.kind = memory_kind(*kind, said.name.text);
    memory.data_width = reader.number32("data_width", memory.data_width);
    memory.banks = reader.number("banks", memory.banks, kAnyCount);
    memory.depth = reader.number("depth", memory.depth, kAnyCount);
    memory.buffers = reader.number32("buffers", memory.buffers);
    memory.latency = reader.number32("latency", memory.latency);
    memory.granularity = reader.number32("granularity", 0);
    memory.channels = reader.number32("channels", memory.channels);
    if (reader.find("granularity") != nullptr && memory.granularity == 0) {
      throw Failure{{"ACG0013",
                     reader.find("granularity")->value.where,
                     "memory " + memory.name,
                     "granularity is out of range",
                     "0",
                     {"8..data_width"},
                     "leave it out to address whole data_width"}};
    }
    machine().memories.push_back(std::move(memory));
  }

  static MemoryKind memory_kind(const Expression& said, const std::string& memory) {
    if (const std::optional<MemoryKind> kind = value_in(kMemoryKinds, said.name)) return *kind;
    std::vector<std::string> allowed = names_in(kMemoryKinds);
    std::string fix = suggest(said.name, allowed);
    throw Failure{{"ACG0003", said.where, "memory " + memory, "unknown kind of memory", said.name, std::move(allowed),
                   std::move(fix)}};
  }

  void compute(const ComputeSpec& said) {
    declare(nodes_, said.name, "compute");
    const std::string path = "compute " + said.name.text;
    const UnitKind& unit = unit_kind(said);
    std::vector<std::string> allowed{"unit"};
    for (const UnitAttribute& attribute : unit.attributes) allowed.emplace_back(attribute.name);
    const AttributeReader reader(path, said.attributes, allowed, machine().parameters, resolved_.places);
    Compute compute;
    compute.name = said.name.text;
    compute.where = said.name.where;
    compute.unit = unit.name;
    for (const UnitAttribute& attribute : unit.attributes) {
      if (reader.find(attribute.name) == nullptr) continue;  // validate says what is missing
      const std::string name(attribute.name);
      if (attribute.kind == AttributeKind::kInteger) {
        compute.attributes[name] = static_cast<int64_t>(reader.number(name, 0, kAnyCount));
      } else {
        compute.attributes[name] = reader.word(name)->name;
      }
    }
    for (size_t i = 0; i < said.capabilities.size(); ++i) {
      compute.capabilities.push_back(capability(said.capabilities[i], fmt::format("{} capability {}", path, i)));
    }
    machine().computes.push_back(std::move(compute));
  }

  static const UnitKind& unit_kind(const ComputeSpec& said) {
    std::vector<std::string> allowed;
    for (const UnitKind& kind : unit_kinds()) allowed.emplace_back(kind.name);
    const std::string subject = "compute " + said.name.text;
    for (const AttributeSpec& attribute : said.attributes) {
      if (attribute.name.text != "unit") continue;
      if (const UnitKind* kind = find_unit_kind(attribute.value.name)) return *kind;
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
    const AttributeReader reader(path, said.attributes, {"latency"}, machine().parameters, resolved_.places);
    capability.latency = reader.number32("latency", 1);
    return capability;
  }

  CapabilityOperand operand(const OperandSpec& said, const std::string& path) {
    CapabilityOperand operand;
    const std::optional<DType> dtype = dtype_named(said.dtype.text);
    if (!dtype) {
      std::vector<std::string> allowed;
      for (const DTypeInfo& entry : kDTypes) allowed.emplace_back(entry.name);
      std::string fix = suggest(said.dtype.text, allowed);
      throw Failure{{"ACG0003", said.dtype.where, path, "unknown element type", said.dtype.text, std::move(allowed),
                     std::move(fix)}};
    }
    operand.dtype = *dtype;
    for (const Expression& size : said.shape) {
      operand.shape.push_back(count_of(size, machine().parameters, kAnyCount, path, "a size"));
    }
    return operand;
  }

  void edge(const EdgeSpec& said) {
    const NodeId from = node(said.from);
    const NodeId to = node(said.to);
    add_edge(said, from, to, said.from.where);
    if (said.both_directions) add_edge(said, to, from, said.from.where);
  }

  void add_edge(const EdgeSpec& said, NodeId from, NodeId to, const SourceLocation& where) {
    const std::string path = fmt::format("edge {}", machine().edges.size());
    const AttributeReader reader(path, said.attributes, {"bandwidth"}, machine().parameters, resolved_.places);
    Edge edge{from, to, 0, where};
    edge.bandwidth = reader.number32("bandwidth", 0);
    if (reader.find("bandwidth") != nullptr && edge.bandwidth == 0) {
      const std::string subject = fmt::format("edge {} -> {}", name_of(machine(), from), name_of(machine(), to));
      throw Failure{{"ACG0013",
                     reader.find("bandwidth")->value.where,
                     subject,
                     "bandwidth is out of range",
                     "0",
                     {"8 and more, in multiples of 8"},
                     "give the bits per cycle"}};
    }
    machine().edges.push_back(std::move(edge));
  }

  NodeId node(const Word& said) {
    if (const std::optional<MemoryId> memory = find_memory(machine(), said.text)) return *memory;
    if (const std::optional<ComputeId> compute = find_compute(machine(), said.text)) return *compute;
    std::vector<std::string> names;
    for (const Memory& memory : machine().memories) names.push_back(memory.name);
    for (const Compute& compute : machine().computes) names.push_back(compute.name);
    std::string fix = suggest(said.text, names);
    throw Failure{{"ACG0015", said.where, "edge", "no such node", said.text, std::move(names), std::move(fix)}};
  }

  const MachineSpec& spec_;
  Resolved resolved_;
  std::set<std::string> nodes_;
  std::set<std::string> mnemonics_;
};

}  // namespace

Resolved resolve(const MachineSpec& spec, std::string_view preset, const Settings& set) {
  return Resolver(spec).run(preset, set);
}

}  // namespace covenant::acg::lang
