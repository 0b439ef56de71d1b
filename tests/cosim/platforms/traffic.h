/// Bursts as the memory of a foreign platform sees them.
#pragma once

#include <cstdint>
#include <systemc>
#include <tlm>
#include <vector>

namespace covenant::platforms {

/// Addresses are those of the device: its window begins at 0. Times are in picoseconds.
struct Burst {
  uint64_t time = 0;  ///< when the memory takes it
  bool writes = false;
  uint64_t address = 0;
  uint64_t bytes = 0;
  std::vector<uint8_t> data;     ///< as read or written; none of a read that has not been answered yet
  std::vector<uint8_t> enables;  ///< of a write, one for each byte; empty: all
  tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;

  bool is_written(size_t byte) const { return enables.empty() || enables[byte] == TLM_BYTE_ENABLED; }
};

/// By initiator socket of a device, in the order of the bursts.
using Traffic = std::vector<std::vector<Burst>>;

/// The burst at which something happens: the one with that many bursts of its kind and address before it.
struct Mark {
  bool writes = false;
  uint64_t address = 0;
  uint32_t occurrence = 0;
  bool fetches = false;  ///< of instructions: what they bring may be dropped
};

}  // namespace covenant::platforms
