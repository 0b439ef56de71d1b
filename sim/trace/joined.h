/// Joins the traces of several runs, one below the other.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sim/trace/perfetto.h"

namespace covenant::sim {

struct JoinedTrace {
  std::vector<std::string> tracks;
  std::vector<TraceSlice> slices;

  /// Adds those of one run; `prefix` comes before the names of its tracks.
  void add(const std::string& prefix, const std::vector<std::string>& more, std::vector<TraceSlice> on_them) {
    for (TraceSlice& slice : on_them) {
      slice.track += static_cast<uint32_t>(tracks.size());
      slices.push_back(std::move(slice));
    }
    for (const std::string& name : more) tracks.push_back(prefix + name);
  }
  /// Below them the tracks of memories.
  std::string text(std::span<const MemoryTrace> memories = {}) const {
    return perfetto_trace(tracks, slices, {}, memories);
  }
};

}  // namespace covenant::sim
