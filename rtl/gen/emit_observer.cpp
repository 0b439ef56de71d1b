#include <fmt/format.h>

#include "acg/graph/queries.h"
#include "rtl/gen/emit.h"
#include "rtl/gen/names.h"

namespace covenant::rtl {
namespace {

/// Text of covenant_observer.sv as it grows: ports of the module, its body, what the ports are bound to in the top.
class Module {
 public:
  explicit Module(std::string prefix) : prefix_(std::move(prefix)) {}

  /// An input that only the body reads.
  std::string input(uint64_t bits, const std::string& name, const std::string& net) {
    return declare(bits, name, net, "");
  }
  /// An input that is read from outside as it is.
  void shown(uint64_t bits, const std::string& name, const std::string& net) {
    declare(bits, name, net, " /*verilator public_flat_rd*/");
  }
  /// A net of the body that is read from outside.
  std::string made(uint64_t bits, const std::string& name) {
    body += fmt::format("  logic {}{}{} /*verilator public_flat_rd*/;\n", range(bits), prefix_, name);
    return prefix_ + name;
  }

  std::string ports;
  std::string body;
  std::string binds;

 private:
  static std::string range(uint64_t bits) { return bits == 1 ? "" : fmt::format("[{}:0] ", bits - 1); }
  std::string declare(uint64_t bits, const std::string& name, const std::string& net, std::string_view comment) {
    ports += fmt::format(",\n  input  logic {}{}{}_i{}", range(bits), prefix_, name, comment);
    binds += fmt::format(",\n  .{}{}_i({})", prefix_, name, net);
    return fmt::format("{}{}_i", prefix_, name);
  }

  std::string prefix_;
};

void add_sequencer(Module& module, const EnginePlan& engine, uint32_t word_bits) {
  const std::string sequencer = fmt::format("u_{}_sequencer.", engine.signal);
  // In an engine of off-chip memory, transfers and posts leave the queue of its data path.
  const std::string line =
      is_offchip(engine) ? fmt::format("u_{0}_path.leaves && (u_{0}_path.is_post || u_{0}_path.is_last)", engine.signal)
                         : sequencer + "line_out";
  std::string inputs;
  for (const auto& [name, net] : {std::pair<std::string, std::string>{"moves", "moves"},
                                  {"next", "valid_d"},
                                  {"is_wait", "is_wait"},
                                  {"is_post", "is_post"},
                                  {"is_unit", "is_unit"},
                                  {"is_pipelined", "is_pipelined"},
                                  {"done", "done"}}) {
    inputs += fmt::format(",\n    .{}_i({})", name, module.input(1, name, sequencer + net));
  }
  inputs += fmt::format(",\n    .line_i({})", module.input(1, "line", line));
  module.shown(16, "index", sequencer + "pc_q");
  module.shown(word_bits, "word", sequencer + "word_q");
  module.shown(1, "last_step", fmt::format("u_{}.last_step", engine.signal));
  std::string outputs;
  for (const auto& [bits, name] :
       {std::pair<uint64_t, std::string>{1, "issue"}, {1, "pipelined"}, {32, "stall"}, {1, "retire"}})
    outputs += fmt::format(",\n    .{}_o({})", name, module.made(bits, name));
  module.body += fmt::format("  covenant_observe_sequencer u_{}_sequencer (\n    .clk_i,\n    .rst_ni{}{}\n  );\n",
                             engine.signal, inputs, outputs);
  if (engine.compute != nullptr) return;
  module.shown(1, "is_transfer", fmt::format("u_{}.is_transfer", engine.signal));
  module.shown(1, "beat_moves", fmt::format("u_{}.moves", engine.signal));
}

void add_tags(Module& module, const EnginePlan& engine, uint64_t cycles, uint64_t columns, const std::string& valid,
              const std::string& end) {
  const std::string writes = module.input(1, "writes", valid);
  const std::string last = module.input(1, "ends", end);
  const std::string tag = module.made(columns * 16, "write_tag");
  module.body += fmt::format(R"(  covenant_observe_tags #(
    .Cycles ({}),
    .Columns({})
  ) u_{}_tags (
    .clk_i,
    .rst_ni,
    .valid_i    ({}),
    .last_step_i({}),
    .tag_o      ({})
  );
)",
                             cycles, columns, engine.signal, writes, last, tag);
}

