#include <algorithm>
#include <fmt/format.h>

#include "acg/graph/queries.h"
#include "rtl/gen/emit.h"

namespace covenant::rtl {

std::string vector_of(uint64_t bits) { return fmt::format("[{}:0]", bits - 1); }

std::string emit_memory_ports(const Plan& plan) {
  std::string text = fmt::format(
      R"(  // Off-chip ports (docs/reference/rtl.md). Addresses are those of aligned beats.
  // Fetch unit: {latency} cycles at the least
  output logic fetch_read_valid_o,
  output logic [31:0] fetch_read_address_o,
  input  logic fetch_read_ready_i,
  input  logic fetch_answer_valid_i,
  output logic fetch_answer_ready_o,
  output logic fetch_answer_wanted_o,
  input  logic [{beat}:0] fetch_read_data_i,
)",
      fmt::arg("latency", plan.latency), fmt::arg("beat", plan.fetch_bytes * 8 - 1));
  for (uint32_t e = 0; e < plan.engines.size(); ++e) text += emit_engine_ports(plan, e);
  return text;
}

namespace {

/// An engine's write port of a scratchpad.
std::string emit_write_wires(const std::string& s, uint64_t bytes) {
  return wire(1, s + "_write_valid") + wire(32, s + "_write_element") + wire(bytes * 8, s + "_write_data") +
         wire(bytes, s + "_write_strobe");
}

/// Signals between engines and memories, declared before either.
std::string emit_engine_wires(const EnginePlan& engine, const Plan& plan) {
  const std::string& s = engine.signal;
  if (engine.kind == EngineKind::kSystolicArray) {
    const auto rows = static_cast<uint64_t>(integer_attribute(*engine.compute, "rows"));
    const auto columns = static_cast<uint64_t>(integer_attribute(*engine.compute, "columns"));
    return fmt::format(
        "  logic {0}_input_valid, {0}_accumulate;\n  logic [31:0] {0}_input_element, {0}_bias_element, "
        "{0}_output_element;\n  logic {1} {0}_input_data;\n  logic {2} {0}_bias_data, {0}_output_data, {0}_sum;\n",
        s, vector_of(rows * acg::gemm_bits(*plan.machine, *engine.compute, 0)), vector_of(columns * 32));
  }
  if (engine.kind == EngineKind::kSimdArray) {
    const auto lanes = static_cast<uint64_t>(integer_attribute(*engine.compute, "lanes"));
    std::string text;
    for (const std::string_view source : {"src1", "src2"}) {
      text += fmt::format(
          "  logic {0}_{1}_valid;\n  logic [31:0] {0}_{1}_memory, {0}_{1}_element, {0}_{1}_from;\n"
          "  logic {2} {0}_{1}_data;\n",
          s, source, vector_of(lanes * 32));
    }
    return text + wire(32, s + "_write_memory") + emit_write_wires(s, lanes * 4);
  }
  const auto bytes_at_once = [&](uint32_t memory) {
    const uint32_t data_bytes = data_bytes_of(plan.machine->memories[memory]);
    return uint64_t{(engine.beat_bytes + data_bytes - 2) / data_bytes + 1} * data_bytes;
  };
  std::string text;
  if (engine.kind != EngineKind::kStore) text += emit_write_wires(s, bytes_at_once(engine.memory));
  if (engine.kind == EngineKind::kLoad) return text;
  const uint32_t read = engine.kind == EngineKind::kStore ? engine.memory : engine.far;
  return text + fmt::format("  logic {0}_read_valid;\n  logic [31:0] {0}_read_element;\n  logic {1} {0}_read_data;\n",
                            s, vector_of(bytes_at_once(read) * 8));
}

/// A SIMD source takes its data from the memory that it has requested.
std::string emit_source(const Plan& plan, uint32_t engine, uint32_t operand) {
  const std::string& s = plan.engines[engine].signal;
  std::string text = fmt::format("  always_comb begin\n    unique case ({}_src{}_from)\n", s, operand);
  for (const MemoryPlan& memory : plan.memories) {
    for (size_t p = 0; p < memory.reads.size(); ++p) {
      if (memory.reads[p].engine != engine || memory.reads[p].operand != operand) continue;
      const uint64_t low = p * memory.read_elements * memory.data_bytes * 8;
      const uint64_t bits = uint64_t{memory.reads[p].elements} * memory.data_bytes * 8;
      text += fmt::format("      32'd{}: {}_src{}_data = {}_read_data[{}:{}];\n", memory.index, s, operand,
                          memory.signal, low + bits - 1, low);
    }
  }
  return text + fmt::format("      default: {}_src{}_data = '0;\n    endcase\n  end\n", s, operand);
}

std::string emit_ports(const Plan& plan) {
  std::string text =
      fmt::format(R"(  input  logic clk_i,
  input  logic rst_ni,
  // Run the program at entry_i: one cycle of start_i, once after a reset; the next cycle is cycle 0.
  input  logic start_i,
  input  logic [31:0] entry_i,
  output logic done_o,
  output logic block_done_o,  // a block is done in this cycle
  output logic [{faults}:0] fault_o,   // one bit for each engine, then the fetch unit, then the channels
  output logic [{engines}:0] stalled_o,  // a beat of this engine waits for its off-chip memory
{memory})",
                  fmt::arg("engines", plan.engines.size() - 1), fmt::arg("faults", plan.engines.size() + 1),
                  fmt::arg("memory", emit_memory_ports(plan)));
  text.erase(text.rfind(','), 1);
  return text;
}

