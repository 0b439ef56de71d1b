/// Small machines drawn at random: states, queues, functions, instructions and processes.
#pragma once

#include <cstdint>
#include <string>

namespace covenant::acg::testing {

/// The text of a machine. It may be refused, for example because a number may need more than 64 bits.
std::string drawn_machine(uint64_t seed);

}  // namespace covenant::acg::testing
