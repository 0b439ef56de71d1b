/// The RTL of a machine as a device of a platform, in place of the SystemC model.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

#include "acg/graph/graph.h"
#include "platform/reset_pin.h"
#include "rtl/cosim/device.h"

namespace covenant::sc {

/// Like covenant::sc::Accelerator (sim/sc/accelerator.h), with the same sockets, but built from the Verilated
/// covenant_axi_top: accesses on its AXI ports become transactions. Building it takes a quarter of a minute unless the
/// cache has it.
///
///     covenant::sc::RtlAccelerator npu("npu", *covenant::acg::load_machine("genesys"), 0, {.cache = "build/rtl"});
///
/// Its clock has edges at multiples of the machine's period, and stands still while there is nothing to do. An access
/// to its registers takes some cycles, and waits in the calling thread. Each burst is a transaction: a read when its
/// address is on the bus, a write when its last beat is. Compared with the SystemC model, a memory sees reads one cycle
/// later, and a store of `n` beats, after a pause, `2 n + 1` cycles later: they go to the bus once all of them have
/// moved.
class RtlAccelerator : public sc_core::sc_module {
 public:
  /// 32-bit registers: transactions of one aligned word, byte enables obeyed. Others, and those where no register
  /// is, end with an error response, those that a register refuses with a generic error. transport_dbg reads.
  tlm_utils::simple_target_socket<RtlAccelerator> registers;
  /// High as long as an event that is enabled has not been cleared.
  sc_core::sc_out<bool> interrupt;
  /// rst_ni: a fall takes effect at once, and on an access that is under way, too, which ends with a generic error, as
  /// all do while it is low.
  ResetPin reset_n;

  /// `first_port`: added to the numbers of its ports at a memory, where several machines are bound to one directly.
  /// A refusal by build_device is an error (SC_ERROR with its diagnostic).
  RtlAccelerator(const sc_core::sc_module_name& name, acg::Machine machine, uint32_t first_port,
                 const rtl::DeviceOptions& options);
  ~RtlAccelerator() override;

  const acg::Machine& machine() const;
  /// The initiators for the off-chip memory of that name: engines in order, then instruction fetch. Ports that share a
  /// master (DeviceOptions::masters) have one, in the place of the first of them; a PortExtension tells them apart. All
  /// must be bound. Empty if there is no memory of this name.
  std::vector<tlm::tlm_initiator_socket<>*> memory_sockets(std::string_view memory);
  /// Number of all its ports: one more than the machine has engines.
  uint32_t port_count() const;
  /// Cycles in which its clock has run.
  uint64_t clocked() const;

 private:
  class Pins;
  void b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay);
  unsigned int transport_dbg(tlm::tlm_generic_payload& transaction);

  acg::Machine machine_;
  std::unique_ptr<Pins> pins_;
};

}  // namespace covenant::sc
