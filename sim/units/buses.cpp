#include "sim/units/buses.h"

#include <algorithm>
#include <string>

#include "acg/base/check.h"
#include "acg/graph/queries.h"

namespace covenant::sim {

Buses::Buses(const acg::Machine& machine) {
  std::vector<std::string> names;
  const std::vector<acg::Engine> engines = acg::engines(machine);
  bus_of_.assign(engines.size(), kNone);
  member_of_.assign(engines.size(), kNone);
  for (uint32_t engine = 0; engine < engines.size(); ++engine) {
    if (!engines[engine].edge) continue;
    const acg::Edge& edge = machine.edges[engines[engine].edge.value()];
    const std::string& name = edge.bus;
    if (name.empty()) continue;
    const auto index = static_cast<uint32_t>(std::find(names.begin(), names.end(), name) - names.begin());
    if (index == names.size()) {
      names.push_back(name);
      buses_.emplace_back();
    }
    bus_of_[engine] = index;
    member_of_[engine] = static_cast<uint32_t>(buses_[index].members.size());
    buses_[index].members.push_back({engine, 0, 0, 0, false, edge.burst});
  }
  clear();
}

void Buses::clear() {
  for (Bus& bus : buses_) {
    for (const Request& member : bus.members) check(member.beats == 0, "a block ends within a transfer");
    bus.last = bus.members.size() - 1;
    bus.free = 0;
  }
}

void Buses::request(uint32_t engine, uint64_t cycle, uint64_t beats) {
  Request& member = buses_[bus_of_[engine]].members[member_of_[engine]];
  check(member.beats == 0 && beats > 0, "a second transfer of one engine");
  member = {engine, cycle, beats, 0, false, member.burst};
}

/// The cycle in which the bus begins its next burst, as far as is known now.
std::optional<uint64_t> Buses::next_grant(const Bus& bus) {
  std::optional<uint64_t> earliest;
  for (const Request& member : bus.members) {
    if (member.beats > 0) earliest = std::min(earliest.value_or(UINT64_MAX), std::max(member.cycle, bus.free));
  }
  return earliest;
}

/// No engine does anything because of a transfer on this bus before that cycle.
uint64_t Buses::earliest_end(const Bus& bus) {
  uint64_t end = UINT64_MAX;
  for (const Request& member : bus.members) {
    if (member.beats > 0) end = std::min(end, std::max(member.cycle, bus.free) + member.beats);
  }
  return end;
}

/// Grants bursts that begin before `horizon` until a transfer is complete.
std::optional<Buses::Transfer> Buses::finish_one(Bus& bus, uint64_t horizon) {
  const size_t count = bus.members.size();
  while (const auto grant = next_grant(bus)) {
    if (*grant >= horizon) return std::nullopt;
    size_t turn = bus.last;
    do {
      turn = (turn + 1) % count;
    } while (bus.members[turn].beats == 0 || bus.members[turn].cycle > *grant);
    Request& member = bus.members[turn];
    const bool is_alone = std::count_if(bus.members.begin(), bus.members.end(),
                                        [](const Request& other) { return other.beats > 0; }) == 1;
    uint64_t beats = std::min(member.beats, member.burst);
    // Alone, it is granted all bursts that begin before the horizon.
    if (is_alone) {
      const uint64_t more = std::min((horizon - 1 - *grant) / member.burst, (member.beats - 1) / member.burst);
      beats = std::min(member.beats, (more + 1) * member.burst);
    }
    if (!member.has_begun) member.first = *grant;
    member.has_begun = true;
    member.beats -= beats;
    member.cycle = *grant + beats;
    bus.free = *grant + beats;
    bus.last = turn;
    if (member.beats == 0) return Transfer{member.engine, member.first, bus.free - 1};
  }
  return std::nullopt;
}

std::optional<Buses::Transfer> Buses::advance(uint64_t horizon) {
  while (true) {
    // The bus with the earliest grant may go on until a transfer of another one could have consequences.
    Bus* next = nullptr;
    for (Bus& bus : buses_) {
      const auto grant = next_grant(bus);
      if (grant && (next == nullptr || *grant < next_grant(*next).value())) next = &bus;
    }
    if (next == nullptr || next_grant(*next).value() >= horizon) return std::nullopt;
    uint64_t until = horizon;
    for (const Bus& bus : buses_) {
      if (&bus != next) until = std::min(until, earliest_end(bus));
    }
    if (const auto done = finish_one(*next, until)) return done;
  }
}

}  // namespace covenant::sim
