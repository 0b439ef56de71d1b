/// Flows of a trace: arrows from a command to another one that waited for its data.
#pragma once

#include <span>
#include <vector>

#include "acg/isa/retire_record.h"
#include "acg/program/program.h"
#include "sim/trace/flow.h"

namespace covenant::sim {

/// All arrows of a run: from the last command of an engine before it posts that a buffer is full to the first one of
/// another engine after it has taken that token. In the order in which tokens were taken, engine by engine within a
/// block. `records`: of all commands, by block, then engine, then order of execution.
std::vector<TraceFlow> flows_of(const acg::Program& program, std::span<const acg::RetireRecord> records);

}  // namespace covenant::sim
