#include "sim/stream/shared_bus.h"

#include <algorithm>
#include <utility>

#include "acg/base/check.h"
#include "acg/graph/queries.h"

namespace covenant::sim {

SharedBus::SharedBus(std::string name, std::vector<Member> members)
    : name_(std::move(name)), members_(std::move(members)), open_(members_.size()) {
  clear();
}

void SharedBus::clear() {
  for (const Open& open : open_) check(open.beats == 0, "a block ends within a transfer");
  last_ = members_.size() - 1;
  free_ = 0;
}

void SharedBus::request(size_t member, uint64_t cycle, uint64_t beats) {
  check(open_[member].beats == 0 && beats > 0, "a second transfer of one engine");
  open_[member] = {cycle, beats};
}

std::optional<uint64_t> SharedBus::next() const {
  if (goes_on_) return std::nullopt;
  std::optional<uint64_t> earliest;
  for (const Open& open : open_) {
    if (open.beats > 0) earliest = std::min(earliest.value_or(UINT64_MAX), std::max(open.cycle, free_));
  }
  return earliest;
}

SharedBus::Grant SharedBus::grant(uint64_t cycle) {
  check(next().value_or(UINT64_MAX) <= cycle, "a burst that is not asked for");
  do {
    last_ = (last_ + 1) % members_.size();
  } while (open_[last_].beats == 0 || open_[last_].cycle > cycle);
  goes_on_ = true;
  const uint64_t beats = std::min(open_[last_].beats, members_[last_].burst);
  open_[last_].beats -= beats;
  return {last_, beats};
}

void SharedBus::ended(uint64_t cycle) {
  check(goes_on_, "the end of a burst that has not begun");
  goes_on_ = false;
  free_ = cycle;
  open_[last_].cycle = cycle;
}

std::vector<SharedBus> shared_buses(const acg::Machine& machine) {
  std::vector<std::string> names;
  std::vector<std::vector<SharedBus::Member>> members;
  const std::vector<acg::Engine> engines = acg::engines(machine);
  for (uint32_t engine = 0; engine < engines.size(); ++engine) {
    if (!engines[engine].edge) continue;
    const acg::Edge& edge = machine.edges[engines[engine].edge.value()];
    if (edge.bus.empty()) continue;
    const auto index = static_cast<size_t>(std::find(names.begin(), names.end(), edge.bus) - names.begin());
    if (index == names.size()) {
      names.push_back(edge.bus);
      members.emplace_back();
    }
    members[index].push_back({engine, edge.burst});
  }
  std::vector<SharedBus> buses;
  for (size_t i = 0; i < names.size(); ++i) buses.emplace_back(names[i], std::move(members[i]));
  return buses;
}

}  // namespace covenant::sim
