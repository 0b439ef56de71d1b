#include "acg/graph/modelled.h"

#include <fmt/format.h>

#include "acg/graph/queries.h"

namespace covenant::acg {
namespace {

Diagnostic unmodelled(const SourceLocation& where, std::string subject, std::string_view attribute,
                      std::string offending) {
  return {"ACG0051",
          where,
          std::move(subject),
          fmt::format("{} is described, but neither compiled for nor simulated", attribute),
          std::move(offending),
          {},
          fmt::format("leave out {} to run programs on this machine", attribute)};
}

}  // namespace

Status check_modelled(const Machine& machine) {
  for (const Memory& memory : machine.memories) {
    if (memory.accesses != 1) {
      return unmodelled(memory.where, "memory " + memory.name, "accesses", fmt::format("{}", memory.accesses));
    }
  }
  for (const Compute& compute : machine.computes) {
    const std::string path = "compute " + compute.name;
    if (compute.trigger != Trigger::kMnemonic) return unmodelled(compute.where, path, "trigger", "dataflow");
    for (const Capability& capability : compute.capabilities) {
      if (capability.occupancy == 1) continue;
      return unmodelled(compute.where, path, "occupancy", fmt::format("{}", capability.occupancy));
    }
  }
  for (const Edge& edge : machine.edges) {
    const std::string path = fmt::format("edge {} -> {}", name_of(machine, edge.from), name_of(machine, edge.to));
    if (edge.latency != 0) return unmodelled(edge.where, path, "latency", fmt::format("{}", edge.latency));
    if (!edge.bus.empty()) return unmodelled(edge.where, path, "bus", edge.bus);
  }
  return Done{};
}

}  // namespace covenant::acg
