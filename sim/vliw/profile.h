/// The profile of a core's run: cycles of each packet.
#pragma once

#include <vector>

#include "sim/vliw/core.h"
#include "sim/vliw/packet_profile.h"

namespace covenant::sim::vliw {

acg::PacketStalls stalls_of(const WaitCycles& waits, const VectorWaitCycles& vector_waits);

/// The profile of all executed packets, by address. `interval`: cycles from one packet to the next.
std::vector<PacketProfile> profile_of(const Core& core, uint64_t interval);

}  // namespace covenant::sim::vliw
