#include "sim/vliw/profile.h"

namespace covenant::sim::vliw {

acg::PacketStalls stalls_of(const WaitCycles& waits, const VectorWaitCycles& vector_waits) {
  return {waits.scalar_registers, waits.queue, waits.branches,    vector_waits.registers,
          vector_waits.loads,     waits.turn,  vector_waits.units};
}

std::vector<PacketProfile> profile_of(const Core& core, uint64_t interval) {
  std::vector<PacketProfile> profile;
  for (const DecodedPacket* packet : core.store().all()) {
    PacketProfile made{packet->address, core.store().text(*packet), packet->executed, 0,
                       stalls_of(packet->waits, packet->vector_waits)};
    if (core.pipeline()) made.cycles = interval * made.executed + made.stalls.issuing();
    profile.push_back(std::move(made));
  }
  return profile;
}

}  // namespace covenant::sim::vliw