std::string emit_fetch(const Plan& plan) {
  return fmt::format(R"(
  covenant_pkg::fill_t fill;
  covenant_pkg::blocks_t blocks;
  logic fetch_fault, channel_fault;
  logic [{e}:0] busy, fault, waits, token, post;
  logic [{e32}:0] wait_counter, post_counter;

  covenant_fetch #(
    .Latency({latency}),
    .Places ({places})
  ) u_fetch (
    .clk_i,
    .rst_ni,
    .start_i,
    .entry_i,
    .done_o,
    .fault_o         (fetch_fault),
    .read_valid_o    (fetch_read_valid_o),
    .read_address_o  (fetch_read_address_o),
    .read_ready_i    (fetch_read_ready_i),
    .answer_valid_i  (fetch_answer_valid_i),
    .answer_ready_o  (fetch_answer_ready_o),
    .answer_wanted_o (fetch_answer_wanted_o),
    .read_data_i     (fetch_read_data_i),
    .fill_o          (fill),
    .blocks_o        (blocks),
    .block_done_o,
    .busy_i          (|busy)
  );

  covenant_channel #(
    .NumEngines ({engines}),
    .NumMemories({memories}),
    .CountWidth ({count}),
    .Buffers    ({buffers})
  ) u_channel (
    .clk_i,
    .rst_ni,
    .clear_i       (blocks.start),
    .wait_i        (waits),
    .wait_counter_i(wait_counter),
    .token_o       (token),
    .post_i        (post),
    .post_counter_i(post_counter),
    .overflow_o    (channel_fault)
  );
  assign fault_o = {{channel_fault, fetch_fault, fault}};
)",
                     fmt::arg("e", plan.engines.size() - 1), fmt::arg("e32", plan.engines.size() * 32 - 1),
                     fmt::arg("latency", plan.latency), fmt::arg("places", plan.places),
                     fmt::arg("engines", plan.engines.size()), fmt::arg("memories", plan.machine->memories.size()),
                     fmt::arg("count", 6), fmt::arg("buffers", [&] {
                       std::string list = "{";
                       for (size_t i = plan.machine->memories.size(); i-- > 0;) {
                         const acg::Memory& memory = plan.machine->memories[i];
                         const bool has = memory.kind == acg::MemoryKind::kScratchpad;
                         list += fmt::format("8'd{}{}", has ? memory.buffers : 0, i == 0 ? "}" : ", ");
                       }
                       return list;
                     }()));
}

/// The arbiter of one bus.
std::string emit_bus(const Plan& plan, const BusPlan& bus) {
  std::string text = fmt::format("\n  // Bus {}\n", bus.name);
  for (const std::string_view name : {"request", "ready", "last", "grant"})
    text += fmt::format("  logic [{}:0] {}_{};\n", bus.engines.size() - 1, bus.signal, name);
  for (size_t m = 0; m < bus.engines.size(); ++m) {
    const std::string& s = plan.engines[bus.engines[m]].signal;
    text += fmt::format(
        "  assign {0}_request[{1}] = {2}_bus_request;\n  assign {0}_ready[{1}] = {2}_beat_ready;\n"
        "  assign {0}_last[{1}] = {2}_beat_last;\n"
        "  assign {2}_bus_grant = {0}_grant[{1}];\n",
        bus.signal, m, s);
  }
  uint32_t longest = 1;
  std::string bursts;  // the last member first
  for (const uint32_t engine : bus.engines) {
    const uint32_t burst = plan.engines[engine].burst;
    longest = std::max(longest, burst);
    bursts = fmt::format("32'd{}{}{}", burst, bursts.empty() ? "" : ", ", bursts);
  }
  return text + fmt::format(R"(
  covenant_bus #(
    .Members     ({members}),
    .BurstBeats  ({{{bursts}}}),
    .LongestBurst({longest})
  ) u_{s} (
    .clk_i,
    .rst_ni,
    .clear_i  (blocks.start),
    .request_i({s}_request),
    .ready_i  ({s}_ready),
    .last_i   ({s}_last),
    .grant_o  ({s}_grant)
  );
)",
                            fmt::arg("members", bus.engines.size()), fmt::arg("bursts", bursts),
                            fmt::arg("longest", longest), fmt::arg("s", bus.signal));
}

}  // namespace

std::string emit_top(const Plan& plan) {
  std::string text = fmt::format(
      "// The machine `{}`: engines, memories, ports. Written by covenant from its graph: change that, not this file.\n"
      "module covenant_top (\n{});\n",
      plan.machine->name, emit_ports(plan));
  text += "\n  // Between engines and memories\n";
  for (const EnginePlan& engine : plan.engines) text += emit_engine_wires(engine, plan);
  for (const MemoryPlan& memory : plan.memories) text += emit_memory_wires(memory);
  text += emit_fetch(plan);
  for (uint32_t e = 0; e < plan.engines.size(); ++e) text += emit_engine(plan, e);
  for (const BusPlan& bus : plan.buses) text += emit_bus(plan, bus);
  for (const MemoryPlan& memory : plan.memories) text += emit_memory(plan, memory);
  for (uint32_t e = 0; e < plan.engines.size(); ++e) {
    if (plan.engines[e].kind != EngineKind::kSimdArray) continue;
    text += "\n  // Sources of " + plan.engines[e].name + "\n" + emit_source(plan, e, 1) + emit_source(plan, e, 2);
  }
  return text + "\nendmodule\n";
}

}  // namespace covenant::rtl
