/// Turns an error response of a memory into a fault of the run.
#pragma once

#include <string>

#include "platform/memory_socket.h"

namespace covenant::sim::sc {

/// Fault SIM0090, which names the address and the requester.
[[noreturn]] void raise_bus_error(const std::string& who, const covenant::sc::MemorySocket::Response& response);

}  // namespace covenant::sim::sc
