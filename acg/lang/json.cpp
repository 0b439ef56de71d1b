#include "acg/lang/json.h"

#include <fmt/format.h>

#include "acg/base/byte_order_mark.h"
#include "acg/base/json_reader.h"
#include "acg/base/suggest.h"
#include "acg/graph/element_types.h"
#include "acg/graph/limits.h"
#include "acg/graph/queries.h"
#include "acg/graph/unit_info.h"
#include "acg/graph/words.h"
#include "acg/lang/json_machine.h"
#include "acg/lang/json_mnemonic.h"
#include "acg/validate/validate.h"

namespace covenant::acg {
namespace {

constexpr const char* kFix = "write it as `covenant show --json` does";

template <typename Enum, size_t count>
Enum word_of(const JsonReader& reader, const std::array<NamedValue<Enum>, count>& table, const std::string& what) {
  const std::string name = reader.string();
  if (const std::optional<Enum> value = value_in(table, name)) return *value;
  reader.refuse("unknown " + what, name, names_in(table), "ACG0003");
}

/// Reads a key that is written only if its value is not the default.
uint32_t count_or(const JsonReader& reader, const std::string& key, uint32_t otherwise, const Limits& allowed) {
  return reader.has(key) ? reader.at(key).integer<uint32_t>({text_of(allowed)}) : otherwise;
}
double real_or_zero(const JsonReader& reader, const std::string& key) {
  return reader.has(key) ? reader.at(key).real() : 0;
}
std::string string_or_empty(const JsonReader& reader, const std::string& key) {
  return reader.has(key) ? reader.at(key).string() : "";
}

std::vector<Port> ports_in(const JsonReader& reader) {
  std::vector<Port> ports;
  if (!reader.has("ports")) return ports;
  for (const JsonReader& entry : reader.at("ports").elements()) {
    entry.only({"name", "direction", "width"});
    ports.push_back({entry.at("name").string(), word_of(entry.at("direction"), kPortDirections, "direction of a port"),
                     entry.at("width").integer<uint32_t>({text_of(kPortWidth)})});
  }
  return ports;
}

Memory memory_of(const JsonReader& reader) {
  reader.only({"name", "kind", "data_width", "banks", "depth", "buffers", "latency", "granularity", "accesses",
               "read_energy", "write_energy", "ports", "channels"});
  Memory memory;
  memory.name = reader.at("name").string();
  memory.kind = word_of(reader.at("kind"), kMemoryKinds, "kind of memory");
  const auto allowed = [&](std::string_view name) {
    return std::vector<std::string>{text_of(limits_of(memory.kind, name))};
  };
  memory.data_width = reader.at("data_width").integer<uint32_t>(data_widths(memory.kind));
  memory.banks = reader.at("banks").integer<uint64_t>(allowed("banks"));
  memory.depth = reader.at("depth").integer<uint64_t>(allowed("depth"));
  memory.buffers = reader.at("buffers").integer<uint32_t>(allowed("buffers"));
  memory.latency = reader.at("latency").integer<uint32_t>(allowed("latency"));
  memory.granularity = reader.at("granularity").integer<uint32_t>(granularities(memory.data_width));
  memory.accesses = count_or(reader, "accesses", memory.accesses, kAccesses);
  memory.read_energy = real_or_zero(reader, "read_energy");
  memory.write_energy = real_or_zero(reader, "write_energy");
  memory.ports = ports_in(reader);
  if (reader.has("channels")) memory.channels = reader.at("channels").integer<uint32_t>(channel_counts());
  memory.where = reader.where();
  return memory;
}

CapabilityOperand operand_of(const JsonReader& reader, const Machine& machine) {
  reader.only({"dtype", "shape"});
  const std::string name = reader.at("dtype").string();
  std::optional<CapabilityOperand> operand = element_type_of(machine, name);
  if (!operand) reader.at("dtype").refuse("unknown element type", name, element_type_names(machine), "ACG0003");
  for (const JsonReader& size : reader.at("shape").elements())
    operand->shape.push_back(size.integer<uint64_t>({text_of(kShapeElements) + " in all"}));
  return *std::move(operand);
}

Capability capability_of(const JsonReader& reader, const Machine& machine) {
  reader.only({"name", "output", "inputs", "latency", "occupancy", "energy"});
  Capability capability;
  capability.name = reader.at("name").string();
  capability.output = operand_of(reader.at("output"), machine);
  for (const JsonReader& input : reader.at("inputs").elements())
    capability.inputs.push_back(operand_of(input, machine));
  capability.latency = reader.at("latency").integer<uint32_t>({text_of(kCapabilityCycles)});
  capability.occupancy = count_or(reader, "occupancy", capability.occupancy, kCapabilityCycles);
  capability.energy = real_or_zero(reader, "energy");
  return capability;
}

UnitKind unit_of(const JsonReader& reader) {
  const std::string name = reader.string();
  if (const std::optional<UnitKind> kind = compute_unit_named(name)) return *kind;
  reader.refuse("unknown unit kind", name, compute_unit_names(), "ACG0003");
}

Compute compute_of(const JsonReader& reader, const Machine& machine) {
  reader.only({"name", "unit", "attributes", "capabilities", "trigger", "ports"});
  Compute compute;
  compute.name = reader.at("name").string();
  compute.unit = unit_of(reader.at("unit"));
  for (const auto& [name, value] : reader.at("attributes").members()) {
    if (value.is_string()) {
      compute.attributes[name] = value.string();
    } else {
      compute.attributes[name] = value.integer<int64_t>();
    }
  }
  for (const JsonReader& entry : reader.at("capabilities").elements())
    compute.capabilities.push_back(capability_of(entry, machine));
  if (reader.has("trigger")) compute.trigger = word_of(reader.at("trigger"), kTriggers, "trigger");
  compute.ports = ports_in(reader);
  compute.where = reader.where();
  return compute;
}

NodeId node_of(const JsonReader& reader, const Machine& machine) {
  const std::string name = reader.string();
  if (const std::optional<MemoryId> memory = find_memory(machine, name)) return *memory;
  if (const std::optional<ComputeId> compute = find_compute(machine, name)) return *compute;
  std::vector<std::string> names;
  for (const Memory& memory : machine.memories) names.push_back(memory.name);
  for (const Compute& compute : machine.computes) names.push_back(compute.name);
  reader.refuse("no such node", name, std::move(names), "ACG0015");
}

Edge edge_of(const JsonReader& reader, const Machine& machine) {
  reader.only({"from", "to", "bandwidth", "from_port", "to_port", "latency", "energy", "bus", "burst"});
  const NodeId from = node_of(reader.at("from"), machine);
  const NodeId to = node_of(reader.at("to"), machine);
  return {from,
          to,
          reader.at("bandwidth").integer<uint32_t>(bandwidths()),
          reader.where(),
          string_or_empty(reader, "from_port"),
          string_or_empty(reader, "to_port"),
          count_or(reader, "latency", 0, kEdgeLatency),
          real_or_zero(reader, "energy"),
          string_or_empty(reader, "bus"),
          count_or(reader, "burst", kBurstBeats, kBurst)};
}

NamedDType named_dtype_of(const JsonReader& reader) {
  reader.only({"name", "bits"});
  return {reader.at("name").string(), reader.at("bits").integer<uint32_t>({text_of(kElementBits)})};
}

Json operand_json(const CapabilityOperand& operand) {
  return {{"dtype", element_type_text(operand)}, {"shape", operand.shape}};
}

void add_ports(Json& json, const std::vector<Port>& ports) {
  for (const Port& port : ports) {
    json["ports"].push_back(
        {{"name", port.name}, {"direction", name_in(kPortDirections, port.direction)}, {"width", port.width}});
  }
}

Json memory_json(const Memory& memory) {
  Json json{{"name", memory.name},
            {"kind", name_in(kMemoryKinds, memory.kind)},
            {"data_width", memory.data_width},
            {"banks", memory.banks},
            {"depth", memory.depth},
            {"buffers", memory.buffers},
            {"latency", memory.latency},
            {"granularity", memory.granularity}};
  if (memory.accesses != 1) json["accesses"] = memory.accesses;
  if (memory.read_energy != 0) json["read_energy"] = memory.read_energy;
  if (memory.write_energy != 0) json["write_energy"] = memory.write_energy;
  add_ports(json, memory.ports);
  if (memory.channels != kChannelSlots) json["channels"] = memory.channels;
  return json;
}

Json compute_json(const Compute& compute) {
  Json json{{"name", compute.name},
            {"unit", name_of(compute.unit)},
            {"attributes", Json::object()},
            {"capabilities", Json::array()}};
  for (const auto& [name, value] : compute.attributes) {
    std::visit([&, &key = name](const auto& held) { json["attributes"][key] = held; }, value);
  }
  for (const Capability& capability : compute.capabilities) {
    Json entry{{"name", capability.name},
               {"output", operand_json(capability.output)},
               {"inputs", Json::array()},
               {"latency", capability.latency}};
    if (capability.occupancy != 1) entry["occupancy"] = capability.occupancy;
    if (capability.energy != 0) entry["energy"] = capability.energy;
    for (const CapabilityOperand& input : capability.inputs) entry["inputs"].push_back(operand_json(input));
    json["capabilities"].push_back(std::move(entry));
  }
  if (compute.trigger != Trigger::kMnemonic) json["trigger"] = name_in(kTriggers, compute.trigger);
  add_ports(json, compute.ports);
  return json;
}

Json edge_json(const Machine& machine, const Edge& edge) {
  Json json{{"from", name_of(machine, edge.from)}, {"to", name_of(machine, edge.to)}, {"bandwidth", edge.bandwidth}};
  if (!edge.from_port.empty()) json["from_port"] = edge.from_port;
  if (!edge.to_port.empty()) json["to_port"] = edge.to_port;
  if (edge.latency != 0) json["latency"] = edge.latency;
  if (edge.energy != 0) json["energy"] = edge.energy;
  if (!edge.bus.empty()) json["bus"] = edge.bus;
  if (edge.burst != kBurstBeats) json["burst"] = edge.burst;
  return json;
}

}  // namespace

Json machine_json(const Machine& machine) {
  Json json{{"name", machine.name},           {"parameters", machine.parameters},
            {"preset", machine.preset},       {"clock_hertz", machine.clock_hertz},
            {"word_bits", machine.word_bits}, {"opcode_bits", machine.opcode_bits},
            {"memories", Json::array()},      {"computes", Json::array()},
            {"edges", Json::array()},         {"mnemonics", Json::array()}};
  for (const Memory& memory : machine.memories) json["memories"].push_back(memory_json(memory));
  for (const Compute& compute : machine.computes) json["computes"].push_back(compute_json(compute));
  for (const Edge& edge : machine.edges) json["edges"].push_back(edge_json(machine, edge));
  for (const NamedDType& dtype : machine.dtypes) {
    json["dtypes"].push_back({{"name", dtype.name}, {"bits", dtype.bits}});
  }
  for (const Mnemonic& mnemonic : machine.mnemonics)
    json["mnemonics"].push_back(lang::mnemonic_json(mnemonic, machine.packet));
  if (machine.packet.slots != 0) json["packet"] = lang::packet_json(machine.packet);
  return json;
}

Machine machine_of(const JsonReader& reader) {
  reader.only({"name", "parameters", "preset", "clock_hertz", "word_bits", "opcode_bits", "memories", "computes",
               "edges", "mnemonics", "dtypes", "packet"});
  Machine machine;
  machine.name = reader.at("name").string();
  for (const auto& [name, value] : reader.at("parameters").members())
    machine.parameters[name] = value.integer<int64_t>();
  machine.preset = reader.at("preset").string();
  machine.clock_hertz = reader.at("clock_hertz").real();
  machine.word_bits = reader.at("word_bits").integer<uint32_t>(word_widths());
  machine.opcode_bits = reader.at("opcode_bits").integer<uint32_t>({text_of(opcode_bits_limits(machine.word_bits))});
  if (reader.has("packet")) machine.packet = lang::packet_of(reader.at("packet"));
  if (reader.has("dtypes")) {
    for (const JsonReader& entry : reader.at("dtypes").elements()) machine.dtypes.push_back(named_dtype_of(entry));
  }
  for (const JsonReader& entry : reader.at("memories").elements()) machine.memories.push_back(memory_of(entry));
  for (const JsonReader& entry : reader.at("computes").elements())
    machine.computes.push_back(compute_of(entry, machine));
  for (const JsonReader& entry : reader.at("edges").elements()) machine.edges.push_back(edge_of(entry, machine));
  for (const JsonReader& entry : reader.at("mnemonics").elements()) {
    machine.mnemonics.push_back(lang::mnemonic_of(entry, machine));
  }
  const Status valid = validate(machine, {{"machine", reader.where()}});
  if (!valid) throw Failure{valid.error()};
  return machine;
}

std::string to_json(const Machine& machine) { return machine_json(machine).dump(2) + "\n"; }

Result<Machine> from_json(std::string_view text, std::string_view file_name) {
  return guarded<Machine>([&] {
    const Json json = Json::parse(without_byte_order_mark(text), nullptr, false);
    if (json.is_discarded()) {
      throw Failure{{"ACG0029", {std::string(file_name), 0, 0}, "/", "not a JSON document", "", {}, kFix}};
    }
    return machine_of(JsonReader(json, "ACG0029", std::string(file_name), kFix));
  });
}

}  // namespace covenant::acg
