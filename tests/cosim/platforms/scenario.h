/// A foreign platform and all that happens on it: drawn from a seed and a number alone.
#pragma once

#include <cstdint>
#include <string>
#include <tlm>
#include <vector>

#include "tests/cosim/platforms/manner.h"
#include "tests/cosim/platforms/programs.h"
#include "tests/cosim/platforms/traffic.h"

namespace covenant::platforms {

enum class Act : uint8_t {
  kNothing,
  kRefill,      ///< the host writes into memory
  kAbort,       ///< it stops the run
  kError,       ///< the memory answers the marked burst with an error
  kStartAgain,  ///< the host starts a run while one is under way: refused
};
const char* name_of(Act act);

/// One run of a device. The act happens `delay` nanoseconds after the marked burst.
struct Run {
  uint32_t program = 0;  ///< index in `DeviceScript::works`
  Act act = Act::kNothing;
  Mark mark;
  uint64_t delay = 0;
  uint64_t address = 0, bytes = 0;  ///< of a refill, in the device's window
  tlm::tlm_response_status error = tlm::TLM_GENERIC_ERROR_RESPONSE;
  bool keeps = false;  ///< begins on what the run before has left in memory, as soon as that has ended
  uint64_t pause = 0;  ///< nanoseconds before it
};

struct DeviceScript {
  Kind kind = Kind::kGenesys;
  std::vector<Work> works;
  std::vector<Run> runs;
};

/// `is_timed`: all that happens has its cycle, and the RTL is compared with the model in each of them. Otherwise the
/// answer to the marked burst waits until the device stands still and the act has happened: values are compared then.
struct Scenario {
  uint64_t seed = 0, number = 0;
  bool is_timed = false;
  bool shares = false;  ///< ports of the RTL share one AXI master with few bursts under way
  Manner manner;
  std::vector<DeviceScript> devices;

  std::string text() const;
};

/// Three devices of two families.
Scenario draw(uint64_t seed, uint64_t number);

}  // namespace covenant::platforms
