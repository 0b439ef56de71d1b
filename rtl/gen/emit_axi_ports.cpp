#include <fmt/format.h>

#include "rtl/gen/emit.h"

namespace covenant::rtl {
namespace {

constexpr std::string_view kHead =
    R"(/// AXI4 masters of the Verilated device under names that do not depend on the machine. Written by covenant from its graph.
#pragma once

#include <cstdint>

#include <Vcovenant_axi_top.h>

namespace covenant_axi_ports {

/// The bytes of a port, lowest first: Verilated ports are little-endian integers, or arrays of them.
template <class Port>
std::uint8_t* bytes_of(Port& port) { return reinterpret_cast<std::uint8_t*>(&port); }

/// Which port it is: the off-chip memory that it asks, its engine's number (of the fetch unit: of engines), bytes of a beat.
struct Place {
  unsigned memory;
  unsigned port;
  unsigned bytes;
};

struct ReadMaster {
  Place place;
  const std::uint8_t& arvalid;
  std::uint8_t& arready;
  const std::uint32_t& araddr;
  const std::uint8_t& arlen;
  std::uint8_t& rvalid;
  const std::uint8_t& rready;
  std::uint8_t* rdata;
  std::uint8_t& rresp;
  std::uint8_t& rlast;
};

struct WriteMaster {
  Place place;
  const std::uint8_t& awvalid;
  std::uint8_t& awready;
  const std::uint32_t& awaddr;
  const std::uint8_t& awlen;
  const std::uint8_t& wvalid;
  std::uint8_t& wready;
  const std::uint8_t* wdata;
  const std::uint8_t* wstrb;
  const std::uint8_t& wlast;
  std::uint8_t& bvalid;
  const std::uint8_t& bready;
  std::uint8_t& bresp;
};

)";

std::string read_master(uint32_t memory, size_t port, uint32_t bytes, const std::string& signal) {
  return fmt::format(R"(  f(ReadMaster{{{{{0}U, {1}U, {2}U}},
               top.m_axi_{3}_arvalid_o, top.m_axi_{3}_arready_i, top.m_axi_{3}_araddr_o, top.m_axi_{3}_arlen_o,
               top.m_axi_{3}_rvalid_i, top.m_axi_{3}_rready_o, bytes_of(top.m_axi_{3}_rdata_i),
               top.m_axi_{3}_rresp_i, top.m_axi_{3}_rlast_i}});
)",
                     memory, port, bytes, signal);
}

std::string write_master(uint32_t memory, size_t port, uint32_t bytes, const std::string& signal) {
  return fmt::format(R"(  f(WriteMaster{{{{{0}U, {1}U, {2}U}},
                top.m_axi_{3}_awvalid_o, top.m_axi_{3}_awready_i, top.m_axi_{3}_awaddr_o, top.m_axi_{3}_awlen_o,
                top.m_axi_{3}_wvalid_o, top.m_axi_{3}_wready_i, bytes_of(top.m_axi_{3}_wdata_o),
                bytes_of(top.m_axi_{3}_wstrb_o), top.m_axi_{3}_wlast_o, top.m_axi_{3}_bvalid_i,
                top.m_axi_{3}_bready_o, top.m_axi_{3}_bresp_i}});
)",
                     memory, port, bytes, signal);
}

}  // namespace

std::string emit_axi_port_access(const Plan& plan) {
  std::string reads, writes;
  for (uint32_t e = 0; e < plan.engines.size(); ++e) {
    const EnginePlan& engine = plan.engines[e];
    if (engine.kind == EngineKind::kLoad) reads += read_master(engine.far, e, engine.beat_bytes, engine.signal);
    if (engine.kind == EngineKind::kStore) writes += write_master(engine.far, e, engine.beat_bytes, engine.signal);
  }
  reads += read_master(plan.words_memory, plan.engines.size(), plan.fetch_bytes, "fetch");
  return fmt::format(
      "{}/// f(ReadMaster) for every read master, in the order of ports.\n"
      "template <class F>\nvoid each_read(Vcovenant_axi_top& top, F&& f) {{\n{}}}\n\n"
      "/// f(WriteMaster) for every write master, in the order of ports.\n"
      "template <class F>\nvoid each_write([[maybe_unused]] Vcovenant_axi_top& top, [[maybe_unused]] F&& f) "
      "{{\n{}}}\n\n"
      "}}  // namespace covenant_axi_ports\n",
      kHead, reads, writes);
}

}  // namespace covenant::rtl
