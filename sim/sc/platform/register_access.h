/// Transactions on a window of 32-bit registers.
#pragma once

#include <cstdint>
#include <systemc>
#include <tlm>

namespace covenant::sc {

inline constexpr unsigned kRegisterBytes = 4;

/// The response that a transaction deserves before anything is done: one aligned word where a register is, or part of
/// one.
tlm::tlm_response_status check_register_access(const tlm::tlm_generic_payload& transaction);

/// Which bytes of the word it writes, the lowest bit for the lowest byte. Precondition: its form is right.
uint32_t strobes_of(const tlm::tlm_generic_payload& transaction);

}  // namespace covenant::sc
