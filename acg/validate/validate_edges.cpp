#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <utility>

#include "acg/base/suggest.h"
#include "acg/graph/limits.h"
#include "acg/graph/queries.h"
#include "acg/graph/words.h"
#include "acg/validate/validate_context.h"

namespace covenant::acg::checks {
namespace {

const Memory* memory_at(const Machine& machine, NodeId node) {
  const auto* id = std::get_if<MemoryId>(&node);
  return id == nullptr ? nullptr : &get(machine, *id);
}

bool is_kind(const Machine& machine, NodeId node, MemoryKind kind) {
  const Memory* memory = memory_at(machine, node);
  return memory != nullptr && memory->kind == kind;
}

void check_ends(const Machine& machine, const Edge& edge, const std::string& subject) {
  const auto connects = [&](MemoryKind kind) {
    return is_kind(machine, edge.from, kind) || is_kind(machine, edge.to, kind);
  };
  if (edge.from == edge.to) {
    refuse(edge.where, subject,
           {"ACG0018", "an edge from a node to itself", name_of(machine, edge.from), {}, "remove it"});
  }
  if (is_kind(machine, edge.to, MemoryKind::kInstruction) && is_kind(machine, edge.from, MemoryKind::kOffchip)) return;
  if (connects(MemoryKind::kInstruction)) {
    refuse(edge.where, subject,
           {"ACG0018",
            "the instruction memory is filled from off-chip memory and read by its engines only",
            subject,
            {"offchip -> instruction"},
            "remove the edge"});
  }
  if (is_kind(machine, edge.from, MemoryKind::kOffchip) && is_kind(machine, edge.to, MemoryKind::kOffchip)) {
    refuse(edge.where, subject,
           {"ACG0018",
            "an edge between two off-chip memories",
            subject,
            {"offchip <-> scratchpad", "offchip -> instruction"},
            "put a scratchpad between them, or remove the edge"});
  }
  const Memory* from = memory_at(machine, edge.from);
  const Memory* to = memory_at(machine, edge.to);
  const bool has_compute = from == nullptr || to == nullptr;
  if (connects(MemoryKind::kOffchip) && (has_compute || connects(MemoryKind::kImmediate))) {
    refuse(edge.where, subject,
           {"ACG0018",
            "off-chip memory reaches compute nodes by way of a scratchpad only",
            subject,
            {"offchip <-> scratchpad", "offchip -> instruction"},
            "put a scratchpad between them"});
  }
  if (from == nullptr && to == nullptr) {
    refuse(edge.where, subject,
           {"ACG0018",
            "an edge between two compute nodes",
            subject,
            {"memory -> compute", "compute -> memory", "memory -> memory"},
            "put a scratchpad between them"});
  }
}

void check_bandwidth(const Context& context, const Edge& edge, const std::string& path, const std::string& subject) {
  const Machine& machine = context.machine;
  const SourceLocation where = context.where(path + " bandwidth", edge.where);
  const bool is_offchip =
      is_kind(machine, edge.from, MemoryKind::kOffchip) || is_kind(machine, edge.to, MemoryKind::kOffchip);
  if (edge.bandwidth == 0 && (is_offchip || transfer_ends(machine, edge))) {
    refuse(edge.where, subject,
           {"ACG0014", "an attribute is missing", "bandwidth", {}, "give the bits per cycle: `{ bandwidth = 128; }`"});
  }
  const std::string shown = fmt::format("{}", edge.bandwidth);
  if (edge.bandwidth % 8 != 0) {
    refuse(where, subject,
           {"ACG0013", "bandwidth is not whole bytes", shown, bandwidths(),
            fmt::format("use {}", std::min(edge.bandwidth / 8 + 1, kMaxBandwidth / 8) * 8)});
  }
  if (edge.bandwidth > kMaxBandwidth) {
    refuse(where, subject, {"ACG0013", "bandwidth is out of range", shown, bandwidths(), "give the bits per cycle"});
  }
}

/// An edge that ends at a port: the node must have the port, and the port must pass data in this direction.
void check_port(const Context& context, NodeId node, const std::string& name, bool is_source,
                const SourceLocation& where, const std::string& subject) {
  if (name.empty()) return;
  std::vector<std::string> names;
  for (const Port& port : ports_of(context.machine, node)) {
    names.push_back(port.name);
    if (port.name != name) continue;
    const PortDirection wanted = is_source ? PortDirection::kOut : PortDirection::kIn;
    if (port.direction == wanted || port.direction == PortDirection::kBoth) return;
    refuse(where, subject,
           {"ACG0048",
            fmt::format("data cannot {} by port {} of {}", is_source ? "leave" : "enter", name,
                        name_of(context.machine, node)),
            std::string(name_in(kPortDirections, port.direction)),
            {std::string(name_in(kPortDirections, wanted)), "both"},
            is_source ? "declare it out or both, or turn the edge round"
                      : "declare it in or both, or turn the edge round"});
  }
  std::string fix = names.empty() ? fmt::format("declare `port {} {};` in {}", name, is_source ? "out" : "in",
                                                name_of(context.machine, node))
                                  : suggest(name, names);
  refuse(where, subject,
         {"ACG0047", fmt::format("{} has no such port", name_of(context.machine, node)), name, std::move(names),
          std::move(fix)});
}

void check_costs(const Context& context, const Edge& edge, const std::string& path, const std::string& subject) {
  if (!kEdgeLatency.contains(edge.latency)) {
    refuse(context.where(path + " latency", edge.where), subject,
           {"ACG0013",
            "latency is out of range",
            fmt::format("{}", edge.latency),
            {text_of(kEdgeLatency)},
            "give the cycles from one end to the other"});
  }
  check_energy(context.where(path + " energy", edge.where), subject, edge.energy);
  if (!kBurst.contains(edge.burst)) {
    refuse(context.where(path + " burst", edge.where), subject,
           {"ACG0013",
            "burst is out of range",
            fmt::format("{}", edge.burst),
            {text_of(kBurst)},
            "give the beats of a burst on its bus"});
  }
  if (edge.bus.empty() || is_word(edge.bus)) return;
  refuse(context.where(path + " bus", edge.where), subject,
         {"ACG0013",
          "a name that the text form cannot spell",
          edge.bus,
          {"letters, digits and _, not starting with a digit"},
          "choose another name"});
}

/// All instruction words come from one memory.
void check_word_source(const Context& context, size_t index, const std::string& subject) {
  const Machine& machine = context.machine;
  const Edge& edge = machine.edges[index];
  const std::optional<uint32_t> first = instruction_edge(machine);
  if (!is_kind(machine, edge.to, MemoryKind::kInstruction) || first == index) return;
  refuse(edge.where, subject,
         {"ACG0018",
          "a second edge that fills the instruction memory",
          name_of(machine, edge.from),
          {name_of(machine, machine.edges[first.value()].from)},
          "keep one of the two"});
}

}  // namespace

void check_energy(const SourceLocation& where, const std::string& path, double energy) {
  constexpr double kHighest = 1e12;
  if (energy >= 0 && energy <= kHighest) return;
  refuse(where, path,
         {"ACG0013", "energy is out of range", fmt::format("{}", energy), {fmt::format("0..{}", kHighest)}, "give pJ"});
}

void check_ports(const Context& context, const std::string& path, const std::vector<Port>& ports,
                 const SourceLocation& node) {
  std::set<std::string> names;
  for (const Port& port : ports) {
    const std::string place = fmt::format("{} port {}", path, port.name);
    const SourceLocation where = context.where(place, node);
    if (!is_word(port.name)) {
      refuse(where, path,
             {"ACG0013",
              "a name that the text form cannot spell",
              port.name,
              {"letters, digits and _, not starting with a digit"},
              "choose another name"});
    }
    if (!names.insert(port.name).second) {
      refuse(where, path, {"ACG0004", "a name declared twice", port.name, {}, "give one of the two another name"});
    }
    if (kPortWidth.contains(port.width)) continue;
    refuse(context.where(place + " width", where), path,
           {"ACG0013",
            "width is out of range",
            fmt::format("{}", port.width),
            {text_of(kPortWidth)},
            "give the bits per cycle"});
  }
}

void check_edges(const Context& context) {
  const std::vector<Edge>& edges = context.machine.edges;
  std::set<std::pair<NodeId, NodeId>> seen;
  for (size_t i = 0; i < edges.size(); ++i) {
    const Edge& edge = edges[i];
    const std::string subject =
        fmt::format("edge {} -> {}", name_of(context.machine, edge.from), name_of(context.machine, edge.to));
    check_ends(context.machine, edge, subject);
    const std::string path = fmt::format("edge {}", i);
    check_bandwidth(context, edge, path, subject);
    check_costs(context, edge, path, subject);
    check_port(context, edge.from, edge.from_port, true, context.where(path + " from", edge.where), subject);
    check_port(context, edge.to, edge.to_port, false, context.where(path + " to", edge.where), subject);
    if (!seen.insert({edge.from, edge.to}).second) {
      refuse(edge.where, subject, {"ACG0004", "an edge declared twice", subject, {}, "keep one of the two"});
    }
    check_word_source(context, i, subject);
  }
}

}  // namespace covenant::acg::checks
