/// The caches between off-chip memory and the register files of a machine.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "acg/graph/graph.h"

namespace covenant::compiler::vliw {

/// The caches on the way from `registers` outwards, the nearest first; none if there is none.
std::vector<acg::MemoryId> caches_of(const acg::Machine& machine, acg::MemoryId registers);

/// The register file of words. Nothing if the machine has none.
std::optional<acg::MemoryId> scalar_registers(const acg::Machine& machine);

/// Cycles that a word takes longer if the cache nearest to the scalar registers does not hold it, and the next one
/// does.
uint32_t delay_of_words(const acg::Machine& machine);

}  // namespace covenant::compiler::vliw
