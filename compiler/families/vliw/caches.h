/// The caches between off-chip memory and the register files of a machine.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "acg/graph/graph.h"

namespace covenant::compiler::vliw {

/// The caches on the path from `registers` outwards, nearest first; empty if there are none.
std::vector<acg::MemoryId> caches_of(const acg::Machine& machine, acg::MemoryId registers);

/// The scalar register file. Nothing if the machine has none.
std::optional<acg::MemoryId> scalar_registers(const acg::Machine& machine);

/// Additional cycles of a scalar load that misses the cache nearest to the scalar registers and hits the next one.
uint32_t delay_of_words(const acg::Machine& machine);

}  // namespace covenant::compiler::vliw
