#include <fmt/format.h>

#include "acg/graph/queries.h"
#include "rtl/gen/emit.h"

namespace covenant::rtl {
namespace {

std::string bytes_of(const std::string& name) { return fmt::format("bytes_of(top.{})", name); }

std::string emit_reads(const Plan& plan) {
  std::string text =
      "/// f(memory, port, latency, valid, address, data, bytes) for every off-chip read port: `memory` is the one "
      "that it\n"
      "/// reads, port 0 the fetch unit's. The answer comes `latency` cycles after its request.\n"
      "template <class F>\nvoid each_read(Vcovenant_top& top, F&& f) {\n";
  text += fmt::format("  f({}U, 0U, {}U, top.fetch_read_valid_o, top.fetch_read_address_o, {}, {}U);\n",
                      plan.words_memory, plan.latency, bytes_of("fetch_read_data_i"), plan.fetch_bytes);
  uint32_t port = 1;
  for (const EnginePlan& engine : plan.engines) {
    if (engine.kind != EngineKind::kLoad) continue;
    text += fmt::format("  f({5}U, {0}U, {1}U, top.{2}_read_valid_o, top.{2}_read_address_o, {3}, {4}U);\n", port++,
                        engine.latency, engine.signal, bytes_of(engine.signal + "_read_data_i"), engine.beat_bytes,
                        engine.far);
  }
  return text + fmt::format("}}\ninline constexpr unsigned kReadPorts = {};\n\n", port);
}

std::string emit_stores(const Plan& plan) {
  std::string text =
      "/// f(memory, engine, latency, valid, address, data, strobe, bytes) for every off-chip write port: `memory` is "
      "the\n"
      "/// one that it writes. The write is seen `latency` cycles later.\n"
      "template <class F>\nvoid each_store(Vcovenant_top& top, F&& f) {\n";
  for (uint32_t e = 0; e < plan.engines.size(); ++e) {
    const EnginePlan& engine = plan.engines[e];
    if (engine.kind != EngineKind::kStore) continue;
    text += fmt::format("  f({6}U, {0}U, {1}U, top.{2}_write_valid_o, top.{2}_write_address_o, {3}, {4}, {5}U);\n", e,
                        engine.latency, engine.signal, bytes_of(engine.signal + "_write_data_o"),
                        bytes_of(engine.signal + "_write_strobe_o"), engine.beat_bytes, engine.far);
  }
  return text + "}\n\n";
}

}  // namespace

std::string emit_port_access(const Plan& plan) {
  std::string text =
      R"(/// Off-chip ports of the Verilated top under names that do not depend on the machine. Written by covenant from its graph.
#pragma once

#include <cstdint>

#include <Vcovenant_top.h>

namespace covenant_ports {

/// The bytes of a port, lowest first: Verilated ports are little-endian integers, or arrays of them.
template <class Port>
std::uint8_t* bytes_of(Port& port) { return reinterpret_cast<std::uint8_t*>(&port); }

)";
  return text + emit_reads(plan) + emit_stores(plan) + "}  // namespace covenant_ports\n";
}

}  // namespace covenant::rtl