/// Bytes of an engine's write port of a scratchpad.
uint64_t write_bytes(const Plan& plan, const EnginePlan& engine) {
  if (engine.kind == EngineKind::kSimdArray) {
    return static_cast<uint64_t>(integer_attribute(*engine.compute, "lanes")) * 4;
  }
  const uint64_t data_bytes = data_bytes_of(plan.machine->memories[engine.memory]);
  return ((engine.beat_bytes + data_bytes - 2) / data_bytes + 1) * data_bytes;
}

void add_writes(Module& module, const Plan& plan, const EnginePlan& engine) {
  const std::string& s = engine.signal;
  const std::string last_step = fmt::format("u_{}.last_step", s);
  if (engine.kind == EngineKind::kStore) {
    return add_tags(module, engine, 2, 1, fmt::format("{0}_beat_valid && {0}_beat_inside", s), last_step);
  }
  if (engine.kind == EngineKind::kSystolicArray) {
    const auto rows = static_cast<uint64_t>(integer_attribute(*engine.compute, "rows"));
    const auto columns = static_cast<uint64_t>(integer_attribute(*engine.compute, "columns"));
    const MemoryPlan& memory = memory_of_role(plan, *engine.compute, "output");
    const auto index = static_cast<uint32_t>(&engine - plan.engines.data());
    const uint64_t first = skew_port(memory, index, true) * memory.skew_columns;
    const auto skewed = [&](std::string_view net, uint64_t bits) {
      return fmt::format("u_{}.skew_write_{}[{} +: {}]", memory.signal, net, first * bits, columns * bits);
    };
    module.shown(columns, "write_valid", skewed("valid", 1));
    module.shown(columns * 32, "write_element", skewed("element", 32));
    module.shown(columns * 32, "write_data", s + "_sum");
    return add_tags(module, engine, rows + 2, columns, fmt::format("u_{}.is_gemm", s), last_step);
  }
  const uint64_t bytes = write_bytes(plan, engine);
  module.shown(1, "write_valid", s + "_write_valid");
  module.shown(32, "write_element", s + "_write_element");
  module.shown(bytes * 8, "write_data", s + "_write_data");
  module.shown(bytes, "write_strobe", s + "_write_strobe");
  if (engine.kind == EngineKind::kSimdArray) return module.shown(32, "write_memory", s + "_write_memory");
  if (engine.kind == EngineKind::kCopy) {
    return add_tags(module, engine, engine.latency + 1, 1, s + "_beat_valid", last_step);
  }
  // An entry writes in the cycle in which it leaves the queue.
  add_tags(module, engine, 0, 1, s + "_write_valid", fmt::format("{0}_write_valid && u_{0}_path.is_last", s));
}

