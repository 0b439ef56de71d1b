#include <fmt/format.h>

#include "acg/graph/queries.h"
#include "rtl/gen/emit.h"

namespace covenant::rtl {
namespace {

constexpr std::string_view kTypes = R"(/// An off-chip read port in one cycle.
struct ReadPort {
  unsigned memory;            ///< that it reads
  unsigned port;              ///< its engine's number; of the fetch unit: of engines
  unsigned latency;           ///< an answer does not come sooner after its request
  unsigned places;            ///< beats under way, at most; those of the last burst may be more
  unsigned bytes;             ///< of a beat
  bool asks;                  ///< for a burst:
  std::uint32_t address;
  unsigned beats;
  bool takes;                 ///< the next beat, if it is there
  std::uint8_t& is_answered;  ///< to be set: it is there, with
  std::uint8_t* data;
};

/// An off-chip write port in one cycle.
struct WritePort {
  unsigned memory;           ///< that it writes
  unsigned port;             ///< its engine's number
  unsigned latency;          ///< a write is seen no sooner after it stands at the port
  unsigned bytes;            ///< of a beat
  bool asks;                 ///< for a burst:
  std::uint32_t burst_address;
  unsigned beats;
  bool takes;                ///< that its oldest burst has been written, if it has:
  std::uint8_t& is_written;  ///< to be set
  bool valid;                ///< a beat:
  std::uint32_t address;
  const std::uint8_t* data;
  const std::uint8_t* strobe;
};

)";

std::string emit_reads(const Plan& plan) {
  std::string text =
      "/// f(ReadPort) for every off-chip read port.\n"
      "template <class F>\nvoid each_read(Vcovenant_top& top, F&& f) {\n";
  const auto add = [&](uint32_t memory, size_t port, uint32_t latency, uint32_t places, uint32_t bytes,
                       const std::string& signal, const std::string& beats) {
    text += fmt::format(
        "  f(ReadPort{{{memory}U, {port}U, {latency}U, {places}U, {bytes}U, top.{s}_read_valid_o != 0,\n"
        "             top.{s}_read_address_o, {beats}, top.{s}_answer_ready_o != 0, top.{s}_answer_valid_i,\n"
        "             bytes_of(top.{s}_read_data_i)}});\n",
        fmt::arg("memory", memory), fmt::arg("port", port), fmt::arg("latency", latency), fmt::arg("places", places),
        fmt::arg("bytes", bytes), fmt::arg("s", signal), fmt::arg("beats", beats));
  };
  add(plan.words_memory, plan.engines.size(), plan.latency, plan.places, plan.fetch_bytes, "fetch", "1U");
  for (uint32_t e = 0; e < plan.engines.size(); ++e) {
    const EnginePlan& engine = plan.engines[e];
    if (engine.kind != EngineKind::kLoad) continue;
    add(engine.far, e, engine.latency, engine.places, engine.beat_bytes, engine.signal,
        fmt::format("top.{}_read_beats_o", engine.signal));
  }
  return text + fmt::format("}}\ninline constexpr unsigned kPorts = {};\n\n", plan.engines.size() + 1);
}

std::string emit_stores(const Plan& plan) {
  std::string text =
      "/// f(WritePort) for every off-chip write port.\n"
      "template <class F>\nvoid each_store(Vcovenant_top& top, F&& f) {\n";
  for (uint32_t e = 0; e < plan.engines.size(); ++e) {
    const EnginePlan& engine = plan.engines[e];
    if (engine.kind != EngineKind::kStore) continue;
    text += fmt::format(
        "  f(WritePort{{{memory}U, {port}U, {latency}U, {bytes}U, top.{s}_write_burst_valid_o != 0,\n"
        "              top.{s}_write_burst_address_o, top.{s}_write_burst_beats_o, top.{s}_written_ready_o != 0,\n"
        "              top.{s}_written_i, top.{s}_write_valid_o != 0, top.{s}_write_address_o,\n"
        "              bytes_of(top.{s}_write_data_o), bytes_of(top.{s}_write_strobe_o)}});\n",
        fmt::arg("memory", engine.far), fmt::arg("port", e), fmt::arg("latency", engine.latency),
        fmt::arg("bytes", engine.beat_bytes), fmt::arg("s", engine.signal));
  }
  return text + "}\n\n";
}

/// Ports that a bench never holds back.
std::string emit_open(const Plan& plan) {
  std::string text =
      "/// Both kinds of ports take whatever the machine asks for.\n"
      "inline void open(Vcovenant_top& top) {\n  top.fetch_read_ready_i = 1;\n";
  for (const EnginePlan& engine : plan.engines) {
    if (!is_offchip(engine)) continue;
    text +=
        fmt::format("  top.{}_{}_ready_i = 1;\n", engine.signal, engine.kind == EngineKind::kLoad ? "read" : "write");
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
  return text + std::string(kTypes) + emit_reads(plan) + emit_stores(plan) + emit_open(plan) +
         "}  // namespace covenant_ports\n";
}

}  // namespace covenant::rtl
