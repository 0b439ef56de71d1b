// Wraps one Verilated device: gives its pins names that do not depend on the machine. Compiled together with the model;
// knows the machine only through covenant_axi_ports.h.
#include <Vcovenant_axi_top___024root.h>
#include <covenant_axi_ports.h>
#include <cstring>
#include <verilated.h>

#include "rtl/cosim/device_abi.h"

namespace {

namespace ports = covenant_axi_ports;
using covenant::rtl::AxiResponse;
using covenant::rtl::DevicePins;
using covenant::rtl::HostPins;
using covenant::rtl::ReadPins;
using covenant::rtl::WritePins;

constexpr int kResetCycles = 4;

class Device final : public covenant::rtl::VerilatedDevice {
 public:
  Device() : top_(&context_) {
    ports::each_read(top_, [&](const ports::ReadMaster& master) {
      ReadPins& pins = pins_.reads.emplace_back();
      describe(master.served, pins);
      pins.rdata.resize(master.served.bus_bytes);
    });
    ports::each_write(top_, [&](const ports::WriteMaster& master) {
      WritePins& pins = pins_.writes.emplace_back();
      describe(master.served, pins);
      pins.wdata.resize(master.served.bus_bytes);
      pins.wstrb.resize((master.served.bus_bytes + 7) / 8);
    });
  }
  ~Device() override { top_.final(); }

  DevicePins& pins() override { return pins_; }

  void reset() override {
    // Reset begins before the first clock edge: at that, registers that hold anything could write anything to memories.
    drive();
    top_.clk_i = 0;
    top_.rst_ni = 1;
    top_.eval();
    top_.rst_ni = 0;
    for (int k = 0; k < kResetCycles; ++k) {
      settle();
      rise();
    }
    top_.rst_ni = 1;
    settle();
    rise();
  }

  void rise() override {
    top_.clk_i = 1;
    top_.eval();
    context_.timeInc(1);
    sample();
  }

  void settle() override {
    drive();
    top_.clk_i = 0;
    top_.eval();
    context_.timeInc(1);
    sample();
  }

  std::optional<uint32_t> look(uint32_t address) override {
    auto& root = *top_.rootp;
    const Request before = request();
    set({1, static_cast<uint8_t>(address), 0, 0});
    const bool is_refused = root.covenant_axi_top__DOT__u_host__DOT__u_registers__DOT__readback_err != 0;
    const uint32_t value = root.covenant_axi_top__DOT__u_host__DOT__u_registers__DOT__readback_data;
    set(before);
    if (is_refused) return std::nullopt;
    return value;
  }

 private:
  /// State of the registers' bus interface: a read that has arrived, what came before it, and the number of accesses in
  /// progress.
  struct Request {
    uint8_t is_there;
    uint8_t address;
    uint8_t is_after_read;
    uint8_t under_way;
  };
  Request request() {
    auto& root = *top_.rootp;
    return {root.covenant_axi_top__DOT__u_host__DOT__u_registers__DOT__axil_arvalid,
            root.covenant_axi_top__DOT__u_host__DOT__u_registers__DOT__axil_araddr,
            root.covenant_axi_top__DOT__u_host__DOT__u_registers__DOT__axil_prev_was_rd,
            root.covenant_axi_top__DOT__u_host__DOT__u_registers__DOT__axil_n_in_flight};
  }
  /// Updates combinational outputs; without a clock edge nothing else changes.
  void set(const Request& request) {
    auto& root = *top_.rootp;
    root.covenant_axi_top__DOT__u_host__DOT__u_registers__DOT__axil_arvalid = request.is_there;
    root.covenant_axi_top__DOT__u_host__DOT__u_registers__DOT__axil_araddr = request.address;
    root.covenant_axi_top__DOT__u_host__DOT__u_registers__DOT__axil_prev_was_rd = request.is_after_read;
    root.covenant_axi_top__DOT__u_host__DOT__u_registers__DOT__axil_n_in_flight = request.under_way;
    top_.eval();
  }

  template <class Pins>
  static void describe(const ports::Served& served, Pins& pins) {
    pins.master = served.master;
    pins.bus_bytes = served.bus_bytes;
    for (const ports::Place& place : served.ports) pins.ports.push_back({place.memory, place.port, place.bytes});
  }

