/// Flows of a trace: arrows from a command to another one that waited for its data.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "acg/isa/retire_record.h"
#include "acg/program/program.h"

namespace covenant::sim {

/// From the last command of an engine before it posts that a buffer is full to the first one of another engine after it
/// has taken that token. Both in cycles in which they use their ports.
struct TraceFlow {
  uint32_t from_track = 0;
  uint64_t from = 0;
  uint32_t to_track = 0;
  uint64_t to = 0;
  std::string memory;  ///< memory of the buffer
};

/// All arrows of a run, in the order in which tokens were taken, engine by engine within a block. `records`: of all
/// commands, by block, then engine, then order of execution.
std::vector<TraceFlow> flows_of(const acg::Program& program, std::span<const acg::RetireRecord> records);

}  // namespace covenant::sim
