#include "sim/sc/common/debug_access.h"

#include <algorithm>
#include <tlm>

namespace covenant::sim::sc {

namespace {

uint64_t debug(covenant::sc::MemorySocket& socket, tlm::tlm_command command, uint64_t address,
               std::span<uint8_t> bytes) {
  tlm::tlm_generic_payload asked;
  asked.set_command(command);
  asked.set_address(address);
  asked.set_data_ptr(bytes.data());
  asked.set_data_length(static_cast<unsigned>(bytes.size()));
  asked.set_streaming_width(static_cast<unsigned>(bytes.size()));
  return socket.socket->transport_dbg(asked);
}

}  // namespace

uint64_t read_debug(covenant::sc::MemorySocket& socket, uint64_t address, std::span<uint8_t> bytes) {
  return debug(socket, tlm::TLM_READ_COMMAND, address, bytes);
}

uint64_t write_debug(covenant::sc::MemorySocket& socket, uint64_t address, std::span<uint8_t> bytes) {
  return debug(socket, tlm::TLM_WRITE_COMMAND, address, bytes);
}

}  // namespace covenant::sim::sc
