#include <fmt/format.h>

#include "acg/graph/queries.h"
#include "rtl/gen/emit.h"

namespace covenant::rtl {
namespace {

std::string bytes_of(const std::string& name) { return fmt::format("bytes_of(top.{})", name); }

std::string emit_reads(const Plan& plan) {
  std::string text =
      "/// f(port, valid, address, data, bytes) for every off-chip read port; port 0 is the fetch unit's.\n"
      "template <class F>\nvoid each_read(Vcovenant_top& top, F&& f) {\n";
  text += fmt::format("  f(0U, top.fetch_read_valid_o, top.fetch_read_address_o, {}, {}U);\n",
                      bytes_of("fetch_read_data_i"), plan.fetch_words * 4);
  uint32_t port = 1;
  for (const EnginePlan& engine : plan.engines) {
    if (engine.kind != EngineKind::kLoad) continue;
    text += fmt::format("  f({0}U, top.{1}_read_valid_o, top.{1}_read_address_o, {2}, {3}U);\n", port++, engine.signal,
                        bytes_of(engine.signal + "_read_data_i"), engine.beat_bytes);
  }
  return text + fmt::format("}}\ninline constexpr unsigned kReadPorts = {};\n\n", port);
}

std::string emit_stores(const Plan& plan) {
  std::string text =
      "/// f(engine, valid, address, data, strobe, bytes, tag) for every off-chip write port.\n"
      "template <class F>\nvoid each_store(Vcovenant_top& top, F&& f) {\n";
  for (uint32_t e = 0; e < plan.engines.size(); ++e) {
    const EnginePlan& engine = plan.engines[e];
    if (engine.kind != EngineKind::kStore) continue;
    text += fmt::format(
        "  f({0}U, top.{1}_write_valid_o, top.{1}_write_address_o, {2}, {3}, {4}U, top.observe_{1}_write_tag_o);\n", e,
        engine.signal, bytes_of(engine.signal + "_write_data_o"), bytes_of(engine.signal + "_write_strobe_o"),
        engine.beat_bytes);
  }
  return text + "}\n\n";
}

std::string emit_commands(const Plan& plan) {
  std::string text =
      "/// f(engine, issue, pipelined, last_step, retire, blocked, index, word, stall) for every engine to which "
      "something "
      "happens;\n/// blocked: it waits for a bus.\n"
      "template <class F>\nvoid each_engine(const Vcovenant_top& top, F&& f) {\n";
  for (uint32_t e = 0; e < plan.engines.size(); ++e) {
    const std::string o = "top.observe_" + plan.engines[e].signal;
    const std::string blocked = plan.engines[e].bus.empty() ? "false" : o + "_blocked_o";
    text += fmt::format(
        "  if (({1}_issue_o | {1}_last_step_o | {1}_retire_o | {2}) != 0)\n    f({0}U, {1}_issue_o, {1}_pipelined_o, "
        "{1}_last_step_o, {1}_retire_o, {2}, {1}_index_o, {1}_word_o, {1}_stall_o);\n",
        e, o, blocked);
  }
  return text + fmt::format("}}\ninline constexpr unsigned kEngines = {};\n\n", plan.engines.size());
}

std::string emit_writes(const Plan& plan) {
  std::string text =
      "/// f(engine, memory, address, data, strobe, bytes, tag) for every write port of a scratchpad in use.\n"
      "template <class F>\nvoid each_write(Vcovenant_top& top, F&& f) {\n";
  for (uint32_t e = 0; e < plan.engines.size(); ++e) {
    const EnginePlan& engine = plan.engines[e];
    const std::string o = "observe_" + engine.signal;
    const std::string data = fmt::format("{}, {}", bytes_of(o + "_write_data_o"), bytes_of(o + "_write_strobe_o"));
    if (engine.kind == EngineKind::kLoad) {
      const uint32_t data_bytes = plan.machine->memories[engine.memory].data_width / 8;
      const uint32_t bytes = ((engine.beat_bytes + data_bytes - 2) / data_bytes + 1) * data_bytes;
      text += fmt::format(
          "  if (top.{0}_write_valid_o != 0) f({1}U, {2}U, std::uint64_t{{top.{0}_write_element_o}} * {3}U, {4}, "
          "{5}U, top.{0}_write_tag_o);\n",
          o, e, engine.memory, data_bytes, data, bytes);
    } else if (engine.kind == EngineKind::kSimdArray) {
      text += fmt::format(
          "  if (top.{0}_write_valid_o != 0) f({1}U, top.{0}_write_memory_o, std::uint64_t{{top.{0}_write_element_o}} "
          "* kDataBytes[top.{0}_write_memory_o], {2}, {3}U, 0U);\n",
          o, e, data, integer_attribute(*engine.compute, "lanes") * 4);
    }
  }
  return text + "}\n\n";
}

std::string emit_columns(const Plan& plan) {
  std::string text =
      "/// f(engine, memory, columns, valid, elements, sums, tags) for every systolic array: what its column "
      "accumulators write.\n"
      "template <class F>\nvoid each_array(Vcovenant_top& top, F&& f) {\n";
  for (uint32_t e = 0; e < plan.engines.size(); ++e) {
    const EnginePlan& engine = plan.engines[e];
    if (engine.kind != EngineKind::kSystolicArray) continue;
    const std::string o = "observe_" + engine.signal;
    text += fmt::format("  f({0}U, {1}U, {2}U, {3}, {4}, {5}, {6});\n", e,
                        role(*plan.machine, *engine.compute, "output").value,
                        integer_attribute(*engine.compute, "columns"), bytes_of(o + "_write_valid_o"),
                        bytes_of(o + "_write_element_o"), bytes_of(o + "_write_data_o"), bytes_of(o + "_write_tag_o"));
  }
  return text + "}\n\n";
}

}  // namespace

std::string emit_observer(const Plan& plan) {
  std::string text =
      R"(/// Ports of the Verilated top under names that do not depend on the machine. Written by covenant from its graph.
#pragma once

#include <cstdint>

#include <Vcovenant_top.h>

namespace covenant_observer {

/// The bytes of a port, lowest first: Verilated ports are little-endian integers, or arrays of them.
template <class Port>
std::uint8_t* bytes_of(Port& port) { return reinterpret_cast<std::uint8_t*>(&port); }

)";
  const auto& memories = plan.machine->memories;
  text += fmt::format("inline constexpr unsigned kMemories = {};\ninline constexpr unsigned kOffchip = {};\n",
                      memories.size(), plan.offchip);
  text += fmt::format("inline constexpr unsigned kLatency = {};\ninline constexpr unsigned kFetchWords = {};\n",
                      plan.latency, plan.fetch_words);
  text += fmt::format("inline constexpr std::uint64_t kBytes[{}] = {{", memories.size());
  for (const acg::Memory& memory : memories) {
    const bool has = memory.kind == acg::MemoryKind::kScratchpad;
    text += fmt::format("{}U, ", has ? memory.buffer_bytes() * memory.buffers : 0);
  }
  text += fmt::format("}};  // of scratchpads\ninline constexpr unsigned kDataBytes[{}] = {{", memories.size());
  for (const acg::Memory& memory : memories) text += fmt::format("{}U, ", memory.data_width / 8);
  text += "};\n\n";
  return text + emit_reads(plan) + emit_stores(plan) + emit_commands(plan) + emit_writes(plan) + emit_columns(plan) +
         "}  // namespace covenant_observer\n";
}

}  // namespace covenant::rtl
