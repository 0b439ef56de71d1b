#include <algorithm>
#include <nlohmann/json.hpp>

#include "sim/stats/statistics.h"

namespace covenant::sim {

namespace {

using Json = nlohmann::ordered_json;

Json stalls_of(const Stalls& stalls) {
  Json json = Json::object();
  for (const auto& [cause, cycles] : stalls) json[cause] = cycles;
  return json;
}

Json json_of(const BlockStatistics& b) {
  Json json = {{"block", b.block},
               {"layer", b.layer},
               {"operation", b.operation},
               {"start", b.start},
               {"done", b.done},
               {"cycles", b.cycles},
               {"engine", b.engine},
               {"compute", b.compute},
               {"stalls", stalls_of(b.stalls)},
               {"macs", b.macs},
               {"elementwise", b.elementwise},
               {"utilisation", b.utilisation}};
  if (b.packets) json["packets"] = *b.packets;
  return json;
}

Json json_of(const EngineStatistics& e) {
  return {{"engine", e.engine},   {"unit", name_of(e.unit)}, {"commands", e.commands},        {"busy", e.busy},
          {"control", e.control}, {"drain", e.drain},        {"stalls", stalls_of(e.stalls)}, {"idle", e.idle}};
}

Json json_of(const AccessStatistics& a) {
  return {{"memory", a.memory}, {"engine", a.engine}, {"operand", a.operand}, {"reads", a.reads}, {"writes", a.writes}};
}

Json json_of(const OffchipStatistics& o) {
  return {{"engine", o.engine},
          {"operand", o.operand},
          {"bytes_read", o.bytes_read},
          {"bytes_written", o.bytes_written},
          {"bytes_filled", o.bytes_filled},
          {"beats", o.beats}};
}

Json json_of(const OperationStatistics& o) {
  return {{"operation", o.operation}, {"words", o.words}, {"operations", o.operations}, {"in_f32", o.in_f32}};
}

Json json_of(const offchip::Statistics& c) {
  return {{"reads", c.reads},
          {"writes", c.writes},
          {"bytes_read", c.bytes_read},
          {"bytes_written", c.bytes_written},
          {"row_hits", c.row_hits},
          {"row_misses", c.row_misses},
          {"row_conflicts", c.row_conflicts},
          {"activations", c.activations},
          {"refreshes", c.refreshes},
          {"busy_picoseconds", c.busy},
          {"bandwidth_bytes_per_second", c.bandwidth_bytes_per_second()}};
}

Json json_of(const MemoryStatistics& m) {
  Json json = {{"memory", m.memory}};
  json.update(json_of(m.counted));
  return json;
}

template <typename Entry>
Json json_of(const OfBlock<Entry>& part) {
  Json json = {{"block", part.block}};
  json.update(json_of(part.entry));
  return json;
}

template <typename T>
Json list_of(const std::vector<T>& entries) {
  Json list = Json::array();
  for (const T& entry : entries) list.push_back(json_of(entry));
  return list;
}

/// From the first burst to the last answer that any of them has seen; their ports are left out.
offchip::Statistics counted_by_all(const std::vector<MemoryStatistics>& memories) {
  offchip::Statistics all;
  all.first = UINT64_MAX;
  for (const MemoryStatistics& memory : memories) {
    const offchip::Statistics& c = memory.counted;
    all.reads += c.reads;
    all.writes += c.writes;
    all.bytes_read += c.bytes_read;
    all.bytes_written += c.bytes_written;
    all.row_hits += c.row_hits;
    all.row_misses += c.row_misses;
    all.row_conflicts += c.row_conflicts;
    all.activations += c.activations;
    all.refreshes += c.refreshes;
    all.busy += c.busy;
    if (c.reads + c.writes > 0) all.first = std::min(all.first, c.first);
    all.last = std::max(all.last, c.last);
  }
  return all;
}

/// All together, then one by one.
Json json_of(const std::vector<MemoryStatistics>& memories) {
  Json json = {{"model", memories.front().model}};
  json.update(json_of(counted_by_all(memories)));
  json["each"] = list_of(memories);
  return json;
}

}  // namespace

std::string to_json(const Statistics& statistics) {
  Json json;
  json["cycles"] = statistics.cycles;
  if (statistics.packets) json["packets"] = *statistics.packets;
  json["blocks"] = list_of(statistics.blocks);
  json["engines"] = list_of(statistics.engines);
  json["accesses"] = list_of(statistics.accesses);
  json["offchip"] = list_of(statistics.offchip);
  json["operations"] = list_of(statistics.operations);
  if (!statistics.memories.empty()) json["memory"] = json_of(statistics.memories);
  json["block_accesses"] = list_of(statistics.block_accesses);
  json["block_offchip"] = list_of(statistics.block_offchip);
  return json.dump(2) + "\n";
}

}  // namespace covenant::sim
