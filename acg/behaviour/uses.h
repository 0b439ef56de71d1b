/// Uses of state, queues and instructions within a behaviour.
#pragma once

#include "acg/behaviour/behaviour.h"

namespace covenant::acg::behaviour {

/// Throws Failure BEH0011 for state that nothing writes or nothing reads, a queue that nothing fills or empties, and an
/// instruction of a stream that no process executes; BEH0009 for a machine that waits for off-chip memory.
void check_uses(const Behaviour& behaviour);

/// Whether the value of an expression depends on how many cycles there have been, by itself.
bool reads_cycle(const Behaviour& behaviour, const Expression& expression);

/// Whether its value may become another without anything that the machine does: by cycles, or by others that write
/// off-chip memory.
bool changes_by_itself(const Behaviour& behaviour, const Expression& expression);

}  // namespace covenant::acg::behaviour
