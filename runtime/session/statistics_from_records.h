/// Statistics and a trace computed from retire records alone, by the definitions of docs/reference/statistics.md, for
/// backends that do not count themselves.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "acg/isa/retire_record.h"
#include "acg/program/program.h"
#include "rtl/cosim/model.h"
#include "sim/stats/statistics.h"
#include "sim/trace/perfetto.h"
#include "sim/trace/slice.h"

namespace covenant::runtime {

struct StatisticsFromRecords {
  sim::Statistics statistics;           ///< cycles, blocks and engines; the other lists stay empty
  std::vector<sim::TraceSlice> slices;  ///< by block, then engine: commands and waits
};

/// `records`: of every command, in the order of rtl::RunResult. `times`: of every block.
StatisticsFromRecords statistics_from_records(const acg::Program& program,
                                              const std::vector<acg::RetireRecord>& records,
                                              const std::vector<rtl::BlockTimes>& times);

/// The Perfetto trace of the same run, with what off-chip memories were busy with; the same bytes as sim::simulate
/// writes.
std::string trace_of(const acg::Program& program, const std::vector<acg::RetireRecord>& records,
                     const StatisticsFromRecords& counted, std::span<const sim::MemoryTrace> memories = {});

}  // namespace covenant::runtime
