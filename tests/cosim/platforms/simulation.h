/// Runs a scenario with devices that are models or RTL.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/cosim/platforms/scenario.h"

namespace covenant::platforms {

enum class Side : uint8_t {
  kModel,          ///< the SystemC models of all machines
  kBehindMasters,  ///< the same, behind models of the RTL's AXI masters
  kRtl,            ///< RTL of the machines that have it
};
const char* name_of(Side side);

/// The state that a run leaves.
struct Outcome {
  bool is_hung = false;  ///< no interrupt has come
  bool is_marked = false;
  uint32_t status = 0, events = 0, blocks = 0;
  uint64_t cycles = 0, faults = 0, fault_address = 0, bytes_read = 0, bytes_written = 0, stalled = 0;
  std::vector<uint8_t> memory;  ///< of the program's image
  Traffic traffic;
};

struct Simulated {
  std::vector<std::vector<Outcome>> runs;  ///< by device
  std::vector<std::string> breaches;       ///< of the base protocol
  uint64_t bursts = 0;
  uint64_t moved = 0;  ///< times that direct access has been withdrawn
};

Simulated simulate(const Scenario& scenario, Side side);

}  // namespace covenant::platforms
