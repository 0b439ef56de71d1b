#include "compiler/families/vliw/liveness.h"

#include "acg/operations/vliw_traits.h"

namespace covenant::compiler::vliw {
namespace {

void mark(const RegisterAccess& access, std::vector<bool>& halves, bool is_held) {
  const size_t lower = 2 * size_t{access.name.number};
  if (access.is_pair || !access.name.is_upper) halves[lower] = is_held;
  if (access.is_pair || access.name.is_upper) halves[lower + 1] = is_held;
}

std::vector<uint32_t> numbers_of(const std::vector<bool>& halves) {
  std::vector<uint32_t> numbers;
  for (size_t i = 0; i < halves.size(); i += 2) {
    if (halves[i] || halves[i + 1]) numbers.push_back(static_cast<uint32_t>(i / 2));
  }
  return numbers;
}

}  // namespace

Liveness::Liveness(const PacketCode& code, const RegisterAccesses& accesses)
    : accesses_(accesses), halves_(2 * code.registers.size()) {
  add(code.steps);
  for (size_t at = 0; at + 1 < places_.size(); ++at) places_[at].next.push_back(at + 1);
  live_after_.assign(places_.size(), Halves(halves_));
  while (grow()) {
  }
}

void Liveness::add(const std::vector<PacketStep>& steps) {
  for (const PacketStep& step : steps) {
    if (const auto* packet = std::get_if<CodePacket>(&step)) {
      places_.push_back({packet, {}});
      continue;
    }
    const size_t first = places_.size();
    add(std::get<PacketLoop>(step).body);
    if (places_.size() > first) places_.back().next.push_back(first);
  }
}

/// A packet reads before it writes.
Liveness::Halves Liveness::live_before(size_t at) const {
  Halves halves = live_after_[at];
  const std::vector<CodeInstruction>& instructions = places_[at].packet->instructions;
  for (const CodeInstruction& instruction : instructions) {
    for (const RegisterAccess& access : accesses_.of(instruction)) {
      if (access.writes) mark(access, halves, false);
    }
  }
  for (const CodeInstruction& instruction : instructions) {
    const bool takes_new = has(instruction.instruction, acg::VliwTrait::kNewPredicate);
    for (const RegisterAccess& access : accesses_.of(instruction)) {
      if (access.reads && !takes_new) mark(access, halves, true);
    }
  }
  return halves;
}

/// Extends the lifetimes of values that are read later by one packet. Returns false if that changes nothing.
bool Liveness::grow() {
  bool any = false;
  for (size_t at = places_.size(); at-- > 0;) {
    for (const size_t next : places_[at].next) {
      const Halves before = live_before(next);
      for (size_t i = 0; i < halves_; ++i) {
        if (!before[i] || live_after_[at][i]) continue;
        live_after_[at][i] = true;
        any = true;
      }
    }
  }
  return any;
}

std::vector<uint32_t> Liveness::held_after(size_t at) const {
  Halves halves = live_after_[at];
  for (const CodeInstruction& instruction : places_[at].packet->instructions) {
    for (const RegisterAccess& access : accesses_.of(instruction)) {
      if (access.writes) mark(access, halves, true);
    }
  }
  return numbers_of(halves);
}

std::vector<uint32_t> Liveness::held_at_start() const {
  return numbers_of(places_.empty() ? Halves(halves_) : live_before(0));
}

}  // namespace covenant::compiler::vliw
