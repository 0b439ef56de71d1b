/// Instruction scheduling: software pipelining of loops, and packets of straight code. Every instruction must fit into
/// a packet by itself.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "compiler/families/vliw/dependences.h"
#include "compiler/families/vliw/reservation_table.h"

namespace covenant::compiler::vliw {

/// The packet of each instruction, counted from the first one of its trip. Trips begin `interval` packets apart.
struct PacketSchedule {
  uint32_t interval = 0;
  std::vector<uint32_t> packets;

  uint32_t length() const;  ///< packets of one trip
  uint32_t stages() const;  ///< number of trips in execution at once
};

/// Schedules the body of a loop so that trips begin as few packets apart as possible (Rau, "Iterative Modulo
/// Scheduling", section 3). Of an early and a late placement, the one that keeps values alive for less time is taken.
/// Nothing if there is none within four packets for each instruction. `least`: least packets of an interval; the longer
/// it is, the fewer trips are in execution at once, and the fewer values are alive.
std::optional<PacketSchedule> schedule_loop(std::span<const CodeInstruction> body,
                                            std::span<const Dependence> dependences, const ReservationTable& space,
                                            uint32_t least = 0);

/// Schedules straight code, each instruction as early as possible; those with the longest dependent chains first. Its
/// interval is its length.
PacketSchedule schedule_once(std::span<const CodeInstruction> instructions, std::span<const Dependence> dependences,
                             const ReservationTable& space);

/// The same, each instruction as late as possible, so that results are used soon and fewer values are alive at once.
PacketSchedule schedule_late(std::span<const CodeInstruction> instructions, std::span<const Dependence> dependences,
                             const ReservationTable& space);

/// The same without reordering: no instruction is in an earlier packet than one before it. Fewer values are alive at
/// once.
PacketSchedule schedule_in_order(std::span<const CodeInstruction> instructions, std::span<const Dependence> dependences,
                                 const ReservationTable& space);

}  // namespace covenant::compiler::vliw
