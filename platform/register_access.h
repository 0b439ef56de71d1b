/// Transactions on a window of 32-bit registers.
#pragma once

#include <cstdint>
#include <systemc>
#include <tlm>

namespace covenant::sc {

inline constexpr unsigned kRegisterBytes = 4;

/// Checks a transaction before it is executed: it must access one aligned word that is a register, or part of one.
tlm::tlm_response_status check_register_access(const tlm::tlm_generic_payload& transaction);

/// The bytes of the word that it writes, the lowest bit for the lowest byte. Precondition: check_register_access
/// passed.
uint32_t strobes_of(const tlm::tlm_generic_payload& transaction);

}  // namespace covenant::sc
