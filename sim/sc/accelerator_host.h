/// What stands between the registers of an accelerator and its machine.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <systemc>
#include <vector>

#include "acg/isa/program.h"
#include "sim/sc/machine_module.h"
#include "sim/sc/platform/accelerator.h"
#include "sim/sc/platform/storage.h"
#include "sim/units/registers.h"

namespace covenant::sc {

/// Starts runs, ends them in their last cycle, and drives the interrupt line.
class Accelerator::Host : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Host);
  Host(acg::Machine machine, uint32_t first_port, sc_core::sc_out<bool>& interrupt);

  const acg::Machine& machine() const { return program_.machine; }
  std::vector<tlm::tlm_initiator_socket<>*> memory_sockets(std::string_view memory);

  std::optional<uint32_t> read32(uint64_t address) const { return registers_.read32(address); }
  bool write32(uint64_t address, uint32_t value, uint32_t strobes);

 private:
  void start(uint32_t entry);
  void abort();
  void end();
  void drive() { interrupt_->write(registers_.interrupt()); }
  sim::RunCounters counters() const;
  sim::MemoryImage open_memories(std::vector<bool>& is_timed);
  std::span<uint8_t> direct_access(MemorySocket& socket);
  void read_words(uint64_t address, uint64_t bytes);

  acg::Program program_;  ///< nothing but its machine and the entry of the run
  sc_core::sc_out<bool>& interrupt_;
  sim::sc::CycleTime time_;
  sim::sc::MachineModule machine_;
  sim::Registers registers_;
  std::vector<std::unique_ptr<Storage>> copies_;  ///< by memory: words of one that is not accessed directly
  std::optional<sim::Simulation> simulation_;
  sim::RunCounters final_;
  sc_core::sc_event ended_;
  sc_core::sc_event line_;
};

}  // namespace covenant::sc
