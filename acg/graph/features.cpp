#include "acg/graph/features.h"

#include <algorithm>
#include <fmt/format.h>

#include "acg/graph/queries.h"
#include "acg/graph/unit_info.h"

namespace covenant::acg {
namespace {

/// True for the edge by which the fetch unit gets its words.
bool brings_words(const Machine& machine, const Edge& edge) {
  const auto* to = std::get_if<MemoryId>(&edge.to);
  return to != nullptr && get(machine, *to).kind == MemoryKind::kInstruction;
}

void add_computes(const Machine& machine, std::vector<FeatureUse>& uses) {
  for (const Compute& compute : machine.computes) {
    const std::string path = "compute " + compute.name;
    if (compute.trigger != Trigger::kMnemonic) uses.push_back({Feature::kDataflow, compute.where, path, "dataflow"});
    for (const Capability& capability : compute.capabilities) {
      if (capability.occupancy == 1) continue;
      uses.push_back({Feature::kOccupancy, compute.where, path, fmt::format("{}", capability.occupancy)});
    }
  }
}

void add_edges(const Machine& machine, std::vector<FeatureUse>& uses) {
  for (const Edge& edge : machine.edges) {
    const std::string path = fmt::format("edge {} -> {}", name_of(machine, edge.from), name_of(machine, edge.to));
    // Edges that move tiles have engines, which wait, and they share buses (docs/reference/units/dma.md).
    const bool has_transfers = transfer_ends(machine, edge).has_value();
    if (edge.latency != 0 && !has_transfers && !brings_words(machine, edge)) {
      uses.push_back({Feature::kEdgeLatency, edge.where, path, fmt::format("{}", edge.latency)});
    }
    if (!edge.bus.empty() && !has_transfers) {
      uses.push_back({Feature::kBusWithoutTransfers, edge.where, path, edge.bus});
    }
  }
}

struct Words {
  std::string_view what;  ///< the feature, for the message
  std::vector<std::string> allowed{};
  std::string_view fix;  ///< what to change, before "to run programs on this machine"
};

Words words_of(Feature feature) {
  switch (feature) {
    case Feature::kAccesses:
      return {.what = "accesses is", .fix = "leave out accesses"};
    case Feature::kDataflow:
      return {.what = "trigger is", .fix = "leave out trigger"};
    case Feature::kOccupancy:
      return {.what = "occupancy is", .fix = "leave out occupancy"};
    case Feature::kEdgeLatency:
      return {.what = "latency of an edge without transfers is",
              .fix = "leave out latency of an edge without transfers"};
    case Feature::kBusWithoutTransfers:
      return {.what = "bus of an edge without transfers is", .fix = "leave out bus of an edge without transfers"};
    case Feature::kPartsOfBytes:
      return {.what = "elements of less than a byte outside of the scratchpads of a streamed machine are",
              .allowed = {"multiples of 8"},
              .fix = "set data_width to 8"};
  }
  fail("a feature of no kind");
}

}  // namespace

std::vector<FeatureUse> features(const Machine& machine) {
  std::vector<FeatureUse> uses;
  for (const Memory& memory : machine.memories) {
    if (memory.accesses == 1) continue;
    uses.push_back({Feature::kAccesses, memory.where, "memory " + memory.name, fmt::format("{}", memory.accesses)});
  }
  add_computes(machine, uses);
  add_edges(machine, uses);
  // Scratchpads may have narrow elements unless a unit addresses bytes: vectors are whole bytes all the same.
  const bool has_parts =
      std::ranges::none_of(machine.computes, [](const Compute& compute) { return info(compute.unit).addresses_bytes; });
  for (const Memory& memory : machine.memories) {
    if (memory.data_width % 8 == 0 || (has_parts && memory.kind == MemoryKind::kScratchpad)) continue;
    uses.push_back({Feature::kPartsOfBytes, memory.where, "memory " + memory.name,
                    fmt::format("data_width = {}", memory.data_width)});
  }
  return uses;
}

Diagnostic refusal(const FeatureUse& use) {
  Words words = words_of(use.feature);
  return {"ACG0051",
          use.where,
          use.subject,
          fmt::format("{} described, but neither compiled for nor simulated", words.what),
          use.offending,
          std::move(words.allowed),
          fmt::format("{} to run programs on this machine", words.fix)};
}

}  // namespace covenant::acg
