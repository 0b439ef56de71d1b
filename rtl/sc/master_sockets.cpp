#include "rtl/sc/master_sockets.h"

#include <algorithm>
#include <string>

namespace covenant::sc {

MasterSockets::MasterSockets(rtl::DevicePins& pins, uint32_t first_port) {
  add(pins.reads, false);
  add(pins.writes, true);
  const auto lowest = [](const Group& group) { return group.members.front().port; };
  std::ranges::sort(groups_, {}, lowest);
  for (Group& group : groups_) open(group, first_port);
  for (rtl::ReadPins& one : pins.reads) reads_.emplace_back(one, paths_of(one, false));
  for (rtl::WritePins& one : pins.writes) writes_.emplace_back(one, paths_of(one, true));
}

/// The ports of these masters join the groups of their masters and memories.
template <class Pins>
void MasterSockets::add(const std::vector<Pins>& all, bool writes) {
  for (size_t master = 0; master < all.size(); ++master) {
    for (uint32_t id = 0; id < all[master].ports.size(); ++id) {
      const rtl::DevicePort& port = all[master].ports[id];
      auto found = std::ranges::find_if(groups_, [&](const Group& group) {
        return group.master == all[master].master && group.memory == port.memory;
      });
      if (found == groups_.end()) found = groups_.insert(found, {all[master].master, port.memory, {}, nullptr});
      found->members.push_back({port.port, writes, master, id});
      std::ranges::sort(found->members, {}, &Member::port);
    }
  }
}

void MasterSockets::open(Group& group, uint32_t first_port) {
  std::vector<uint32_t> ports;
  for (const Member& member : group.members) ports.push_back(first_port + member.port);
  const std::string name = "master_" + std::to_string(group.master) + "_memory_" + std::to_string(group.memory);
  group.socket = std::make_unique<MemorySocket>(name.c_str(), ports);
  group.socket->responded = [this, members = group.members](const MemorySocket::Response& response) {
    const Member& member = members[response.place];
    if (member.writes) {
      writes_[member.master].answer(member.id, response);
    } else {
      reads_[member.master].answer(member.id, response);
    }
  };
}

template <class Pins>
std::vector<PortPath> MasterSockets::paths_of(const Pins& pins, bool writes) const {
  std::vector<PortPath> paths(pins.ports.size());
  for (const Group& group : groups_) {
    if (group.master != pins.master) continue;
    for (uint32_t place = 0; place < group.members.size(); ++place) {
      const Member& member = group.members[place];
      if (member.writes == writes) paths[member.id] = {group.socket.get(), place};
    }
  }
  return paths;
}

std::vector<tlm::tlm_initiator_socket<>*> MasterSockets::of(uint32_t memory) const {
  std::vector<tlm::tlm_initiator_socket<>*> sockets;
  for (const Group& group : groups_) {
    if (group.memory == memory) sockets.push_back(&group.socket->socket);
  }
  return sockets;
}

void MasterSockets::reset() {
  for (const Group& group : groups_) group.socket->forget();
  for (ReadMaster& master : reads_) master.reset();
  for (WriteMaster& master : writes_) master.reset();
}

bool MasterSockets::is_quiet() const {
  const auto is_quiet = [](const auto& master) { return master.is_quiet(); };
  return std::ranges::all_of(reads_, is_quiet) && std::ranges::all_of(writes_, is_quiet);
}

}  // namespace covenant::sc
