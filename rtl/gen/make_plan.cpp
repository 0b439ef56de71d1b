#include "rtl/gen/make_plan.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <numeric>
#include <optional>

#include "acg/base/failure.h"
#include "acg/graph/queries.h"
#include "acg/graph/unit_info.h"
#include "rtl/gen/common/names.h"
#include "rtl/gen/stream/units.h"

namespace covenant::rtl {
namespace {

using acg::Machine;
using acg::MemoryKind;

/// The edge by which words come; RTL0008.
const acg::Edge& fetch_edge(const Machine& machine) {
  const std::optional<uint32_t> edge = acg::instruction_edge(machine);
  if (edge) return machine.edges[*edge];
  const bool has_instruction = std::ranges::any_of(
      machine.memories, [](const acg::Memory& memory) { return memory.kind == MemoryKind::kInstruction; });
  refuse("RTL0008", {}, machine.name, "the RTL fetches its words from off-chip memory into an instruction memory",
         has_instruction ? "no edge to the instruction memory" : "no instruction memory", {},
         "declare both, with an edge between them");
}

/// RTL0017.
void check_computes(const Machine& machine) {
  for (const acg::Compute& compute : machine.computes) {
    if (find_unit_row(compute.unit) != nullptr) continue;
    std::vector<std::string> allowed;
    for (const UnitRow& kind : unit_rows()) {
      if (acg::find_compute_unit(kind.kind) != nullptr) allowed.emplace_back(name_of(kind.kind));
    }
    refuse("RTL0017", compute.where, "compute " + compute.name, "there is no module of this unit",
           std::string(name_of(compute.unit)), allowed, "leave the node out");
  }
}

// Verilator takes longer vectors for mistakes.
constexpr uint32_t kMostDelay = 8191;  ///< stages of a queue that holds back what has not been on its way long enough
constexpr uint32_t kMostBits = 4096;   ///< of a beat

uint64_t latency_of(const Machine& machine, const acg::NodeId& node) {
  const auto* memory = std::get_if<acg::MemoryId>(&node);
  return memory == nullptr ? 0 : get(machine, *memory).latency;
}

/// RTL0020.
void check_edges(const Machine& machine) {
  for (const acg::Edge& edge : machine.edges) {
    const uint64_t delay = edge.latency + std::max(latency_of(machine, edge.from), latency_of(machine, edge.to));
    const std::string subject = "edge " + acg::name_of(machine, edge.from) + "->" + acg::name_of(machine, edge.to);
    if (delay > kMostDelay) {
      refuse("RTL0020", edge.where, subject, "the RTL does not delay what crosses an edge for so long",
             fmt::format("{} cycles, those of its memory among them", delay), {fmt::format("up to {}", kMostDelay)},
             "give the edge and its memory shorter latencies");
    }
    if (edge.bandwidth > kMostBits) {
      refuse("RTL0020", edge.where, subject, "beats of the RTL are not as wide as that",
             fmt::format("{} bits per cycle", edge.bandwidth), {fmt::format("up to {}", kMostBits)},
             "give the edge a smaller bandwidth");
    }
  }
}

std::vector<std::unique_ptr<Unit>> make_units(const Machine& machine) {
  std::vector<std::unique_ptr<Unit>> units;
  for (const acg::Engine& engine : acg::engines(machine)) {
    UnitPlan plan;
    plan.name = engine.name;
    plan.index = static_cast<uint32_t>(units.size());
    plan.depth = acg::pipeline_depth(machine, engine);
    if (engine.compute) plan.compute = &get(machine, *engine.compute);
    units.push_back(find_unit_row(engine.unit)->make(machine, engine, std::move(plan)));
  }
  return units;
}

std::vector<BusPlan> plan_buses(const std::vector<std::unique_ptr<Unit>>& units) {
  std::vector<BusPlan> buses;
  for (const std::unique_ptr<Unit>& unit : units) {
    if (unit->bus.empty()) continue;
    auto found = std::ranges::find(buses, unit->bus, &BusPlan::name);
    if (found == buses.end()) found = buses.insert(found, {unit->bus, {}, {}});
    found->units.push_back(unit->index);
  }
  return buses;
}

MemoryPlan plan_memory(const Machine& machine, uint32_t index) {
  const acg::Memory& memory = machine.memories[index];
  MemoryPlan entry;
  entry.index = index;
  entry.data_bytes = data_bytes_of(memory);
  if (memory.data_width > 8 && memory.data_width != 16 && memory.data_width != 32) {
    refuse("RTL0002", memory.where, "memory " + memory.name, "the RTL has elements of 8, 16 or 32 bits",
           fmt::format("{}", memory.data_width), {"8 or a part of it", "16", "32"},
           "split the element into several banks");
  }
  return entry;
}

uint32_t slot_bits(const Machine& machine) {
  uint32_t most = 2;  // no vector of no bits
  for (const acg::Memory& memory : machine.memories) {
    if (memory.kind == MemoryKind::kScratchpad) most = std::max(most, memory.channels);
  }
  return static_cast<uint32_t>(std::bit_width(most - 1));
}

/// Every port is as wide as the widest of its users needs.
void widen_ports(MemoryPlan& memory) {
  for (const ReadClaim& port : memory.reads) memory.read_elements = std::max(memory.read_elements, port.elements);
  for (const WriteClaim& port : memory.writes) memory.write_elements = std::max(memory.write_elements, port.elements);
  for (const SkewClaim& port : memory.skews) memory.skew_columns = std::max(memory.skew_columns, port.columns);
}

/// Units and memories share one space of names; buses have a prefix, which is an own word.
void name_signals(const Machine& machine, Plan& plan) {
  std::vector<std::string> names;
  for (const std::unique_ptr<Unit>& unit : plan.units) names.push_back(unit->name);
  for (const MemoryPlan& memory : plan.memories) names.push_back(machine.memories[memory.index].name);
  std::vector<std::string> signals = identifiers(names);
  auto next = signals.begin();
  for (const std::unique_ptr<Unit>& unit : plan.units) unit->signal = *next++;
  for (MemoryPlan& memory : plan.memories) memory.signal = *next++;
  names.clear();
  for (const BusPlan& bus : plan.buses) names.push_back(bus.name);
  signals = identifiers(names);
  next = signals.begin();
  for (BusPlan& bus : plan.buses) bus.signal = "bus_" + *next++;
}

}  // namespace

Result<Plan> make_plan(const Machine& machine) {
  return guarded<Plan>([&] {
    Plan result;
    result.machine = &machine;
    const acg::Edge& edge = fetch_edge(machine);
    const acg::MemoryId words = std::get<acg::MemoryId>(edge.from);
    const uint32_t latency = get(machine, words).latency + edge.latency;
    const uint32_t beat_bytes = edge.bandwidth / 8;
    result.fetch = {false, words.value, latency, places_for(latency), beat_bytes, 0};
    result.slot_bits = slot_bits(machine);
    result.instruction_depth = static_cast<uint32_t>(get(machine, std::get<acg::MemoryId>(edge.to)).depth);
    // When a beat does not complete a word, all but this many of its bytes may have arrived already.
    const uint32_t step = std::gcd(machine.word_bytes(), beat_bytes);
    result.fetch_words = (machine.word_bytes() - step + beat_bytes) / machine.word_bytes();
    result.immediate = static_cast<uint32_t>(machine.memories.size());
    for (uint32_t i = 0; i < machine.memories.size(); ++i) {
      if (machine.memories[i].kind == MemoryKind::kImmediate) result.immediate = i;
      if (machine.memories[i].kind == MemoryKind::kScratchpad) result.memories.push_back(plan_memory(machine, i));
    }
    check_computes(machine);
    check_edges(machine);
    result.units = make_units(machine);
    result.buses = plan_buses(result.units);
    name_signals(machine, result);
    for (const std::unique_ptr<Unit>& unit : result.units) unit->claim(result);
    std::ranges::for_each(result.memories, widen_ports);
    for (const std::unique_ptr<Unit>& unit : result.units) unit->check_claims(result);
    return result;
  });
}

}  // namespace covenant::rtl
