/// When instructions issue: software pipelining of loops, and packets of straight code. Every instruction must fit into
/// a packet by itself.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "compiler/target/vliw/dependences.h"
#include "compiler/target/vliw/packet_space.h"

namespace covenant::compiler::vliw {

/// The packet of each instruction, counted from the first one of its trip. Trips begin `interval` packets apart.
struct Schedule {
  uint32_t interval = 0;
  std::vector<uint32_t> packets;

  uint32_t length() const;  ///< packets of one trip
  uint32_t stages() const;  ///< trips that are under way at once
};

/// The body of a loop, so that trips begin as few packets apart as possible (Rau, "Iterative Modulo Scheduling",
/// section 3): of what places instructions early and what places them late, that which keeps values for less time.
/// Nothing if none is found within four packets for each instruction. `least`: packets of an interval; the longer it
/// is, the fewer trips are under way at once, and values with them.
std::optional<Schedule> schedule_loop(std::span<const CodeInstruction> body, std::span<const Dependence> dependences,
                                      const PacketSpace& space, uint32_t least = 0);

/// Straight code, each instruction as early as it can be; those first on which most depends. Its interval is its
/// length.
Schedule schedule_once(std::span<const CodeInstruction> instructions, std::span<const Dependence> dependences,
                       const PacketSpace& space);

/// The same, each instruction as late as it can be: what is made is wanted soon. Fewer values
/// are there at once.
Schedule schedule_late(std::span<const CodeInstruction> instructions, std::span<const Dependence> dependences,
                       const PacketSpace& space);

/// The same without overtaking: no instruction is in an earlier packet than one that stands before it. Fewer values are
/// there at once.
Schedule schedule_in_order(std::span<const CodeInstruction> instructions, std::span<const Dependence> dependences,
                           const PacketSpace& space);

}  // namespace covenant::compiler::vliw
