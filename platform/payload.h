/// Checks the attributes of a generic payload that is sent to a memory.
#pragma once

#include <cstdint>
#include <span>
#include <systemc>
#include <tlm>

namespace covenant::sc {

inline constexpr unsigned int kBytesOfWord = 4;  ///< for a socket of 32 bits

/// TLM_OK_RESPONSE, or the reason why a memory of `size` bytes cannot execute the transaction. Bytes are contiguous: a
/// streaming width below the length is a burst error, and so is a length of 0. Bytes that are not enabled must be
/// within the memory, too.
tlm::tlm_response_status status_of(const tlm::tlm_generic_payload& transaction, uint64_t size);

/// Reads or writes the enabled bytes. Precondition: the status is TLM_OK_RESPONSE.
void move_data(tlm::tlm_generic_payload& transaction, std::span<uint8_t> memory);

/// Moves data as transport_dbg does: up to the end of the memory. Returns the number of bytes moved.
unsigned int move_debug_data(tlm::tlm_generic_payload& transaction, std::span<uint8_t> memory);

}  // namespace covenant::sc
