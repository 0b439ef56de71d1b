#include "compiler/families/vliw/loop_schedules.h"

namespace covenant::compiler::vliw {

std::optional<PacketSchedule> LoopSchedules::of(std::span<const CodeInstruction> body,
                                                std::span<const Dependence> dependences, const ReservationTable& space,
                                                uint32_t least) {
  Key key{least, body.size()};
  for (const CodeInstruction& one : body) {
    key.push_back(2 * static_cast<uint64_t>(one.instruction.operation) + (one.is_extended ? 1 : 0));
  }
  for (const Dependence& one : dependences) {
    key.insert(key.end(), {one.from, one.to, one.packets, one.distance});
  }
  const auto [known, is_new] = known_.try_emplace(std::move(key));
  if (is_new) known->second = schedule_loop(body, dependences, space, least);
  return known->second;
}

}  // namespace covenant::compiler::vliw
