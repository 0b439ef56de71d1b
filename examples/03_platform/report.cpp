#include "report.h"

#include <cstdio>
#include <fstream>

#include "acg/graph/queries.h"
#include "acg/program/packet_program.h"
#include "platform/report.h"
#include "sim/trace/perfetto.h"

namespace {

// The slices within a phase, with times counted from its beginning.
std::vector<covenant::offchip::Slice> during(const Phase& phase, const std::vector<covenant::offchip::Slice>& slices) {
  const uint64_t begin = covenant::sc::picoseconds(phase.begin);
  const uint64_t end = covenant::sc::picoseconds(phase.end);
  std::vector<covenant::offchip::Slice> within;
  for (covenant::offchip::Slice slice : slices) {
    if (slice.start < begin || slice.start >= end) continue;
    slice.start -= begin;
    within.push_back(std::move(slice));
  }
  return within;
}

// Name of the router's initiator that has the path; initiators are numbered in the order of binding.
std::string initiator_name(const std::string& number) {
  static const std::vector<std::string> kNames = {"host", "host", "first", "second"};
  return kNames.at(std::stoul(number));
}

}  // namespace

void write_timeline(const std::string& path, const Phase& phase, const std::vector<Part>& parts,
                    const covenant::sc::Router& router, const std::string& memory,
                    covenant::offchip::Timeline timeline) {
  std::vector<covenant::sim::TraceSlice> slices;
  for (const Run& run : phase.runs) {
    slices.push_back({.track = static_cast<uint32_t>(run.part),
                      .block = static_cast<uint32_t>(run.image),
                      .start = static_cast<uint64_t>(nanoseconds(run.begin - phase.begin)),
                      .duration = static_cast<uint64_t>(nanoseconds(run.end - run.begin)),
                      .name = "image " + std::to_string(run.image)});
  }
  covenant::sim::MemoryTrace path_trace{.name = "path to the DRAM", .period = 1000, .timeline = {{"path"}, {}}};
  for (covenant::offchip::Slice& slice : during(phase, router.slices())) {
    slice.name = initiator_name(slice.name);
    path_trace.timeline.slices.push_back(std::move(slice));
  }
  timeline.slices = during(phase, timeline.slices);
  const std::vector<covenant::sim::MemoryTrace> memories = {
      std::move(path_trace), {.name = "DRAM " + memory, .period = 1000, .timeline = std::move(timeline)}};
  std::ofstream(path) << covenant::sim::perfetto_trace({parts[0].name, parts[1].name}, slices, {}, memories);
}

void print_timeline(const Phase& phase, const std::vector<Part>& parts) {
  std::puts("start ns    end ns  accelerator  image  cycles");
  for (const Run& run : phase.runs) {
    std::printf("%8.0f  %8.0f  %-11s  %5zu  %6llu\n", nanoseconds(run.begin - phase.begin),
                nanoseconds(run.end - phase.begin), parts[run.part].name.c_str(), run.image, number(run.cycles));
  }
}

void print_ports(const covenant::offchip::Statistics& statistics, const std::vector<Part>& parts) {
  uint32_t port = kHostPorts;
  std::puts("port of the DRAM        bursts    bytes");
  for (const Part& part : parts) {
    std::vector<std::string> names;
    for (const auto& engine : covenant::acg::engines(part.machine)) names.push_back(engine.name);
    names.push_back("fetch");
    for (const std::string& name : names) {
      const covenant::offchip::PortStatistics& counted = statistics.ports.at(port++);
      expect(counted.answered == counted.bytes, "each port is answered all that it has asked for");
      if (counted.bursts == 0) continue;
      std::printf("%-7s %-14s %7llu %8llu\n", part.name.c_str(), name.c_str(), number(counted.bursts),
                  number(counted.bytes));
    }
  }
}
