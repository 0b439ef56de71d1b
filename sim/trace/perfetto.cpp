#include "sim/trace/perfetto.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace covenant::sim {

namespace {

std::string quoted(const std::string& text) { return nlohmann::json(text).dump(); }

}  // namespace

std::string perfetto_trace(const std::vector<std::string>& tracks, std::span<const TraceSlice> slices,
                           std::span<const TraceFlow> flows) {
  std::string text = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";
  for (size_t track = 0; track < tracks.size(); ++track) {
    text += fmt::format("{}{{\"ph\":\"M\",\"pid\":1,\"tid\":{},\"name\":\"thread_name\",\"args\":{{\"name\":{}}}}}",
                        track == 0 ? "" : ",\n", track + 1, quoted(tracks[track]));
    text += fmt::format(
        ",\n{{\"ph\":\"M\",\"pid\":1,\"tid\":{},\"name\":\"thread_sort_index\",\"args\":{{\"sort_index\":{}}}}}",
        track + 1, track + 1);
  }
  for (const TraceSlice& slice : slices) {
    text += fmt::format(
        ",\n{{\"ph\":\"X\",\"pid\":1,\"tid\":{},\"ts\":{},\"dur\":{},\"cat\":\"{}\",\"name\":{},\"args\":{{\"block\":{}"
        "}}}}",
        slice.track + 1, slice.start, slice.duration, slice.is_stall ? "stall" : "command",
        quoted(slice.is_stall ? "wait " + slice.name : slice.name), slice.block);
  }
  for (size_t k = 0; k < flows.size(); ++k) {
    const auto end = [&](const char* phase, uint32_t track, uint64_t cycle) {
      text += fmt::format(",\n{{{},\"id\":{},\"pid\":1,\"tid\":{},\"ts\":{},\"cat\":\"data\",\"name\":{}}}", phase,
                          k + 1, track + 1, cycle, quoted(flows[k].memory));
    };
    end(R"("ph":"s")", flows[k].from_track, flows[k].from);
    end(R"("ph":"f","bp":"e")", flows[k].to_track, flows[k].to);
  }
  return text + "\n]}\n";
}

}  // namespace covenant::sim