void add_fetch(Module& module, const Plan& plan) {
  module.ports += ",\n  input  covenant_pkg::fill_t fill_i";
  module.binds += ",\n  .fill_i(fill)";
  module.shown(1, "block_start", "blocks.start");
  module.shown(1, "block_done", "block_done_o");
  const std::string ended = module.input(1, "ended", "u_fetch.ended");
  const std::string kind = module.made(uint64_t{plan.fetch_words} * 3, "seen_kind");
  const std::string word = module.made(uint64_t{plan.fetch_words} * plan.machine->word_bits, "seen_word");
  module.body += fmt::format(R"(  covenant_observe_fetch u_fetch (
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

std::string prefix_of(size_t engine) { return fmt::format("e{}_", engine); }

/// A net of the observer, by the name that Verilator gives it.
std::string net_of(size_t engine, std::string_view name) {
  return fmt::format("top.rootp->covenant_top__DOT__u_observer__DOT__e{}_{}", engine, name);
}

std::string bytes_of(const std::string& name) { return fmt::format("bytes_of({})", name); }

std::string access_commands(const Plan& plan) {
  std::string text =
      "/// f(engine, issue, pipelined, last_step, retire, blocked, index, word, stall) for every engine to which "
      "something\n/// happens. blocked: no beat of its transfer moves. word: its bytes.\n"
      "template <class F>\nvoid each_engine(Vcovenant_top& top, F&& f) {\n";
  for (size_t e = 0; e < plan.engines.size(); ++e) {
    const auto net = [&](std::string_view name) { return net_of(e, name); };
    const std::string blocked = plan.engines[e].compute != nullptr
                                    ? "false"
                                    : fmt::format("({} & ~{} & 1)", net("is_transfer_i"), net("beat_moves_i"));
    text +=
        fmt::format("  if (({} | {} | {} | {}) != 0)\n    f({}U, {}, {}, {}, {}, {}, {}, {}, {});\n", net("issue"),
                    net("last_step_i"), net("retire"), blocked, e, net("issue"), net("pipelined"), net("last_step_i"),
                    net("retire"), blocked, net("index_i"), bytes_of(net("word_i")), net("stall"));
  }
  return text + fmt::format("}}\ninline constexpr unsigned kEngines = {};\n\n", plan.engines.size());
}

std::string access_writes(const Plan& plan) {
  std::string text =
      "/// f(engine, memory, address, data, strobe, bytes, tag) for every write port of a scratchpad in use.\n"
      "template <class F>\nvoid each_write(Vcovenant_top& top, F&& f) {\n";
  for (size_t e = 0; e < plan.engines.size(); ++e) {
    const EnginePlan& engine = plan.engines[e];
    const auto net = [&](std::string_view name) { return net_of(e, name); };
    const bool is_load = engine.kind == EngineKind::kLoad || engine.kind == EngineKind::kCopy;
    if (!is_load && engine.kind != EngineKind::kSimdArray) continue;
    const std::string memory = is_load ? fmt::format("{}U", engine.memory) : net("write_memory_i");
    const std::string tag = is_load ? net("write_tag") : "0U";
    text +=
        fmt::format("  if ({} != 0) {{\n    f({}U, {}, std::uint64_t{{{}}} * kDataBytes[{}], {}, {}, {}U, {});\n  }}\n",
                    net("write_valid_i"), e, memory, net("write_element_i"), memory, bytes_of(net("write_data_i")),
                    bytes_of(net("write_strobe_i")), write_bytes(plan, engine), tag);
  }
  return text + "}\n\n";
}

std::string access_columns(const Plan& plan) {
  std::string text =
      "/// f(engine, memory, columns, valid, elements, sums, tags) for every systolic array: what its column "
      "accumulators\n/// write.\ntemplate <class F>\nvoid each_array(Vcovenant_top& top, F&& f) {\n";
  for (size_t e = 0; e < plan.engines.size(); ++e) {
    const EnginePlan& engine = plan.engines[e];
    if (engine.kind != EngineKind::kSystolicArray) continue;
    const auto bytes = [&](std::string_view name) { return bytes_of(net_of(e, name)); };
    text +=
        fmt::format("  f({}U, {}U, {}U, {}, {}, {}, {});\n", e, role(*plan.machine, *engine.compute, "output").value,
                    integer_attribute(*engine.compute, "columns"), bytes("write_valid_i"), bytes("write_element_i"),
                    bytes("write_data_i"), bytes("write_tag"));
  }
  return text + "}\n\n";
}

/// Tags of stores, blocks and the words that arrived.
std::string access_others(const Plan& plan) {
  std::string text =
      "/// Of the command whose beat stands at an engine's off-chip write port.\n"
      "inline unsigned store_tag(const Vcovenant_top& top, unsigned engine) {\n  switch (engine) {\n";
  for (size_t e = 0; e < plan.engines.size(); ++e) {
    if (plan.engines[e].kind != EngineKind::kStore) continue;
    text += fmt::format("    case {}U: return {};\n", e, net_of(e, "write_tag"));
  }
  text += "    default: return 0U;\n  }\n}\n\n";
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
  Module fetch("");
  add_fetch(fetch, plan);
  std::string ports = fetch.ports;
  std::string body = fetch.body;
  std::string binds = fetch.binds;
  for (size_t e = 0; e < plan.engines.size(); ++e) {
    const EnginePlan& engine = plan.engines[e];
    Module module(prefix_of(e));
    add_sequencer(module, engine, plan.machine->word_bits);
    add_writes(module, plan, engine);
    ports += fmt::format(",\n  // {}{}", comment_of(engine.name), module.ports.substr(1));
    body += fmt::format("\n  // {}\n{}", comment_of(engine.name), module.body);
    binds += module.binds;
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
