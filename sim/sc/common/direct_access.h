/// Direct access to the bytes of a memory behind a socket, without timing.
#pragma once

#include <cstdint>
#include <span>

#include "platform/memory_socket.h"

namespace covenant::sim::sc {

/// The first bytes of the memory, at most `most`; empty unless direct access for reads and writes is granted.
std::span<uint8_t> direct_access(covenant::sc::MemorySocket& socket, uint64_t most);

/// Reads or writes by a debug transaction; how many of the bytes were there.
uint64_t read_debug(covenant::sc::MemorySocket& socket, uint64_t address, std::span<uint8_t> bytes);
uint64_t write_debug(covenant::sc::MemorySocket& socket, uint64_t address, std::span<uint8_t> bytes);

}  // namespace covenant::sim::sc
