/// Rules that break nodes, edges, roles and capabilities.
#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "acg/graph/queries.h"
#include "acg/graph/unit_info.h"
#include "acg/lang/print.h"
#include "fuzz/breaking.h"

namespace covenant::runtime::breaking {
namespace {

using acg::Edge;
using acg::Machine;
using acg::Memory;
using acg::MemoryKind;
using acg::UnitKind;

// ---- Shapes

/// Twice as many results: of another unit.
std::string output_shape(Machine machine, Draw& draw) {
  acg::Compute& node = a_compute(machine, draw);
  node.capabilities[static_cast<size_t>(draw.between(0, static_cast<int64_t>(node.capabilities.size()) - 1))]
      .output.shape[0] *= 2;
  return acg::print(machine);
}

/// One more than the unit takes; of a scalar, which is broadcast, one more than a vector has.
std::string input_shape(Machine machine, Draw& draw) {
  acg::Compute& node = a_compute(machine, draw);
  auto& capability =
      node.capabilities[static_cast<size_t>(draw.between(0, static_cast<int64_t>(node.capabilities.size()) - 1))];
  auto& shape =
      capability.inputs[static_cast<size_t>(draw.between(0, static_cast<int64_t>(capability.inputs.size()) - 1))].shape;
  const acg::CapabilityShapes expected = acg::info(node.unit).shapes(machine, node, capability);
  const uint64_t most = expected.may_broadcast ? expected.output.back() : 0;
  shape.back() = std::max(shape.back(), most) + 1;
  return acg::print(machine);
}

/// A matrix where a vector is worked on.
std::string shape_rank(Machine machine, Draw& draw) {
  acg::Compute& node = a_compute(machine, draw);
  node.capabilities[0].output.shape.push_back(2);
  return acg::print(machine);
}

/// The capabilities stay those of the unit that was.
std::string unit_size(Machine machine, Draw& draw) {
  std::vector<UnitKind> kinds = kinds_of(machine);
  std::ranges::reverse(kinds);  // the last kind has the first draw
  const UnitKind kind = draw.of(kinds);
  acg::Compute& node = machine.computes[draw.of(computes_of(machine, kind))];
  const std::string name = draw.of(size_attributes(node));
  node.attributes[name] = acg::integer_attribute(node, name) + 1;
  return acg::print(machine);
}

// ---- Edges that are not there

/// Between a node and the memory of a role.
template <size_t kRole>
std::string role_edge(Machine machine, Draw& draw) {
  const size_t array = draw.of(computes_with_roles(machine));
  const acg::MemoryId memory = acg::role(machine, machine.computes[array], roles_of(machine)[kRole]);
  const acg::NodeId node = acg::ComputeId{static_cast<uint32_t>(array)};
  drop_edges(machine, [&](const Edge& edge) {
    return (edge.from == node && edge.to == acg::NodeId{memory}) ||
           (edge.to == node && edge.from == acg::NodeId{memory});
  });
  return acg::print(machine);
}

/// Into the memories that all nodes have in a role: nothing is computed from them.
template <size_t kRole>
std::string role_source(Machine machine, Draw& /*draw*/) {
  const std::vector<size_t> memories = role_memories(machine, roles_of(machine)[kRole]);
  drop_edges(machine, [&](const Edge& edge) { return is_one_of(edge.to, memories); });
  return acg::print(machine);
}

/// From the memories of results in roles: they stay where they are.
std::string output_sink(Machine machine, Draw& /*draw*/) {
  const std::vector<size_t> memories = role_memories(machine, roles_of(machine).back());
  drop_edges(machine, [&](const Edge& edge) { return is_one_of(edge.from, memories); });
  return acg::print(machine);
}

template <MemoryKind kKind>
std::string kind_source(Machine machine, Draw& /*draw*/) {
  const std::vector<size_t> memories = memories_of(machine, kKind);
  drop_edges(machine, [&](const Edge& edge) { return is_one_of(edge.to, memories); });
  return acg::print(machine);
}

template <MemoryKind kKind>
std::string kind_sink(Machine machine, Draw& /*draw*/) {
  const std::vector<size_t> memories = memories_of(machine, kKind);
  drop_edges(machine, [&](const Edge& edge) { return is_one_of(edge.from, memories); });
  return acg::print(machine);
}

/// Nodes without roles write nowhere.
std::string free_results(Machine machine, Draw& /*draw*/) {
  const std::vector<size_t> nodes = computes_without_roles(machine);
  drop_edges(machine, [&](const Edge& edge) {
    const auto* from = std::get_if<acg::ComputeId>(&edge.from);
    return from != nullptr && is_among(nodes, from->value);
  });
  return acg::print(machine);
}

// ---- Edges that cannot be

std::string self_edge(Machine machine, Draw& draw) {
  Edge& edge = machine.edges[static_cast<size_t>(draw.between(0, static_cast<int64_t>(machine.edges.size()) - 1))];
  edge.to = edge.from;
  return acg::print(machine);
}

std::string edge_of_units(Machine machine, Draw& draw) {
  const auto from = static_cast<uint32_t>(draw.of(computes_with_roles(machine)));
  const auto to = static_cast<uint32_t>(draw.of(computes_without_roles(machine)));
  machine.edges.push_back({acg::ComputeId{from}, acg::ComputeId{to}, 0, {}});
  return acg::print(machine);
}

std::string edge_past_scratchpads(Machine machine, Draw& draw) {
  const auto memory = static_cast<uint32_t>(draw.of(memories_of(machine, MemoryKind::kOffchip)));
  const auto node = static_cast<uint32_t>(draw.of(computes_without_roles(machine)));
  machine.edges.push_back({acg::MemoryId{memory}, acg::ComputeId{node}, 64, {}});
  return acg::print(machine);
}

std::string edge_to_words(Machine machine, Draw& draw) {
  const auto from = static_cast<uint32_t>(draw.of(memories_of(machine, MemoryKind::kScratchpad)));
  const auto to = static_cast<uint32_t>(draw.of(memories_of(machine, MemoryKind::kInstruction)));
  machine.edges.push_back({acg::MemoryId{from}, acg::MemoryId{to}, machine.word_bits, {}});
  return acg::print(machine);
}

std::string edge_twice(Machine machine, Draw& draw) {
  const Edge edge = draw.of(machine.edges);
  machine.edges.push_back(edge);
  return acg::print(machine);
}

std::string port_missing(Machine machine, Draw& draw) {
  Edge& edge = machine.edges[static_cast<size_t>(draw.between(0, static_cast<int64_t>(machine.edges.size()) - 1))];
  (draw.once_in(2) ? edge.from_port : edge.to_port) = "NOWHERE";
  return acg::print(machine);
}

/// An edge leaves by a port that data only enters by.
std::string port_direction(Machine machine, Draw& draw) {
  std::vector<size_t> leaving;
  for (size_t i = 0; i < machine.edges.size(); ++i) {
    if (std::holds_alternative<acg::ComputeId>(machine.edges[i].from)) leaving.push_back(i);
  }
  Edge& edge = machine.edges[draw.of(leaving)];
  edge.from_port = "ENTRANCE";
  machine.computes[std::get<acg::ComputeId>(edge.from).value].ports.push_back({"ENTRANCE", acg::PortDirection::kIn, 0});
  return acg::print(machine);
}

// ---- Nodes

/// Removes memories with their edges and their names in the words: only roles still name them.
template <MemoryKind kKind>
std::string no_memory(Machine machine, Draw& /*draw*/) {
  drop_nodes(machine, memories_of(machine, kKind), {});
  return acg::print(machine);
}

std::string no_node_with_roles(Machine machine, Draw& /*draw*/) {
  drop_nodes(machine, {}, computes_with_roles(machine));
  return acg::print(machine);
}

std::string no_node_without_roles(Machine machine, Draw& /*draw*/) {
  drop_nodes(machine, {}, computes_without_roles(machine));
  return acg::print(machine);
}

/// The node is taken out, what names it stays: edges, roles, words.
std::string node_gone(Machine machine, Draw& draw) {
  const size_t index = draw.of(memories_of(machine, MemoryKind::kScratchpad));
  const Memory memory = machine.memories[index];
  std::string text = acg::print(machine);
  const size_t first = text.find("\n" + start_of(memory)) + 1;
  return text.erase(first, text.find('\n', first) + 1 - first);
}

std::string second_of_kind(Machine machine, Draw& draw) {
  Memory memory = a_memory(machine, draw, draw.once_in(2) ? MemoryKind::kInstruction : MemoryKind::kImmediate);
  memory.name += "_again";
  machine.memories.push_back(memory);
  return acg::print(machine);
}

std::string name_twice(Machine machine, Draw& draw) {
  Memory& memory = a_memory(machine, draw, MemoryKind::kScratchpad);
  const std::string name =
      draw.once_in(2) ? a_memory(machine, draw, MemoryKind::kOffchip).name : a_compute_with_roles(machine, draw).name;
  memory.name = name;
  return acg::print(machine);
}

std::string nothing_feeds(Machine machine, Draw& /*draw*/) {
  machine.computes.push_back({"ALONE", UnitKind::kDescribed, {}, {}, {}});
  return acg::print(machine);
}

/// Compiled programs have no words for such a node.
std::string described_unit(Machine machine, Draw& draw) {
  a_compute(machine, draw).unit = UnitKind::kDescribed;
  return acg::print(machine);
}

std::string started_by_data(Machine machine, Draw& draw) {
  a_compute(machine, draw).trigger = acg::Trigger::kDataflow;
  return acg::print(machine);
}

std::string bus_of_a_unit(Machine machine, Draw& draw) {
  std::vector<size_t> inner;
  for (size_t i = 0; i < machine.edges.size(); ++i) {
    if (std::holds_alternative<acg::ComputeId>(machine.edges[i].to)) inner.push_back(i);
  }
  machine.edges[draw.of(inner)].bus = "INNER";
  return acg::print(machine);
}

// ---- Roles

template <MemoryKind kKind>
std::string role_kind(Machine machine, Draw& draw) {
  const std::string name = a_memory(machine, draw, kKind).name;
  a_compute_with_roles(machine, draw).attributes[draw.of(roles_of(machine))] = name;
  return acg::print(machine);
}

/// The node writes no memory that it reads its inputs from.
std::string role_direction(Machine machine, Draw& draw) {
  acg::Compute& node = a_compute_with_roles(machine, draw);
  const std::vector<std::string> roles = roles_of(machine);
  node.attributes[roles.back()] = node.attributes.at(roles.front());
  return acg::print(machine);
}

std::string role_unknown(Machine machine, Draw& draw) {
  a_compute_with_roles(machine, draw).attributes[draw.of(roles_of(machine))] = "NOWHERE";
  return acg::print(machine);
}

std::string role_missing(Machine machine, Draw& draw) {
  a_compute_with_roles(machine, draw).attributes.erase(draw.of(roles_of(machine)));
  return acg::print(machine);
}

// ---- Capabilities that every network of a kind needs

std::string without_capability(Machine machine, std::string_view name) {
  for (acg::Compute& compute : machine.computes) {
    std::erase_if(compute.capabilities, [&](const acg::Capability& capability) { return capability.name == name; });
  }
  return acg::print(machine);
}

std::string no_gemm(Machine machine, Draw& /*draw*/) { return without_capability(std::move(machine), "GEMM"); }
std::string no_requant(Machine machine, Draw& /*draw*/) { return without_capability(std::move(machine), "REQUANT"); }
std::string no_sum(Machine machine, Draw& /*draw*/) { return without_capability(std::move(machine), "REQUANT_ADD"); }
std::string no_product(Machine machine, Draw& /*draw*/) {
  return without_capability(std::move(machine), "REQUANT_MUL");
}
std::string no_lookup(Machine machine, Draw& /*draw*/) { return without_capability(std::move(machine), "LOOKUP"); }
std::string short_table(Machine machine, Draw& draw) {
  for (acg::Capability& capability : a_compute_without_roles(machine, draw).capabilities) {
    if (capability.name != "LOOKUP") continue;
    uint64_t& entries = capability.inputs.at(1).shape.front();
    entries = static_cast<uint64_t>(draw.between(2, static_cast<int64_t>(entries) - 1));
  }
  return acg::print(machine);
}
std::string no_reduction(Machine machine, Draw& /*draw*/) {
  return without_capability(std::move(machine), "REDUCE_MAX");
}

std::string capability_of_another(Machine machine, Draw& draw) {
  a_compute_with_roles(machine, draw).capabilities[0].name = "REQUANT";
  return acg::print(machine);
}

std::string capability_unknown(Machine machine, Draw& draw) {
  a_compute_without_roles(machine, draw).capabilities[0].name = "SQUARE_ROOT";
  return acg::print(machine);
}

constexpr std::array kGraphRules{
    Rule{"shape of an output", output_shape},
    Rule{"shape of an input", input_shape},
    Rule{"rank of a shape", shape_rank},
    Rule{"size of a unit", unit_size},
    Rule{"no edge to the memory of inputs", role_edge<0>},
    Rule{"no edge to the memory of weights", role_edge<1>},
    Rule{"no edge to the memory of biases", role_edge<2>},
    Rule{"no edge to the memory of outputs", role_edge<3>},
    Rule{"nothing loads inputs", role_source<0>},
    Rule{"nothing loads weights", role_source<1>},
    Rule{"nothing loads biases", role_source<2>},
    Rule{"nothing makes outputs", role_source<3>},
    Rule{"nothing reads outputs", output_sink},
    Rule{"nothing loads words", kind_source<MemoryKind::kInstruction>},
    Rule{"nothing stores", kind_source<MemoryKind::kOffchip>},
    Rule{"nothing loads", kind_sink<MemoryKind::kOffchip>},
    Rule{"nothing reads immediates", kind_sink<MemoryKind::kImmediate>},
    Rule{"nodes without roles write nowhere", free_results},
    Rule{"edge to itself", self_edge},
    Rule{"edge between units", edge_of_units},
    Rule{"edge around scratchpads", edge_past_scratchpads},
    Rule{"edge from a scratchpad to words", edge_to_words},
    Rule{"edge twice", edge_twice},
    Rule{"port missing", port_missing},
    Rule{"port against its direction", port_direction},
    Rule{"no off-chip memory", no_memory<MemoryKind::kOffchip>},
    Rule{"no instruction memory", no_memory<MemoryKind::kInstruction>},
    Rule{"no immediate memory", no_memory<MemoryKind::kImmediate>},
    Rule{"no node with roles", no_node_with_roles},
    Rule{"no node without roles", no_node_without_roles},
    Rule{"node gone, its name left", node_gone},
    Rule{"second memory of its kind", second_of_kind},
    Rule{"name of two nodes", name_twice},
    Rule{"node that nothing feeds", nothing_feeds},
    Rule{"node described only", described_unit},
    Rule{"node started by data", started_by_data},
    Rule{"bus of an edge to a unit", bus_of_a_unit},
    Rule{"role off-chip", role_kind<MemoryKind::kOffchip>},
    Rule{"role of immediates", role_kind<MemoryKind::kImmediate>},
    Rule{"role of words", role_kind<MemoryKind::kInstruction>},
    Rule{"role against its direction", role_direction},
    Rule{"role unknown", role_unknown},
    Rule{"role missing", role_missing},
    Rule{"no GEMM", no_gemm},
    Rule{"no REQUANT", no_requant},
    Rule{"no REQUANT_ADD", no_sum},
    Rule{"no REQUANT_MUL", no_product},
    Rule{"no LOOKUP", no_lookup},
    Rule{"a table of too few entries", short_table},
    Rule{"no REDUCE_MAX", no_reduction},
    Rule{"capability of another unit", capability_of_another},
    Rule{"capability unknown", capability_unknown},
};

}  // namespace

std::span<const Rule> graph_rules() { return kGraphRules; }

}  // namespace covenant::runtime::breaking
