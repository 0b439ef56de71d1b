/// Access to the bytes of a memory behind a socket, without timing.
#pragma once

#include <cstdint>
#include <span>

#include "platform/memory_socket.h"

namespace covenant::sim::sc {

/// Reads or writes by a debug transaction; how many of the bytes were there.
uint64_t read_debug(covenant::sc::MemorySocket& socket, uint64_t address, std::span<uint8_t> bytes);
uint64_t write_debug(covenant::sc::MemorySocket& socket, uint64_t address, std::span<uint8_t> bytes);

}  // namespace covenant::sim::sc
