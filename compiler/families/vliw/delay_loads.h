/// Delays loads until their values are needed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compiler/families/vliw/dependences.h"
#include "compiler/families/vliw/reservation_table.h"

namespace covenant::compiler::vliw {

/// Moves loads, and the scalar arithmetic on their addresses, to later packets as far as dependent instructions and the
/// space in packets allow, so that fewer values are alive at once. `packets`: packet of each instruction; instructions
/// `interval` packets apart share one. The schedule stays valid and does not become longer.
void delay_loads(std::span<const CodeInstruction> instructions, std::span<const Dependence> dependences,
                 const ReservationTable& space, uint32_t interval, std::vector<uint32_t>& packets);

}  // namespace covenant::compiler::vliw
