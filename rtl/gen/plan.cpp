#include "rtl/gen/plan.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <numeric>
#include <optional>

#include "acg/base/failure.h"
#include "acg/graph/queries.h"
#include "acg/isa/word_limits.h"
#include "rtl/gen/names.h"

namespace covenant::rtl {
namespace {

using acg::Machine;
using acg::MemoryKind;

[[noreturn]] void refuse(std::string code, const SourceLocation& where, std::string subject, std::string message,
                         std::string offending, std::vector<std::string> allowed, std::string fix) {
  throw Failure{{std::move(code), where, std::move(subject), std::move(message), std::move(offending),
                 std::move(allowed), std::move(fix)}};
}

uint32_t elements_for(uint64_t bytes, uint32_t data_bytes) {
  return static_cast<uint32_t>((bytes + data_bytes - 2) / data_bytes + 1);
}

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

void check_computes(const Machine& machine) {
  for (const acg::Compute& compute : machine.computes) {
    if (compute.unit == acg::UnitKind::kSystolicArray || compute.unit == acg::UnitKind::kSimdArray) continue;
    refuse("RTL0017", compute.where, "compute " + compute.name, "there is no module of this unit",
           std::string(name_of(compute.unit)), {"systolic_array", "simd_array"}, "leave the node out");
  }
}

/// Enough that no beat waits for a place while memory answers in time (docs/reference/off-chip-port.md).
uint32_t places_of(uint32_t latency) {
  constexpr uint32_t kLeast = 64;
  return std::bit_ceil(std::max(kLeast, 2 * (latency + 2)));
}

std::vector<EnginePlan> plan_engines(const Machine& machine) {
  std::vector<EnginePlan> result;
  for (const acg::Engine& engine : acg::engines(machine)) {
    EnginePlan entry;
    entry.name = engine.name;
    entry.depth = acg::pipeline_depth(machine, engine);
    if (engine.compute) {
      entry.compute = &get(machine, *engine.compute);
      const bool is_array = engine.unit == acg::UnitKind::kSystolicArray;
      entry.kind = is_array ? EngineKind::kSystolicArray : EngineKind::kSimdArray;
    } else {
      const acg::Edge& edge = machine.edges.at(engine.edge.value());
      const acg::TransferEnds ends = acg::transfer_ends(machine, edge).value();
      entry.kind = !ends.has_offchip ? EngineKind::kCopy : ends.loads ? EngineKind::kLoad : EngineKind::kStore;
      entry.memory = ends.near.value;
      entry.far = ends.far.value;
      entry.latency = get(machine, ends.far).latency + edge.latency;
      if (ends.has_offchip) entry.places = places_of(entry.latency);
      entry.beat_bytes = static_cast<uint32_t>(beat_bytes(machine, engine));
      entry.bus = edge.bus;
      entry.burst = edge.burst;
    }
    result.push_back(std::move(entry));
  }
  return result;
}

std::vector<BusPlan> plan_buses(const std::vector<EnginePlan>& engines) {
  std::vector<BusPlan> buses;
  for (uint32_t i = 0; i < engines.size(); ++i) {
    const std::string& name = engines[i].bus;
    if (name.empty()) continue;
    auto found = std::find_if(buses.begin(), buses.end(), [&](const BusPlan& bus) { return bus.name == name; });
    if (found == buses.end()) found = buses.insert(found, {name, {}, {}});
    found->engines.push_back(i);
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

/// Checks a memory with a role: its addresses, and vectors of inputs, are whole elements (RTL0009).
void check_elements(const MemoryPlan& memory, const acg::Memory& declared, uint64_t vector_bytes) {
  if (declared.unit_bytes() % memory.data_bytes == 0 && vector_bytes % memory.data_bytes == 0) return;
  refuse("RTL0009", declared.where, "memory " + declared.name,
         "addresses and vectors of an array's memories are whole elements in the RTL",
         fmt::format("addresses of {} bytes, vectors of {}, elements of {}", declared.unit_bytes(), vector_bytes,
                     memory.data_bytes),
         {fmt::format("multiples of {} bytes", memory.data_bytes)},
         "leave out granularity, or make data_width a divisor of the vector");
}

/// One systolic array's claims on its memories; RTL0003, RTL0009.
void attach_array(const Machine& machine, Plan& plan, uint32_t engine) {
  const acg::Compute& compute = *plan.engines[engine].compute;
  const auto rows = static_cast<uint32_t>(integer_attribute(compute, "rows"));
  const auto columns = static_cast<uint32_t>(integer_attribute(compute, "columns"));
  for (MemoryPlan& memory : plan.memories) {
    const acg::Memory& declared = machine.memories[memory.index];
    const auto plays = [&](std::string_view name) { return role(machine, compute, name).value == memory.index; };
    if (plays("output") && (plays("input") || plays("weight") || plays("bias"))) {
      refuse("RTL0003", declared.where, "memory " + declared.name,
             "a systolic array of the RTL reads what it multiplies and adds before its sums are written",
             fmt::format("output and another role of {}", compute.name), {"no other role beside output"},
             "give the output a memory of its own");
    }
    memory.is_weight = memory.is_weight || plays("weight");
    if (plays("input")) {
      const uint32_t vector_bytes = rows * acg::gemm_bits(machine, compute, 0) / 8;
      check_elements(memory, declared, vector_bytes);
      memory.reads.push_back({engine, 0, vector_bytes / memory.data_bytes});
    }
    for (const bool is_output : {false, true}) {
      if (!plays(is_output ? "output" : "bias")) continue;
      check_elements(memory, declared, uint64_t{4} * columns);
      memory.skews.push_back({engine, columns, is_output});
    }
  }
}

void attach_simd(const Machine& machine, Plan& plan, uint32_t engine) {
  const auto lanes = static_cast<uint32_t>(integer_attribute(*plan.engines[engine].compute, "lanes"));
  const acg::NodeId node = acg::find_compute(machine, plan.engines[engine].name).value();
  for (MemoryPlan& memory : plan.memories) {
    const acg::NodeId id = acg::MemoryId{memory.index};
    const uint32_t narrow = lanes * acg::fill_bytes(machine);  // bytes of the widest vector that may begin within one
    const uint32_t elements = std::max(lanes * 4 / memory.data_bytes, elements_for(narrow, memory.data_bytes));
    if (acg::edge_between(machine, id, node)) {
      memory.reads.push_back({engine, 1, elements});
      memory.reads.push_back({engine, 2, elements});
    }
    if (acg::edge_between(machine, node, id)) memory.writes.push_back({engine, 0, elements});
  }
}

void attach_ports(const Machine& machine, Plan& plan) {
  for (uint32_t i = 0; i < plan.engines.size(); ++i) {
    const EnginePlan& engine = plan.engines[i];
    if (engine.kind == EngineKind::kSystolicArray) attach_array(machine, plan, i);
    if (engine.kind == EngineKind::kSimdArray) attach_simd(machine, plan, i);
    for (MemoryPlan& memory : plan.memories) {
      if (engine.compute != nullptr) continue;
      const PortPlan port{i, 0, elements_for(engine.beat_bytes, memory.data_bytes)};
      if (engine.memory == memory.index)
        (engine.kind == EngineKind::kStore ? memory.reads : memory.writes).push_back(port);
      if (engine.kind == EngineKind::kCopy && engine.far == memory.index) memory.reads.push_back(port);
    }
  }
}

void check_ports(const Machine& machine, Plan& plan) {
  for (MemoryPlan& memory : plan.memories) {
    const acg::Memory& declared = machine.memories[memory.index];
    for (const PortPlan& port : memory.reads) memory.read_elements = std::max(memory.read_elements, port.elements);
    for (const PortPlan& port : memory.writes) memory.write_elements = std::max(memory.write_elements, port.elements);
    for (const SkewPlan& port : memory.skews) memory.skew_columns = std::max(memory.skew_columns, port.columns);
    if (!memory.is_weight) continue;
    const bool loaded = memory.writes.size() == 1 && plan.engines[memory.writes[0].engine].compute == nullptr;
    const size_t readers = memory.reads.size() + memory.skews.size();
    if (!loaded || readers > 0) {
      refuse("RTL0005", declared.where, "memory " + declared.name,
             "a weight memory of the RTL has one edge besides those to its arrays, from another memory",
             fmt::format("{} readers, {} writers besides", readers, memory.writes.size()),
             {"0 readers, 1 writer besides"}, "load weights by one DMA edge only");
    }
  }
}

/// Engines and memories share one space of names; buses have a prefix, which is an own word.
void name_signals(const Machine& machine, Plan& plan) {
  std::vector<std::string> names;
  for (const EnginePlan& engine : plan.engines) names.push_back(engine.name);
  for (const MemoryPlan& memory : plan.memories) names.push_back(machine.memories[memory.index].name);
  std::vector<std::string> signals = identifiers(names);
  auto next = signals.begin();
  for (EnginePlan& engine : plan.engines) engine.signal = *next++;
  for (MemoryPlan& memory : plan.memories) memory.signal = *next++;
  names.clear();
  for (const BusPlan& bus : plan.buses) names.push_back(bus.name);
  signals = identifiers(names);
  next = signals.begin();
  for (BusPlan& bus : plan.buses) bus.signal = "bus_" + *next++;
}

}  // namespace

uint32_t data_bytes_of(const acg::Memory& memory) { return std::max(1U, memory.data_width / 8); }

Result<Plan> plan(const Machine& machine) {
  return guarded<Plan>([&] {
    Plan result;
    result.machine = &machine;
    const acg::Edge& edge = fetch_edge(machine);
    result.words_memory = std::get<acg::MemoryId>(edge.from).value;
    result.slot_bits = slot_bits(machine);
    result.instruction_depth = static_cast<uint32_t>(get(machine, std::get<acg::MemoryId>(edge.to)).depth);
    result.latency = machine.memories[result.words_memory].latency + edge.latency;
    result.places = places_of(result.latency);
    result.fetch_bytes = edge.bandwidth / 8;
    // When a beat does not complete a word, all but this many of its bytes may have arrived already.
    const uint32_t step = std::gcd(machine.word_bytes(), result.fetch_bytes);
    result.fetch_words = (machine.word_bytes() - step + result.fetch_bytes) / machine.word_bytes();
    result.immediate = static_cast<uint32_t>(machine.memories.size());
    for (uint32_t i = 0; i < machine.memories.size(); ++i) {
      if (machine.memories[i].kind == MemoryKind::kImmediate) result.immediate = i;
      if (machine.memories[i].kind == MemoryKind::kScratchpad) result.memories.push_back(plan_memory(machine, i));
    }
    check_computes(machine);
    result.engines = plan_engines(machine);
    result.buses = plan_buses(result.engines);
    name_signals(machine, result);
    attach_ports(machine, result);
    check_ports(machine, result);
    return result;
  });
}

size_t skew_port(const MemoryPlan& memory, uint32_t engine, bool is_output) {
  for (size_t p = 0; p < memory.skews.size(); ++p) {
    if (memory.skews[p].engine == engine && memory.skews[p].is_output == is_output) return p;
  }
  fail("a systolic array without its memory");
}

const MemoryPlan& memory_of_role(const Plan& plan, const acg::Compute& compute, std::string_view name) {
  const uint32_t index = role(*plan.machine, compute, name).value;
  for (const MemoryPlan& memory : plan.memories) {
    if (memory.index == index) return memory;
  }
  fail("a role that no scratchpad plays");
}

}  // namespace covenant::rtl