  void drive() {
    const HostPins& host = pins_.host;
    top_.s_axil_awvalid = host.awvalid;
    top_.s_axil_awaddr = static_cast<uint16_t>(host.awaddr & 0xFFFU);
    top_.s_axil_awprot = 0;
    top_.s_axil_wvalid = host.wvalid;
    top_.s_axil_wdata = host.wdata;
    top_.s_axil_wstrb = static_cast<uint8_t>(host.wstrb);
    top_.s_axil_bready = host.bready;
    top_.s_axil_arvalid = host.arvalid;
    top_.s_axil_araddr = static_cast<uint16_t>(host.araddr & 0xFFFU);
    top_.s_axil_arprot = 0;
    top_.s_axil_rready = host.rready;
    auto read = pins_.reads.begin();
    ports::each_read(top_, [&](const ports::ReadMaster& master) { drive(master, *read++); });
    auto write = pins_.writes.begin();
    ports::each_write(top_, [&](const ports::WriteMaster& master) { drive(master, *write++); });
  }
  static void drive(const ports::ReadMaster& master, const ReadPins& pins) {
    master.arready = pins.arready;
    master.rvalid = pins.rvalid;
    master.rlast = pins.rlast;
    if (master.rid != nullptr) *master.rid = static_cast<uint8_t>(pins.rid);
    master.rresp = static_cast<uint8_t>(pins.rresp);
    if (pins.rvalid) std::memcpy(master.rdata, pins.rdata.data(), pins.rdata.size());
  }
  static void drive(const ports::WriteMaster& master, const WritePins& pins) {
    master.awready = pins.awready;
    master.wready = pins.wready;
    master.bvalid = pins.bvalid;
    if (master.bid != nullptr) *master.bid = static_cast<uint8_t>(pins.bid);
    master.bresp = static_cast<uint8_t>(pins.bresp);
  }

  void sample() {
    HostPins& host = pins_.host;
    host.awready = top_.s_axil_awready != 0;
    host.wready = top_.s_axil_wready != 0;
    host.bvalid = top_.s_axil_bvalid != 0;
    host.bresp = AxiResponse{top_.s_axil_bresp};
    host.arready = top_.s_axil_arready != 0;
    host.rvalid = top_.s_axil_rvalid != 0;
    host.rdata = top_.s_axil_rdata;
    host.rresp = AxiResponse{top_.s_axil_rresp};
    host.interrupt = top_.irq_o != 0;
    pins_.is_busy = top_.rootp->covenant_axi_top__DOT__u_host__DOT__run_busy != 0;
    auto read = pins_.reads.begin();
    ports::each_read(top_, [&](const ports::ReadMaster& master) { sample(master, *read++); });
    auto write = pins_.writes.begin();
    ports::each_write(top_, [&](const ports::WriteMaster& master) { sample(master, *write++); });
  }
  static void sample(const ports::ReadMaster& master, ReadPins& pins) {
    pins.arvalid = master.arvalid != 0;
    pins.arid = master.arid != nullptr ? *master.arid : 0;
    pins.araddr = master.araddr;
    pins.arlen = master.arlen;
    pins.rready = master.rready != 0;
  }
  static void sample(const ports::WriteMaster& master, WritePins& pins) {
    pins.awvalid = master.awvalid != 0;
    pins.awid = master.awid != nullptr ? *master.awid : 0;
    pins.awaddr = master.awaddr;
    pins.awlen = master.awlen;
    pins.wvalid = master.wvalid != 0;
    pins.wlast = master.wlast != 0;
    if (pins.wvalid) {
      std::memcpy(pins.wdata.data(), master.wdata, pins.wdata.size());
      std::memcpy(pins.wstrb.data(), master.wstrb, pins.wstrb.size());
    }
    pins.bready = master.bready != 0;
  }

  VerilatedContext context_;
  Vcovenant_axi_top top_;
  DevicePins pins_;
};

}  // namespace

extern "C" covenant::rtl::VerilatedDevice* covenant_make_device() { return new Device; }
