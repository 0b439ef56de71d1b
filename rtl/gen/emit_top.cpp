#include <algorithm>
#include <fmt/format.h>

#include "rtl/gen/common/names.h"
#include "rtl/gen/common/sv_text.h"
#include "rtl/gen/emit.h"

namespace covenant::rtl {

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
      fmt::arg("latency", plan.fetch.latency), fmt::arg("beat", plan.fetch.beat_bytes * 8 - 1));
  for (const std::unique_ptr<Unit>& unit : plan.units) {
    if (!unit->offchip) continue;
    text += fmt::format("  // {}: {} cycles at the least\n", comment_of(unit->name), unit->offchip->latency) +
            declare_port(*unit->offchip, unit->signal);
  }
  return text;
}

namespace {

std::string emit_ports(const Plan& plan) {
  std::string text = fmt::format(R"(  input  logic clk_i,
  input  logic rst_ni,
  // Run the program at entry_i: one cycle of start_i, once after a reset; the next cycle is cycle 0.
  input  logic start_i,
  input  logic [31:0] entry_i,
  output logic done_o,
  output logic block_done_o,  // a block is done in this cycle
  output logic [{faults}:0] fault_o,   // one bit for each engine, then the fetch unit, then the channels
  // One bit for each engine, then the fetch unit: its oldest access is due, and off-chip memory has not answered.
  output logic [{engines}:0] stalled_o,
{memory})",
                                 fmt::arg("engines", plan.units.size()), fmt::arg("faults", plan.units.size() + 1),
                                 fmt::arg("memory", emit_memory_ports(plan)));
  text.erase(text.rfind(','), 1);
  return text;
}

uint32_t buffers_of(const acg::Memory& memory) {
  return memory.kind == acg::MemoryKind::kScratchpad ? memory.buffers : 0;
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
  assign stalled_o[{engines}] = fetch_answer_wanted_o && !fetch_answer_valid_i;
)",
                     fmt::arg("e", plan.units.size() - 1), fmt::arg("e32", plan.units.size() * 32 - 1),
                     fmt::arg("latency", plan.fetch.latency), fmt::arg("places", plan.fetch.places),
                     fmt::arg("engines", plan.units.size()), fmt::arg("memories", plan.machine->memories.size()),
                     fmt::arg("count", 6), fmt::arg("buffers", per_memory(*plan.machine, 8, buffers_of)));
}

/// One unit with its sequencer.
std::string emit_unit(const Plan& plan, const Unit& unit) {
  return fmt::format("\n  // Engine {}: {}\n", unit.index, unit.name) + emit_sequencer_wires(unit.signal) +
         emit_sequencer(plan, unit) + fmt::format("  assign stalled_o[{}] = {};\n", unit.index, unit.stalled()) +
         unit.instance(plan);
}

/// The arbiter of one bus.
std::string emit_bus(const Plan& plan, const BusPlan& bus) {
  std::string text = fmt::format("\n  // Bus {}\n", bus.name);
  for (const std::string_view name : {"request", "ready", "last", "grant"})
    text += fmt::format("  logic [{}:0] {}_{};\n", bus.units.size() - 1, bus.signal, name);
  for (size_t m = 0; m < bus.units.size(); ++m) {
    const std::string& s = plan.units[bus.units[m]]->signal;
    text += fmt::format(
        "  assign {0}_request[{1}] = {2}_bus_request;\n  assign {0}_ready[{1}] = {2}_beat_ready;\n"
        "  assign {0}_last[{1}] = {2}_beat_last;\n"
        "  assign {2}_bus_grant = {0}_grant[{1}];\n",
        bus.signal, m, s);
  }
  uint32_t longest = 1;
  std::string bursts;  // the last member first
  for (const uint32_t unit : bus.units) {
    const uint32_t burst = plan.units[unit]->burst;
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
                            fmt::arg("members", bus.units.size()), fmt::arg("bursts", bursts),
                            fmt::arg("longest", longest), fmt::arg("s", bus.signal));
}

}  // namespace

std::string emit_top(const Plan& plan) {
  std::string text = fmt::format(
      "// The machine `{}`: engines, memories, ports. Written by covenant from its graph: change that, not this file.\n"
      "module covenant_top (\n{});\n",
      plan.machine->name, emit_ports(plan));
  text += "\n  // Between engines and memories\n";
  for (const std::unique_ptr<Unit>& unit : plan.units) text += unit->wires(plan);
  for (const MemoryPlan& memory : plan.memories) text += emit_memory_wires(memory);
  text += emit_fetch(plan);
  for (const std::unique_ptr<Unit>& unit : plan.units) text += emit_unit(plan, *unit);
  for (const BusPlan& bus : plan.buses) text += emit_bus(plan, bus);
  for (const MemoryPlan& memory : plan.memories) text += emit_memory(plan, memory);
  for (const std::unique_ptr<Unit>& unit : plan.units) text += unit->answers(plan);
  return text + "\nendmodule\n";
}

}  // namespace covenant::rtl
