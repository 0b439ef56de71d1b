#include "sim/sc/common/bus_error.h"

#include <fmt/format.h>

#include "sim/common/fault.h"

namespace covenant::sim::sc {

void raise_bus_error(const std::string& who, const covenant::sc::MemorySocket::Response& response) {
  tlm::tlm_generic_payload named;
  named.set_response_status(response.status);
  try {
    raise_of_memory(response.address, "SIM0090", "off-chip memory has refused a burst: " + named.get_response_string(),
                    fmt::format("address 0x{:x}", response.address), {},
                    "check the memory map of the platform, and where the program and its data lie");
  } catch (Failure& failure) {
    failure.diagnostic.subject = who;
    throw;
  }
}

}  // namespace covenant::sim::sc
