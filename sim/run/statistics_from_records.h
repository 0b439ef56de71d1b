/// Statistics and the parts of a trace computed from retire records alone, by the definitions of
/// docs/reference/statistics.md, for backends that do not count themselves.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "acg/isa/retire_record.h"
#include "acg/program/program.h"
#include "sim/stats/statistics.h"
#include "sim/trace/flow.h"
#include "sim/trace/slice.h"

namespace covenant::sim {

/// When a block of a run was.
struct BlockTimes {
  uint64_t start = 0;  ///< cycle in which its engines start
  uint64_t done = 0;   ///< cycle in which all it did is visible
};

struct StatisticsFromRecords {
  Statistics statistics;  ///< cycles, blocks and engines; the other lists stay empty
  /// Arguments of perfetto_trace, which then gives the same bytes as sim::simulate writes.
  std::vector<std::string> tracks;
  std::vector<TraceSlice> slices;
  std::vector<TraceFlow> flows;
};

/// `records`: of every command, by block, then engine, then order of execution. `times`: of every block. Precondition:
/// the machine is of a family whose commands have retire records.
StatisticsFromRecords statistics_from_records(const acg::Program& program, std::span<const acg::RetireRecord> records,
                                              std::span<const BlockTimes> times);

}  // namespace covenant::sim
