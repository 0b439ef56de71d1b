#include <fmt/format.h>

#include "rtl/gen/common/names.h"
#include "rtl/gen/emit.h"

namespace covenant::rtl {
namespace {

/// Whether an engine's sequencer moves, and what it then does.
void add_sequencer(ObserverPart& part, const Unit& unit, const Observed& observed, uint32_t word_bits) {
  const std::string sequencer = fmt::format("u_{}_sequencer.", unit.signal);
  std::string inputs;
  for (const auto& [name, net] : {std::pair<std::string, std::string>{"moves", "moves"},
                                  {"next", "valid_d"},
                                  {"is_wait", "is_wait"},
                                  {"is_post", "is_post"},
                                  {"is_unit", "is_unit"},
                                  {"is_pipelined", "is_pipelined"},
                                  {"done", "done"}}) {
    inputs += fmt::format(",\n    .{}_i({})", name, part.input(1, name, sequencer + net));
  }
  const std::string line = observed.line.empty() ? sequencer + "line_out" : observed.line;
  inputs += fmt::format(",\n    .line_i({})", part.input(1, "line", line));
  part.shown(16, "index", sequencer + "pc_q");
  part.shown(word_bits, "word", sequencer + "word_q");
  part.shown(1, "last_step", fmt::format("u_{}.last_step", unit.signal));
  std::string outputs;
  for (const auto& [bits, name] :
       {std::pair<uint64_t, std::string>{1, "issue"}, {1, "pipelined"}, {32, "stall"}, {1, "retire"}})
    outputs += fmt::format(",\n    .{}_o({})", name, part.made(bits, name));
  part.body += fmt::format("  covenant_observe_sequencer u_{}_sequencer (\n    .clk_i,\n    .rst_ni{}{}\n  );\n",
                           unit.signal, inputs, outputs);
}

/// The observed nets of a unit, without the text of its part.
Observed observed_of(const Unit& unit, const Plan& plan) {
  ObserverPart part(observer_prefix(unit.index));
  return unit.observe(part, plan);
}

void add_fetch(ObserverPart& part, const Plan& plan) {
  part.ports += ",\n  input  covenant_pkg::fill_t fill_i";
  part.binds += ",\n  .fill_i(fill)";
  part.shown(1, "block_start", "blocks.start");
  part.shown(1, "block_done", "block_done_o");
  const std::string ended = part.input(1, "ended", "u_fetch.ended");
  const std::string kind = part.made(uint64_t{plan.fetch_words} * 3, "seen_kind");
  const std::string word = part.made(uint64_t{plan.fetch_words} * plan.machine->word_bits, "seen_word");
  part.body += fmt::format(R"(  covenant_observe_fetch u_fetch (
    .clk_i,
    .rst_ni,
    .fill_i,
    .ended_i({}),
    .kind_o ({}),
    .word_o ({})
  );
)",
                           ended, kind, word);
}

std::string bytes_of(const std::string& name) { return fmt::format("bytes_of({})", name); }

std::string access_commands(const Plan& plan) {
  std::string text =
      "/// f(engine, issue, pipelined, last_step, retire, blocked, index, word, stall) for every engine to which "
      "something\n/// happens. blocked: no beat of its transfer moves. word: its bytes.\n"
      "template <class F>\nvoid each_engine(Vcovenant_top& top, F&& f) {\n";
  for (const std::unique_ptr<Unit>& unit : plan.units) {
    const uint32_t e = unit->index;
    const auto net = [&](std::string_view name) { return observer_net(e, name); };
    const std::string blocked = observed_of(*unit, plan).blocked;
    text +=
        fmt::format("  if (({} | {} | {} | {}) != 0)\n    f({}U, {}, {}, {}, {}, {}, {}, {}, {});\n", net("issue"),
                    net("last_step_i"), net("retire"), blocked, e, net("issue"), net("pipelined"), net("last_step_i"),
                    net("retire"), blocked, net("index_i"), bytes_of(net("word_i")), net("stall"));
  }
  return text + fmt::format("}}\ninline constexpr unsigned kEngines = {};\n\n", plan.units.size());
}

std::string access_writes(const Plan& plan) {
  std::string text =
      "/// f(engine, memory, address, data, strobe, bytes, tag) for every write port of a scratchpad in use.\n"
      "template <class F>\nvoid each_write(Vcovenant_top& top, F&& f) {\n";
  for (const std::unique_ptr<Unit>& unit : plan.units) {
    const std::optional<Observed::Writes> writes = observed_of(*unit, plan).writes;
    if (!writes) continue;
    const auto net = [&](std::string_view name) { return observer_net(unit->index, name); };
    text +=
        fmt::format("  if ({} != 0) {{\n    f({}U, {}, std::uint64_t{{{}}} * kDataBytes[{}], {}, {}, {}U, {});\n  }}\n",
                    net("write_valid_i"), unit->index, writes->memory, net("write_element_i"), writes->memory,
                    bytes_of(net("write_data_i")), bytes_of(net("write_strobe_i")), writes->bytes, writes->tag);
  }
  return text + "}\n\n";
}

