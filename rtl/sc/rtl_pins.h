/// Connects the sockets of an RtlAccelerator with the pins of its Verilated device, and drives its clock.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <systemc>
#include <vector>

#include "rtl/cosim/device_abi.h"
#include "rtl/sc/master_sockets.h"
#include "rtl/sc/register_port.h"
#include "rtl/sc/rtl_accelerator.h"

namespace covenant::sc {

/// A cycle has two steps. At its beginning the requests of the device go to the memories. In its middle the device gets
/// what has been answered up to the cycle's beginning: all other events at that time, in whatever order, have then
/// happened.
class RtlAccelerator::Pins : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Pins);
  Pins(std::shared_ptr<rtl::VerilatedDevice> device, const sc_core::sc_time& period, uint32_t first_port,
       sc_core::sc_out<bool>& interrupt, ResetPin& reset_n);

  /// Sockets of a memory by its number, in the order of ports.
  std::vector<tlm::tlm_initiator_socket<>*> sockets_of(uint32_t memory) const { return masters_.of(memory); }
  uint64_t clocked() const { return clocked_; }

  /// Both wait for their turn, in the order of the calls. SLVERR during a reset.
  RegisterPort::Answer read(uint32_t address);
  RegisterPort::Answer write(uint32_t address, uint32_t value, uint32_t strobes);
  /// At once, and without a trace. Nothing during a reset.
  std::optional<uint32_t> look(uint32_t address);

 private:
  void step();
  void reset();
  template <class Request>
  RegisterPort::Answer access(Request&& request);
  void begin_cycle();
  void end_cycle();
  bool is_quiet() const;
  void run_clock();

  std::shared_ptr<rtl::VerilatedDevice> device_;
  rtl::DevicePins& pins_;
  sc_core::sc_time period_;
  sc_core::sc_out<bool>& interrupt_;
  ResetPin& reset_n_;
  MasterSockets masters_;
  RegisterPort registers_;
  sc_core::sc_mutex access_;
  sc_core::sc_event tick_;
  sc_core::sc_event accessed_;
  bool has_begun_ = false;    ///< a cycle: its middle comes next
  bool is_running_ = false;   ///< the clock
  bool is_accessed_ = false;  ///< an access ends with this cycle
  uint32_t quiet_cycles_ = 0;
  uint64_t clocked_ = 0;
};

}  // namespace covenant::sc
