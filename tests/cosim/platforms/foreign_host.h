/// A host of plain TLM-2.0: works through the script of one device.
#pragma once

#include <cstdint>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <vector>

#include "acg/registers/registers.h"
#include "tests/cosim/platforms/foreign_memory.h"
#include "tests/cosim/platforms/simulation.h"

namespace covenant::platforms {

class ForeignHost : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(ForeignHost);
  tlm_utils::simple_initiator_socket<ForeignHost> registers;  ///< of the device
  tlm_utils::simple_initiator_socket<ForeignHost> window;     ///< the memory that the device sees
  sc_core::sc_in<bool> line;

  /// `settles`: picoseconds that it waits before it writes the register that starts and stops.
  ForeignHost(const sc_core::sc_module_name& name, const Scenario& scenario, uint32_t device, ForeignMemory& memory,
              uint64_t settles);

  const std::vector<Outcome>& outcomes() const { return outcomes_; }
  bool is_done() const { return outcomes_.size() == script_.runs.size(); }

 private:
  void work();
  void begin(const Run& run);
  void act(const Run& run);
  void control(registers::Field field);
  void refill(const Run& run);
  void end(const Run& run);
  void wait_for_quiet(uint64_t nanoseconds);
  void wait_until_act(const Run& run);
  uint32_t read(uint32_t address);
  uint64_t read_both(uint32_t low) { return read(low) | uint64_t{read(low + 4)} << 32U; }
  tlm::tlm_response_status write(uint32_t address, uint32_t value);
  void move(tlm::tlm_command command, uint64_t address, std::vector<uint8_t>& bytes);

  const Scenario& scenario_;
  const DeviceScript& script_;
  uint32_t device_;
  ForeignMemory& memory_;
  uint64_t settles_;
  std::vector<Outcome> outcomes_;
};

}  // namespace covenant::platforms
