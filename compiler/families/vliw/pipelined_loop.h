/// Generates a pipelined loop from its schedule: the code before the loop, the loop, and the code after it.
#pragma once

#include <span>
#include <vector>

#include "compiler/families/vliw/packetize.h"
#include "compiler/families/vliw/register_access.h"
#include "compiler/families/vliw/schedule.h"

namespace covenant::compiler::vliw {

/// Packets of a loop that runs `trips` times, without the instructions that count them.
struct CountedPackets {
  uint32_t trips = 1;
  std::vector<PacketStep> body;
};
struct PipelinedLoop {
  std::vector<CodeInstruction> before;  ///< straight code, like `after`: shares packets with the surrounding code
  CountedPackets repeated;              ///< may be empty
  std::vector<CodeInstruction> after;
};

/// Values of one trip that live longer than an interval get several registers, which are added to `registers`; carried
/// ones keep theirs.
PipelinedLoop pipelined(std::span<const CodeInstruction> body, uint32_t trips, const PacketSchedule& schedule,
                        const std::vector<bool>& carried, const RegisterAccesses& accesses,
                        std::vector<VirtualRegister>& registers);

}  // namespace covenant::compiler::vliw
