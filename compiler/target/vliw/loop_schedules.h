/// Schedules of loops that have been asked for before: networks repeat layers, and code that wants too many registers
/// is made again in other ways.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "compiler/target/vliw/schedule.h"

namespace covenant::compiler::vliw {

class LoopSchedules {
 public:
  /// As `schedule_loop`, which is asked once for loops of the same instructions and dependences. Precondition: `space`
  /// is that of one machine and one way of packing.
  std::optional<Schedule> of(std::span<const CodeInstruction> body, std::span<const Dependence> dependences,
                             const PacketSpace& space, uint32_t least = 0);

 private:
  using Key = std::vector<uint64_t>;
  std::map<Key, std::optional<Schedule>> known_;
};

}  // namespace covenant::compiler::vliw
