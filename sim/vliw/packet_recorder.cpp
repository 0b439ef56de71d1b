#include "sim/vliw/packet_recorder.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "acg/base/check.h"
#include "acg/graph/queries.h"
#include "acg/isa/retire_record.h"
#include "sim/vliw/profile.h"

namespace covenant::sim::vliw {

PacketRecorder::PacketRecorder(Core& core, const acg::Machine& machine, const Wanted& wanted)
    : core_(core),
      wanted_(wanted),
      slots_(machine.packet.slots),
      interval_(machine.packet.interval),
      memory_(acg::outermost_memory(machine).value),
      stages_(machine) {
  check(core.pipeline().has_value(), "what packets do is recorded in cycles");
  core.watch_executed([this](const auto& packet, const auto& touched) { note_executed(packet, touched); });
  core.watch([this](const Core::Watched& watched) { see(watched); });
}

std::vector<std::string> PacketRecorder::tracks() const {
  std::vector<std::string> names;
  for (uint32_t slot = slots_; slot-- > 0;) names.push_back(fmt::format("slot {}", slot));
  names.emplace_back("stalls");
  names.emplace_back("vector side");
  return names;
}

/// Stored bytes may be overwritten before the times of the packet are known.
void PacketRecorder::note_executed(const DecodedPacket& packet, std::span<const Touch> touched) {
  const bool is_recorded = wanted_.records && wanted_.packets.contains(core_.packets());
  executed_.push_back({block_, is_recorded ? digest_of(packet, touched) : 0});
}

void PacketRecorder::see(const Core::Watched& watched) {
  const Executed executed = executed_.front();
  executed_.pop_front();
  if (!wanted_.packets.contains(watched.number)) return;
  if (wanted_.records) record(watched, executed);
  if (wanted_.trace) draw(watched, executed.block);
}

void PacketRecorder::record(const Core::Watched& watched, const Executed& executed) {
  const PacketTimes& times = watched.times;
  records_.push_back({executed.block, watched.number, watched.packet.address, times.issued, times.ran, times.retired,
                      stalls_of(times.waits, times.vector_waits), executed.digest});
}

uint64_t PacketRecorder::digest_of(const DecodedPacket& packet, std::span<const Touch> touched) {
  std::set<uint32_t> written;  // two stores of a packet may meet
  for (size_t i = 0; i < touched.size(); ++i) {
    if (!packet.timing.accesses[i].is_store) continue;
    for (uint32_t byte = 0; byte < touched[i].bytes; ++byte) written.insert(touched[i].address + byte);
  }
  uint64_t digest = 0;
  for (const uint32_t address : written) digest += acg::write_hash(memory_, address, *core_.memory().at(address, 1));
  return digest;
}

void PacketRecorder::draw(const Core::Watched& watched, uint32_t block) {
  const Shown& packet = shown(watched.packet);
  const PacketTimes& times = watched.times;
  const uint32_t stalls = slots_, vector_side = slots_ + 1;
  for (size_t i = 0; i < packet.texts.size(); ++i) {
    add(block, slots_ - 1 - packet.slots[i], times.issued, interval_, false, packet.texts[i]);
  }
  const auto& [registers, queue, branches, turn] = times.waits;
  add(block, stalls, times.issued - turn - queue - registers, registers, true, "registers");
  add(block, stalls, times.issued - turn - queue, queue, true, "queue");
  add(block, stalls, times.issued - turn, turn, true, "turn");
  add(block, stalls, times.issued + interval_, branches, true, "branches");
  if (packet.vector_part.empty()) return;
  const auto& [vector_registers, loads, units] = times.vector_waits;
  add(block, vector_side, times.ran - units - loads - vector_registers, vector_registers, true, "vector_registers");
  add(block, vector_side, times.ran - units - loads, loads, true, "vector_loads");
  add(block, vector_side, times.ran - units, units, true, "vector_units");
  add(block, vector_side, times.ran, interval_, false, packet.vector_part);
}

void PacketRecorder::add(uint32_t block, uint32_t track, uint64_t start, uint64_t cycles, bool is_stall,
                         const std::string& name) {
  if (cycles > 0) slices_.push_back({track, block, start, cycles, is_stall, name});
}

const PacketRecorder::Shown& PacketRecorder::shown(const DecodedPacket& packet) {
  const auto [found, is_new] = shown_.try_emplace(packet.address);
  Shown& made = found->second;
  if (!is_new) return made;
  made.texts = core_.store().texts(packet);
  made.slots = core_.store().slots(packet);
  for (size_t i = 0; i < made.texts.size(); ++i) {
    if (!stages_.of(packet.packet.instructions[i].instruction.operation).is_vector) continue;
    made.vector_part += (made.vector_part.empty() ? "" : "; ") + made.texts[i];
  }
  return made;
}

}  // namespace covenant::sim::vliw
