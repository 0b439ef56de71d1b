#include <fmt/format.h>

#include "acg/graph/queries.h"
#include "acg/graph/validate_context.h"

namespace covenant::acg::checks {
namespace {

constexpr uint32_t kMaxBandwidth = 1U << 16;

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
  if (edge.bandwidth == 0 && is_offchip) {
    refuse(edge.where, subject,
           {"ACG0014", "an attribute is missing", "bandwidth", {}, "give the bits per cycle: `{ bandwidth = 128; }`"});
  }
  const std::string shown = fmt::format("{}", edge.bandwidth);
  const uint32_t word = is_kind(machine, edge.to, MemoryKind::kInstruction) ? machine.word_bits : 8;
  if (edge.bandwidth % word != 0) {
    refuse(where, subject,
           {"ACG0013",
            word == 8 ? "bandwidth is not whole bytes" : "bandwidth is not whole instruction words",
            shown,
            {fmt::format("multiples of {}", word)},
            fmt::format("use {}", (edge.bandwidth / word + 1) * word)});
  }
  if (edge.bandwidth > kMaxBandwidth) {
    refuse(where, subject,
           {"ACG0013",
            "bandwidth is out of range",
            shown,
            {fmt::format("8..{}", kMaxBandwidth)},
            "give the bits per cycle"});
  }
}

}  // namespace

void check_edges(const Context& context) {
  const std::vector<Edge>& edges = context.machine.edges;
  for (size_t i = 0; i < edges.size(); ++i) {
    const Edge& edge = edges[i];
    const std::string subject =
        fmt::format("edge {} -> {}", name_of(context.machine, edge.from), name_of(context.machine, edge.to));
    check_ends(context.machine, edge, subject);
    check_bandwidth(context, edge, fmt::format("edge {}", i), subject);
    for (size_t j = 0; j < i; ++j) {
      if (edges[j].from == edge.from && edges[j].to == edge.to) {
        refuse(edge.where, subject, {"ACG0004", "an edge declared twice", subject, {}, "keep one of the two"});
      }
    }
  }
}

}  // namespace covenant::acg::checks
