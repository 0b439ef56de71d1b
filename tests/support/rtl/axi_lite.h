/// A host on the AXI4-Lite port of a Verilated module, one access at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>

namespace covenant::testing {

struct AxiAnswer {
  uint32_t response = 0;  ///< 0: okay, 2: error of the device, 3: no device at this address
  uint32_t value = 0;     ///< result of a read
};

/// Cycles for which each side makes the other one wait.
struct AxiDelays {
  unsigned address = 0;
  unsigned data = 0;
  unsigned response = 0;
};

/// `Top` has the ports s_axil_*. `tick` runs one cycle: outputs settle, then the clock rises.
template <class Top>
class AxiLite {
 public:
  AxiLite(Top& top, std::function<void()> settle, std::function<void()> rise)
      : top_(top), settle_(std::move(settle)), rise_(std::move(rise)) {}

  AxiAnswer read(uint32_t address, AxiDelays delays = {}) {
    top_.s_axil_araddr = static_cast<uint16_t>(address);
    bool is_asked = false;
    for (unsigned cycle = 0; cycle < kPatience; ++cycle) {
      top_.s_axil_arvalid = !is_asked && cycle >= delays.address;
      top_.s_axil_rready = cycle >= delays.address + delays.response;
      settle_();
      is_asked = is_asked || (top_.s_axil_arvalid != 0 && top_.s_axil_arready != 0);
      const bool is_there = top_.s_axil_rvalid != 0 && top_.s_axil_rready != 0;
      const AxiAnswer answer{top_.s_axil_rresp, top_.s_axil_rdata};
      rise_();
      if (is_there) return rest(answer);
    }
    throw std::runtime_error("no answer to a read");
  }

  AxiAnswer write(uint32_t address, uint32_t value, uint32_t strobes = 0xF, AxiDelays delays = {}) {
    top_.s_axil_awaddr = static_cast<uint16_t>(address);
    top_.s_axil_wdata = value;
    top_.s_axil_wstrb = static_cast<uint8_t>(strobes);
    bool has_address = false;
    bool has_data = false;
    for (unsigned cycle = 0; cycle < kPatience; ++cycle) {
      top_.s_axil_awvalid = !has_address && cycle >= delays.address;
      top_.s_axil_wvalid = !has_data && cycle >= delays.data;
      top_.s_axil_bready = cycle >= delays.response;
      settle_();
      has_address = has_address || (top_.s_axil_awvalid != 0 && top_.s_axil_awready != 0);
      has_data = has_data || (top_.s_axil_wvalid != 0 && top_.s_axil_wready != 0);
      const bool is_there = top_.s_axil_bvalid != 0 && top_.s_axil_bready != 0;
      const AxiAnswer answer{top_.s_axil_bresp, 0};
      rise_();
      if (is_there) return rest(answer);
    }
    throw std::runtime_error("no answer to a write");
  }

 private:
  static constexpr unsigned kPatience = 1000;

  AxiAnswer rest(AxiAnswer answer) {
    top_.s_axil_arvalid = top_.s_axil_awvalid = top_.s_axil_wvalid = 0;
    top_.s_axil_rready = top_.s_axil_bready = 0;
    return answer;
  }

  Top& top_;
  std::function<void()> settle_;
  std::function<void()> rise_;
};

}  // namespace covenant::testing
