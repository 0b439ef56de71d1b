/// The RTL of a machine as a device of a platform, in the place of the model in SystemC.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

#include "acg/graph/graph.h"
#include "rtl/cosim/device.h"

namespace covenant::sc {

/// As covenant::sc::Accelerator (sim/sc/platform/accelerator.h), with the same sockets, made of the Verilated
/// covenant_axi_top: what happens on its AXI ports are transactions. Building it takes a quarter of a minute unless the
/// cache has it.
///
///     covenant::sc::RtlAccelerator npu("npu", *covenant::acg::load_machine("genesys"), 0, {.cache = "build/rtl"});
///
/// Its clock has edges at multiples of the machine's period, and stands still while there is nothing to do. An access
/// to its registers takes some cycles, and waits in the thread that has called it. Each burst is a transaction: a read
/// when its address is on the bus, a write when its last beat is. A memory sees them one cycle (reads), or one for each
/// beat and two more (writes), after those of the model in SystemC.
class RtlAccelerator : public sc_core::sc_module {
 public:
  /// 32-bit registers: transactions of one aligned word, byte enables obeyed. Others, and those where no register
  /// is, end with an error response, those that a register refuses with a generic error. transport_dbg reads.
  tlm_utils::simple_target_socket<RtlAccelerator> registers;
  /// High as long as an event that is enabled has not been cleared.
  sc_core::sc_out<bool> interrupt;

  /// `first_port`: added to the numbers of its ports at a memory, where several machines are bound to one directly.
  /// What build_device refuses is an error (SC_ERROR with its diagnostic).
  RtlAccelerator(const sc_core::sc_module_name& name, acg::Machine machine, uint32_t first_port,
                 const rtl::DeviceOptions& options);
  ~RtlAccelerator() override;

  const acg::Machine& machine() const;
  /// The initiators that ask the off-chip memory of that name: engines in their order, then instruction fetch. Of ports
  /// that share a master (DeviceOptions::masters) one, in the place of the first of them; a PortExtension tells them
  /// apart. All must be bound. Empty if there is none of this name.
  std::vector<tlm::tlm_initiator_socket<>*> memory_sockets(std::string_view memory);
  /// Of all its ports: one more than the machine has engines.
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
