/// Computes, from retire records alone, the counts that a collector gathers during a run.
#pragma once

#include <span>

#include "sim/run/statistics_from_records.h"

namespace covenant::sim {

/// As statistics_from_records, for the engines of a stream machine.
StatisticsFromRecords count_records(const acg::Program& program, std::span<const acg::RetireRecord> records,
                                    std::span<const BlockTimes> times);

}  // namespace covenant::sim
