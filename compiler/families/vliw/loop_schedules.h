/// A cache of loop schedules: networks repeat layers, and code that needs too many registers is generated again with
/// other options.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "compiler/families/vliw/schedule.h"

namespace covenant::compiler::vliw {

class LoopSchedules {
 public:
  /// Like `schedule_loop`, which is called once for loops with the same instructions and dependences. Precondition:
  /// `space` always belongs to the same machine and the same way of packing.
  std::optional<PacketSchedule> of(std::span<const CodeInstruction> body, std::span<const Dependence> dependences,
                                   const ReservationTable& space, uint32_t least = 0);

 private:
  using Key = std::vector<uint64_t>;
  std::map<Key, std::optional<PacketSchedule>> known_;
};

}  // namespace covenant::compiler::vliw
