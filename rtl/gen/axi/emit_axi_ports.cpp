#include <fmt/format.h>

#include "rtl/gen/axi/emit_axi.h"

namespace covenant::rtl {
namespace {

constexpr std::string_view kHead =
    R"(/// AXI4 masters of the Verilated device under names that do not depend on the machine. Written by covenant from its graph.
#pragma once

#include <cstdint>
#include <span>

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

/// A master with the ports that it serves: its number, bytes of its data, its ports in the order of their ids.
struct Served {
  unsigned master;
  unsigned bus_bytes;
  std::span<const Place> ports;
};

/// A master of one port has no pins of ids.
struct ReadMaster {
  Served served;
  const std::uint8_t* arid;
  std::uint8_t* rid;
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
  Served served;
  const std::uint8_t* awid;
  std::uint8_t* bid;
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

/// The ports that a master serves, before it is handed over.
std::string served(const std::vector<AxiPort>& ports) {
  std::string text = "    static constexpr Place kPorts[] = {";
  for (const AxiPort& port : ports) text += fmt::format("{{{}U, {}U, {}U}}, ", port.memory, port.number, port.bytes);
  return text.erase(text.size() - 2) + "};\n";
}

std::string id_pin(const AxiMaster& master, std::string_view name) {
  return master.is_shared() ? fmt::format("&top.{}_{}", master.prefix, name) : "nullptr";
}

std::string read_master(const AxiMaster& master, size_t number) {
  if (master.reads.empty()) return "";
  return fmt::format(R"(  {{
{0}    f(ReadMaster{{{{{4}U, {5}U, kPorts}}, {1}, {2},
                 top.{3}_arvalid_o, top.{3}_arready_i, top.{3}_araddr_o, top.{3}_arlen_o,
                 top.{3}_rvalid_i, top.{3}_rready_o, bytes_of(top.{3}_rdata_i),
                 top.{3}_rresp_i, top.{3}_rlast_i}});
  }}
)",
                     served(master.reads), id_pin(master, "arid_o"), id_pin(master, "rid_i"), master.prefix, number,
                     master.bytes);
}

std::string write_master(const AxiMaster& master, size_t number) {
  if (master.writes.empty()) return "";
  return fmt::format(R"(  {{
{0}    f(WriteMaster{{{{{4}U, {5}U, kPorts}}, {1}, {2},
                  top.{3}_awvalid_o, top.{3}_awready_i, top.{3}_awaddr_o, top.{3}_awlen_o,
                  top.{3}_wvalid_o, top.{3}_wready_i, bytes_of(top.{3}_wdata_o),
                  bytes_of(top.{3}_wstrb_o), top.{3}_wlast_o, top.{3}_bvalid_i,
                  top.{3}_bready_o, top.{3}_bresp_i}});
  }}
)",
                     served(master.writes), id_pin(master, "awid_o"), id_pin(master, "bid_i"), master.prefix, number,
                     master.bytes);
}

}  // namespace

std::string emit_axi_port_access(const std::vector<AxiMaster>& masters) {
  std::string reads, writes;
  for (size_t number = 0; number < masters.size(); ++number) {
    reads += read_master(masters[number], number);
    writes += write_master(masters[number], number);
  }
  return fmt::format(
      "{}/// f(ReadMaster) for every master that reads, in the order of masters.\n"
      "template <class F>\nvoid each_read(Vcovenant_axi_top& top, F&& f) {{\n{}}}\n\n"
      "/// f(WriteMaster) for every master that writes, likewise.\n"
      "template <class F>\nvoid each_write([[maybe_unused]] Vcovenant_axi_top& top, [[maybe_unused]] F&& f) "
      "{{\n{}}}\n\n"
      "}}  // namespace covenant_axi_ports\n",
      kHead, reads, writes);
}

}  // namespace covenant::rtl
