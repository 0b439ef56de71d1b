#include "sim/vliw/shared_side.h"

#include <algorithm>

namespace covenant::sim::vliw {

uint64_t attribute_of(const acg::Machine& machine, const std::string& name, uint64_t otherwise) {
  for (const acg::Compute& compute : machine.computes) {
    const auto found = compute.attributes.find(name);
    if (compute.unit != acg::UnitKind::kVliwCore || found == compute.attributes.end()) continue;
    return static_cast<uint64_t>(std::get<int64_t>(found->second));
  }
  return otherwise;
}

uint64_t IssueTurns::take_shared(uint64_t wanted) {
  if (wanted > clock_) {
    clock_ = wanted;
    issued_ = 0;
  } else if (issued_ == width_) {
    ++clock_;
    issued_ = 0;
  }
  if (++issued_ == 2) ++shared_clocks_;
  return clock_;
}

/// True if a unit is free in every clock of an interval from `clock` on. The number of units in use rises only in
/// clocks in which a part begins.
bool VectorUnits::is_free(uint64_t clock) const {
  const auto running_in = [&](uint64_t at) {
    const uint64_t first = at + 1 > interval_ ? at + 1 - interval_ : 0;
    const auto begin = std::lower_bound(runs_.begin(), runs_.end(), first);
    return static_cast<uint64_t>(std::upper_bound(begin, runs_.end(), at) - begin);
  };
  if (running_in(clock) >= units_) return false;
  for (auto run = std::upper_bound(runs_.begin(), runs_.end(), clock); run != runs_.end() && *run < clock + interval_;
       ++run) {
    if (running_in(*run) >= units_) return false;
  }
  return true;
}

uint64_t VectorUnits::take_scarce(uint64_t wanted, uint64_t now) {
  while (!runs_.empty() && runs_.front() + interval_ <= now) runs_.pop_front();
  while (!is_free(wanted)) ++wanted;
  runs_.insert(std::upper_bound(runs_.begin(), runs_.end(), wanted), wanted);
  return wanted;
}

SharedSide::SharedSide(const acg::Machine& machine, uint64_t contexts)
    : memory(machine),
      turns(attribute_of(machine, "issues", 1), contexts),
      vector_units(attribute_of(machine, "vector_units", 1), contexts, machine.packet.interval) {}

}  // namespace covenant::sim::vliw
