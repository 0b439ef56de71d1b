/// Connects the registers of an accelerator with its machine.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <systemc>
#include <vector>

#include "sim/common/registers.h"
#include "sim/sc/accelerator.h"
#include "sim/sc/common/program_runner.h"

namespace covenant::sc {

/// Starts runs, ends them in their last cycle, and drives the interrupt line.
class Accelerator::Host : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Host);
  Host(acg::Machine machine, const sim::sc::RunnerOptions& options, sc_core::sc_out<bool>& interrupt,
       ResetPin& reset_n);

  const acg::Machine& machine() const { return machine_; }
  std::vector<tlm::tlm_initiator_socket<>*> memory_sockets(std::string_view memory);

  /// Nothing, or false, if the access is refused, as all are during a reset.
  std::optional<uint32_t> read32(uint64_t address) const;
  bool write32(uint64_t address, uint32_t value, uint32_t strobes);

 private:
  void start(uint32_t entry);
  void abort();
  void end();
  void reset();
  void drive() { interrupt_->write(registers_.interrupt()); }

  acg::Machine machine_;
  sc_core::sc_out<bool>& interrupt_;
  ResetPin& reset_n_;
  sim::sc::CycleTime time_;
  std::unique_ptr<sim::sc::ProgramRunner> runner_;
  sim::Registers registers_;
  sc_core::sc_event ended_;
  sc_core::sc_event line_;
};

}  // namespace covenant::sc
