/// Turns of processes.
#pragma once

#include "acg/behaviour/behaviour.h"

namespace covenant::acg::behaviour {

/// Throws Failure BEH0016 for a process with a turn that may end without a step, a wait, a pop or a push, and that
/// reads `cycle` or off-chip memory on its way. Whether such a turn is the last thing that happens could not be said:
/// time alone, or others, may have the next one do something. Without them, a machine in which nothing has gone on in a
/// cycle, and nothing waits for a number that `cycle` is in, waits for ever.
void check_turns(const Behaviour& behaviour);

}  // namespace covenant::acg::behaviour
