#include "sim/trace/perfetto.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

#include "offchip/clock.h"

namespace covenant::sim {

namespace {

constexpr uint32_t kMachine = 1;  ///< number of its group of tracks; those of memories follow

std::string quoted(const std::string& text) { return nlohmann::json(text).dump(); }

void name_tracks(std::string& text, uint32_t group, const std::vector<std::string>& tracks) {
  for (size_t track = 0; track < tracks.size(); ++track) {
    text += fmt::format("{}{{\"ph\":\"M\",\"pid\":{},\"tid\":{},\"name\":\"thread_name\",\"args\":{{\"name\":{}}}}}",
                        text.ends_with('}') ? ",\n" : "", group, track + 1, quoted(tracks[track]));
    text += fmt::format(
        ",\n{{\"ph\":\"M\",\"pid\":{},\"tid\":{},\"name\":\"thread_sort_index\",\"args\":{{\"sort_index\":{}}}}}",
        group, track + 1, track + 1);
  }
}

/// Slices of one track may not overlap in part: what begins ends what was there.
std::vector<offchip::Slice> one_after_the_other(std::vector<offchip::Slice> slices) {
  std::stable_sort(slices.begin(), slices.end(), [](const offchip::Slice& a, const offchip::Slice& b) {
    return a.track != b.track ? a.track < b.track : a.start < b.start;
  });
  for (size_t k = 1; k < slices.size(); ++k) {
    offchip::Slice& before = slices[k - 1];
    if (before.track == slices[k].track) before.duration = std::min(before.duration, slices[k].start - before.start);
  }
  return slices;
}

/// A time of the memory, in thousandths of the machine's cycles.
uint64_t thousandths(uint64_t picoseconds, uint64_t period) {
  return picoseconds / period * 1000 + picoseconds % period * 1000 / period;
}

void add_memory(std::string& text, uint32_t group, const MemoryTrace& memory) {
  text += fmt::format(",\n{{\"ph\":\"M\",\"pid\":{},\"name\":\"process_name\",\"args\":{{\"name\":{}}}}}", group,
                      quoted(memory.name));
  name_tracks(text, group, memory.timeline.tracks);
  for (const offchip::Slice& slice : one_after_the_other(memory.timeline.slices)) {
    const uint64_t start = thousandths(slice.start, memory.period);
    const uint64_t end = thousandths(slice.start + slice.duration, memory.period);
    if (start == end) continue;
    text += fmt::format(
        ",\n{{\"ph\":\"X\",\"pid\":{},\"tid\":{},\"ts\":{}.{:03},\"dur\":{}.{:03},\"cat\":\"memory\",\"name\":{}}}",
        group, slice.track + 1, start / 1000, start % 1000, (end - start) / 1000, (end - start) % 1000,
        quoted(slice.name));
  }
}

}  // namespace

MemoryTrace trace_of_memory(const std::string& name, const std::string& model, const acg::Machine& machine,
                            offchip::Timeline timeline) {
  return {fmt::format("{} ({})", name, model), offchip::Clock::of_frequency(machine.clock_hertz).period,
          std::move(timeline)};
}

std::string perfetto_trace(const std::vector<std::string>& tracks, std::span<const TraceSlice> slices,
                           std::span<const TraceFlow> flows, std::span<const MemoryTrace> memories) {
  std::string text = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";
  name_tracks(text, kMachine, tracks);
  for (const TraceSlice& slice : slices) {
    text += fmt::format(
        ",\n{{\"ph\":\"X\",\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{},\"cat\":\"{}\",\"name\":{},\"args\":{{\"block\":{"
        "}"
        "}}}}",
        kMachine, slice.track + 1, slice.start, slice.duration, slice.is_stall ? "stall" : "command",
        quoted(slice.is_stall ? "wait " + slice.name : slice.name), slice.block);
  }
  for (size_t k = 0; k < flows.size(); ++k) {
    const auto end = [&](const char* phase, uint32_t track, uint64_t cycle) {
      text += fmt::format(",\n{{{},\"id\":{},\"pid\":{},\"tid\":{},\"ts\":{},\"cat\":\"data\",\"name\":{}}}", phase,
                          k + 1, kMachine, track + 1, cycle, quoted(flows[k].memory));
    };
    end(R"("ph":"s")", flows[k].from_track, flows[k].from);
    end(R"("ph":"f","bp":"e")", flows[k].to_track, flows[k].to);
  }
  for (size_t k = 0; k < memories.size(); ++k) add_memory(text, kMachine + 1 + static_cast<uint32_t>(k), memories[k]);
  return text + "\n]}\n";
}

}  // namespace covenant::sim
