/// Helpers by which branches leave their packet.
#pragma once

#include "sim/vliw/micro_operation.h"

namespace covenant::sim::vliw {

/// The first branch taken of a packet counts.
inline void go_to(CoreState& core, uint32_t address) {
  if (!core.taken) core.taken = address;
}
/// `is_likely`: the branch is marked as likely taken. A branch after a taken one is not reached.
template <bool is_likely>
void go_to_if(CoreState& core, bool is_taken, uint32_t address) {
  if (core.taken) return;
  core.is_guessed_wrong = core.is_guessed_wrong || is_taken != is_likely;
  if (is_taken) go_to(core, address);
}

}  // namespace covenant::sim::vliw
