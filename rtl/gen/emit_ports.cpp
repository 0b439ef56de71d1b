#include <fmt/format.h>

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
  const auto add = [&](const OffchipPort& port, size_t number, const std::string& signal, const std::string& beats) {
    text += fmt::format(
        "  f(ReadPort{{{memory}U, {port}U, {latency}U, {places}U, {bytes}U, top.{s}_read_valid_o != 0,\n"
        "             top.{s}_read_address_o, {beats}, top.{s}_answer_ready_o != 0, top.{s}_answer_valid_i,\n"
        "             bytes_of(top.{s}_read_data_i)}});\n",
        fmt::arg("memory", port.memory), fmt::arg("port", number), fmt::arg("latency", port.latency),
        fmt::arg("places", port.places), fmt::arg("bytes", port.beat_bytes), fmt::arg("s", signal),
        fmt::arg("beats", beats));
  };
  add(plan.fetch, plan.units.size(), "fetch", "1U");
  for (const std::unique_ptr<Unit>& unit : plan.units) {
    if (!unit->offchip || unit->offchip->writes) continue;
    add(*unit->offchip, unit->index, unit->signal, fmt::format("top.{}_read_beats_o", unit->signal));
  }
  return text + fmt::format("}}\ninline constexpr unsigned kPorts = {};\n\n", plan.units.size() + 1);
}

std::string emit_stores(const Plan& plan) {
  std::string text =
      "/// f(WritePort) for every off-chip write port.\n"
      "template <class F>\nvoid each_store(Vcovenant_top& top, F&& f) {\n";
  for (const std::unique_ptr<Unit>& unit : plan.units) {
    if (!unit->offchip || !unit->offchip->writes) continue;
    text += fmt::format(
        "  f(WritePort{{{memory}U, {port}U, {latency}U, {bytes}U, top.{s}_write_burst_valid_o != 0,\n"
        "              top.{s}_write_burst_address_o, top.{s}_write_burst_beats_o, top.{s}_written_ready_o != 0,\n"
        "              top.{s}_written_i, top.{s}_write_valid_o != 0, top.{s}_write_address_o,\n"
        "              bytes_of(top.{s}_write_data_o), bytes_of(top.{s}_write_strobe_o)}});\n",
        fmt::arg("memory", unit->offchip->memory), fmt::arg("port", unit->index),
        fmt::arg("latency", unit->offchip->latency), fmt::arg("bytes", unit->offchip->beat_bytes),
        fmt::arg("s", unit->signal));
  }
  return text + "}\n\n";
}

/// Ports that a bench never holds back.
std::string emit_open(const Plan& plan) {
  std::string text =
      "/// Both kinds of ports take whatever the machine asks for.\n"
      "inline void open(Vcovenant_top& top) {\n  top.fetch_read_ready_i = 1;\n";
  for (const std::unique_ptr<Unit>& unit : plan.units) {
    if (!unit->offchip) continue;
    text += fmt::format("  top.{}_{}_ready_i = 1;\n", unit->signal, unit->offchip->writes ? "write" : "read");
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
