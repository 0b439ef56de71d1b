#include "compiler/families/vliw/pipelined_loop.h"

#include <algorithm>
#include <map>

namespace covenant::compiler::vliw {
namespace {

class Expansion {
 public:
  Expansion(std::span<const CodeInstruction> body, uint32_t trips, const PacketSchedule& schedule,
            const std::vector<bool>& carried, const RegisterAccesses& accesses, std::vector<VirtualRegister>& registers)
      : body_(body), trips_(trips), schedule_(schedule), carried_(carried), accesses_(accesses), registers_(registers) {
    find_copies();
  }

  PipelinedLoop expand() {
    PipelinedLoop loop;
    const uint32_t stages = schedule_.stages();
    // A round begins one trip and continues those before it; all rounds with the full number of trips are alike.
    const uint32_t full = trips_ >= stages ? trips_ - stages + 1 : 0, rounds = trips_ + stages - 1;
    const uint32_t repeated = full / copies_ >= 2 ? full / copies_ : 0;
    uint32_t round = 0;
    for (; repeated > 0 && round + 1 < stages; ++round) append_round(round, loop.before);
    for (uint32_t i = 0; repeated > 0 && i < copies_; ++i) append_round(round + i, loop.repeated.body);
    loop.repeated.trips = repeated;
    for (round += repeated * copies_; round < rounds; ++round) append_round(round, loop.after);
    return loop;
  }

 private:
  /// A value that is read `n` intervals after it was made needs n registers in turn.
  void find_copies() {
    // From the first packet that touches a register to the first in which another trip may write it. A packet reads
    // before it writes: what is read last may be written in the same packet, what is written last may not.
    std::map<uint32_t, std::pair<uint32_t, uint32_t>> lives;
    for (size_t i = 0; i < body_.size(); ++i) {
      for (const RegisterAccess& access : accesses_.of(body_[i])) {
        const uint32_t packet = schedule_.packets[i];
        const uint32_t end = packet + (access.writes ? 1 : 0);
        const auto [life, is_first] = lives.emplace(access.name.number, std::pair(packet, end));
        life->second = {std::min(life->second.first, packet), std::max(life->second.second, end)};
      }
    }
    for (const auto& [number, life] : lives) {
      if (carried_.at(number)) continue;
      own_.push_back(number);
      copies_ = std::max(copies_, (life.second - life.first + schedule_.interval - 1) / schedule_.interval);
    }
  }

  /// The instructions of a packet, ordered by trip and by their place in the body: a value that one of them reads is
  /// only replaced by later ones.
  CodePacket packet_of(uint32_t round, uint32_t row) {
    CodePacket packet;
    for (uint32_t stage = std::min(round + 1, schedule_.stages()); stage-- > 0;) {
      const uint32_t trip = round - stage;
      for (size_t i = 0; trip < trips_ && i < body_.size(); ++i) {
        if (schedule_.packets[i] != stage * schedule_.interval + row) continue;
        packet.instructions.push_back(of_trip(body_[i], trip % copies_));
      }
    }
    return packet;
  }

  void append_round(uint32_t round, std::vector<PacketStep>& steps) {
    for (uint32_t row = 0; row < schedule_.interval; ++row) {
      CodePacket packet = packet_of(round, row);
      if (!packet.instructions.empty()) steps.emplace_back(std::move(packet));
    }
  }

  void append_round(uint32_t round, std::vector<CodeInstruction>& straight) {
    for (uint32_t row = 0; row < schedule_.interval; ++row) {
      const CodePacket packet = packet_of(round, row);
      straight.insert(straight.end(), packet.instructions.begin(), packet.instructions.end());
    }
  }

  /// The instruction with the registers of trip number `copy`.
  CodeInstruction of_trip(CodeInstruction instruction, uint32_t copy) {
    if (copy == 0) return instruction;
    const acg::Operation does = instruction.instruction.operation;
    const std::span<const acg::OperandInfo> operands = acg::info(does).operands;
    for (size_t i = 0; i < operands.size(); ++i) {
      if (!is_virtual(operands[i])) continue;
      const Name name = Name::of(instruction.instruction.operands[i]);
      if (std::find(own_.begin(), own_.end(), name.number) == own_.end()) continue;
      instruction.instruction.operands[i] = Name{register_of(name.number, copy), name.is_upper}.operand();
    }
    return instruction;
  }

  uint32_t register_of(uint32_t number, uint32_t copy) {
    const auto [entry, is_new] = of_copies_.emplace(std::pair(number, copy), registers_.size());
    if (is_new) registers_.push_back(VirtualRegister(registers_.at(number)));
    return entry->second;
  }

  std::span<const CodeInstruction> body_;
  uint32_t trips_;
  const PacketSchedule& schedule_;
  const std::vector<bool>& carried_;
  const RegisterAccesses& accesses_;
  std::vector<VirtualRegister>& registers_;
  std::vector<uint32_t> own_;  ///< registers of which each trip has its own
  uint32_t copies_ = 1;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> of_copies_;  ///< (register, copy) -> register
};

}  // namespace

PipelinedLoop pipelined(std::span<const CodeInstruction> body, uint32_t trips, const PacketSchedule& schedule,
                        const std::vector<bool>& carried, const RegisterAccesses& accesses,
                        std::vector<VirtualRegister>& registers) {
  return Expansion(body, trips, schedule, carried, accesses, registers).expand();
}

}  // namespace covenant::compiler::vliw
