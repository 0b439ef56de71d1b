/// Where an axis of a workload may lie in an instruction.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "compiler/embedding/embedding.h"

namespace covenant::compiler::embedding {

/// Relaxations that the axis needs to lie along axis `place` of the instruction, as elements side by side; nothing if
/// it cannot. It must index the operands that the axis of the instruction indexes, and no other: only then do instances
/// share elements as the instruction's do.
std::optional<std::set<Relaxation>> needs_of(const Workload& workload, const Instruction& instruction,
                                             bool is_exchanged, size_t axis, size_t place);

/// True if places along this axis may stay idle: a sum needs zeros of a constant there.
bool may_idle(const Workload& workload, const Instruction& instruction, bool is_exchanged, size_t place);

}  // namespace covenant::compiler::embedding