std::string access_columns(const Plan& plan) {
  std::string text =
      "/// f(engine, memory, columns, valid, elements, sums, tags) for every unit with column accumulators: what they\n"
      "/// write.\ntemplate <class F>\nvoid each_columns(Vcovenant_top& top, F&& f) {\n";
  for (const std::unique_ptr<Unit>& unit : plan.units) {
    const std::optional<Observed::Columns> columns = observed_of(*unit, plan).columns;
    if (!columns) continue;
    const auto bytes = [&](std::string_view name) { return bytes_of(observer_net(unit->index, name)); };
    text += fmt::format("  f({}U, {}U, {}U, {}, {}, {}, {});\n", unit->index, columns->memory, columns->columns,
                        bytes("write_valid_i"), bytes("write_element_i"), bytes("write_data_i"), bytes("write_tag"));
  }
  return text + "}\n\n";
}

/// Tags of off-chip writes, blocks and the words that arrived.
std::string access_others(const Plan& plan) {
  std::string text =
      "/// Of the command whose beat stands at an engine's off-chip write port.\n"
      "inline unsigned store_tag(const Vcovenant_top& top, unsigned engine) {\n  switch (engine) {\n";
  for (const std::unique_ptr<Unit>& unit : plan.units) {
    if (!unit->offchip || !unit->offchip->writes) continue;
    text += fmt::format("    case {}U: return {};\n", unit->index, observer_net(unit->index, "write_tag"));
  }
  text += "    default: return 0U;\n  }\n}\n";
  text +=
      "/// Cycles from a beat of an engine to its off-chip write port.\ninline constexpr unsigned "
      "kStoreStages[kEngines] = {";
  for (const std::unique_ptr<Unit>& unit : plan.units) {
    text += fmt::format("{}U, ", unit->offchip ? unit->offchip->stages : 0);
  }
  text += "};\n\n";
  const std::string observer = "top.rootp->covenant_top__DOT__u_observer__DOT__";
  for (const std::string_view name : {"block_start", "block_done"})
    text += fmt::format("inline bool {0}(const Vcovenant_top& top) {{ return {1}{0}_i != 0; }}\n", name, observer);
  for (const std::string_view name : {"seen_kind", "seen_word"}) {
    text += fmt::format("inline const std::uint8_t* {0}(Vcovenant_top& top) {{ return bytes_of({1}{0}); }}\n", name,
                        observer);
  }
  return text + "\n";
}

}  // namespace

std::string emit_observer(const Plan& plan) {
  ObserverPart fetch("");
  add_fetch(fetch, plan);
  std::string ports = fetch.ports;
  std::string body = fetch.body;
  std::string binds = fetch.binds;
  for (const std::unique_ptr<Unit>& unit : plan.units) {
    ObserverPart own(observer_prefix(unit->index));
    const Observed observed = unit->observe(own, plan);
    ObserverPart part(observer_prefix(unit->index));
    add_sequencer(part, *unit, observed, plan.machine->word_bits);
    ports += fmt::format(",\n  // {}{}", comment_of(unit->name), (part.ports + own.ports).substr(1));
    body += fmt::format("\n  // {}\n{}", comment_of(unit->name), part.body + own.body);
    binds += part.binds + own.binds;
  }
  return fmt::format(
      R"(// What retire records of the machine `{}` are made of. Written by covenant from its graph: change that, not this file.
// It reads nets that the machine itself works with, and drives none of them: who wants it, gives it to the simulator too.
module covenant_observer (
  input  logic clk_i,
  input  logic rst_ni{}
);

{}
{}endmodule

bind covenant_top covenant_observer u_observer (
  .clk_i(clk_i),
  .rst_ni(rst_ni){}
);
)",
      plan.machine->name, ports, body, emit_contents(plan), binds);
}

std::string emit_observer_access(const Plan& plan) {
  std::string text =
      R"(/// Nets of the observer in the Verilated top under names that do not depend on the machine. Written by covenant from its
/// graph.
#pragma once

#include <cstdint>

#include <Vcovenant_top___024root.h>

#include "covenant_ports.h"

namespace covenant_observer {

using covenant_ports::bytes_of;

)";
  const auto& memories = plan.machine->memories;
  text += fmt::format("inline constexpr unsigned kMemories = {};\n", memories.size());
  text += fmt::format("inline constexpr unsigned kFetchWords = {};\ninline constexpr unsigned kWordBytes = {};\n",
                      plan.fetch_words, plan.machine->word_bytes());
  text += fmt::format("inline constexpr unsigned kDataBytes[{}] = {{", memories.size());
  for (const acg::Memory& memory : memories) text += fmt::format("{}U, ", data_bytes_of(memory));
  text += "};\n\n";
  return text + access_commands(plan) + access_writes(plan) + access_columns(plan) + access_others(plan) +
         "}  // namespace covenant_observer\n";
}

}  // namespace covenant::rtl
