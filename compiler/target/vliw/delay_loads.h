/// Loads that wait until somebody needs them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compiler/target/vliw/dependences.h"
#include "compiler/target/vliw/packet_space.h"

namespace covenant::compiler::vliw {

/// Moves loads, and scalar arithmetic, which moves their addresses, to later packets, as far as those that depend on
/// them allow and packets have room: fewer values are there at once. `packets`: of each instruction; what stands
/// `interval` packets apart shares one. It stays valid, and no longer than it was.
void delay_loads(std::span<const CodeInstruction> instructions, std::span<const Dependence> dependences,
                 const PacketSpace& space, uint32_t interval, std::vector<uint32_t>& packets);

}  // namespace covenant::compiler::vliw
