/// The memory models of a program's off-chip memories, for one run.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "acg/base/result.h"
#include "acg/program/program.h"
#include "offchip/model.h"
#include "sim/stats/statistics.h"
#include "sim/trace/perfetto.h"

namespace covenant::runtime {

/// One for each off-chip memory, in the order of acg::memory_ranges.
using MemoryModels = std::vector<std::unique_ptr<offchip::Model>>;

/// None if `memory` is the fixed latency that the machine states. If `timelines` is given, it has one for each of them,
/// and must outlive them. Errors: those of offchip::make_model.
Result<MemoryModels> make_memory_models(const acg::Program& program, std::string_view memory,
                                        std::deque<offchip::Timeline>* timelines = nullptr);
std::vector<offchip::Model*> pointers_to(const MemoryModels& models);
/// Their statistics.
std::vector<sim::MemoryStatistics> counted_by(const MemoryModels& models, const acg::Program& program,
                                              std::string_view memory);
/// Their activity, as traces.
std::vector<sim::MemoryTrace> traces_of(const std::deque<offchip::Timeline>& timelines, const acg::Program& program,
                                        const std::string& memory);

}  // namespace covenant::runtime
