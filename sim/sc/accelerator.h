/// A machine as a device of a platform: registers, an interrupt line, and ports to shared memories.
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

namespace covenant::sc {

struct AcceleratorOptions {
  /// Most bursts of each port that are under way, as the RTL's AXI masters have it: 2, 4, 8 (as the RTL has it by
  /// default) ... The model then stands for covenant_axi_top, with the cycles that the masters add
  /// (docs/reference/off-chip-port.md). 0: no masters, and no bound but the machine's own.
  uint32_t outstanding = 0;
};

/// Built from the description of a machine. Runs the programs that a host starts through its registers
/// (docs/reference/registers.md), each in the machine's own cycles, the first of which begins at the clock edge after
/// the start. Memories get a transaction for each burst (docs/reference/off-chip-port.md) or, for a machine that issues
/// packets, for each line of its caches (docs/reference/units/vliw_core.md, "As a device"). Bytes are read and written
/// at their times, because other masters of the platform see and change them.
///
///     covenant::sc::Accelerator npu("npu", *covenant::acg::load_machine("genesys"));
///     router.to("npu").bind(npu.registers);
///     for (auto* socket : npu.memory_sockets("DRAM")) socket->bind(router.in);
///     npu.interrupt(line);
class Accelerator : public sc_core::sc_module {
 public:
  /// 32-bit registers: transactions of one aligned word, byte enables obeyed. Others, and those where no register
  /// is, end with an error response, those that a register refuses with a generic error. transport_dbg reads.
  tlm_utils::simple_target_socket<Accelerator> registers;
  /// High as long as an event that is enabled has not been cleared.
  sc_core::sc_out<bool> interrupt;
  /// As rst_ni of the RTL: a fall drops the run that is under way and clears all registers at once, and no event
  /// stands; memories keep what has been written. While it is low, accesses to registers end with a generic error.
  ResetPin reset_n;

  /// `first_port`: added to the numbers of its ports at a memory, where several machines are bound to one directly. A
  /// machine that has no model is an error (SC_ERROR with its diagnostic): SIM0061, ACG0051; so are options that are
  /// not allowed: SIM0092.
  Accelerator(const sc_core::sc_module_name& name, acg::Machine machine, uint32_t first_port = 0,
              const AcceleratorOptions& options = {});
  ~Accelerator() override;

  const acg::Machine& machine() const;
  /// The initiators for the off-chip memory of that name: engines in order, then instruction fetch; for a machine that
  /// issues packets, a single one. All of them must be bound. Empty if there is no memory of this name.
  std::vector<tlm::tlm_initiator_socket<>*> memory_sockets(std::string_view memory);
  /// Number of all its ports: one more than the machine has engines.
  uint32_t port_count() const;

 private:
  class Host;
  void before_end_of_elaboration() override;
  void b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay);
  unsigned int transport_dbg(tlm::tlm_generic_payload& transaction);

  std::unique_ptr<Host> host_;
};

}  // namespace covenant::sc
