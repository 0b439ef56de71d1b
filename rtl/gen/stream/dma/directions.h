/// The directions of DMA engines.
#pragma once

#include <memory>

#include "rtl/gen/stream/dma/dma.h"

namespace covenant::rtl {

/// From off-chip memory to a scratchpad.
std::unique_ptr<Unit> make_load(const acg::Machine& machine, const acg::Engine& engine, UnitPlan plan);
/// From a scratchpad to off-chip memory.
std::unique_ptr<Unit> make_store(const acg::Machine& machine, const acg::Engine& engine, UnitPlan plan);
/// From one scratchpad to another.
std::unique_ptr<Unit> make_copy(const acg::Machine& machine, const acg::Engine& engine, UnitPlan plan);

}  // namespace covenant::rtl
