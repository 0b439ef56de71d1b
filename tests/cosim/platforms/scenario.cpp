#include "tests/cosim/platforms/scenario.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <random>

#include "acg/program/packet_program.h"
#include "tests/cosim/platforms/simulation.h"

namespace covenant::platforms {

namespace {

class Drawing {
 public:
  Drawing(uint64_t seed, uint64_t number) : random_(drawn(seed, number)) {}

  uint64_t upto(uint64_t most) { return random_() % (most + 1); }
  bool one_in(uint64_t count) { return random_() % count == 0; }
  template <class Values>
  auto any_of(const Values& values) {
    return values[random_() % std::size(values)];
  }

 private:
  std::mt19937_64 random_;
};

/// Latency of the machines, and what a master may take of it: a store's answer within the rest costs nothing.
constexpr uint64_t kLatency = 40, kOfMaster = 19;

Manner timed_manner(Drawing& draw, bool refills) {
  Manner manner;
  manner.read_low = draw.upto(60);
  manner.read_high = manner.read_low + draw.any_of(std::vector<uint64_t>{0, 3, 50, 400});
  manner.write_low = draw.upto(8);
  manner.write_high = manner.write_low + draw.upto(kLatency - kOfMaster - 8);
  // A memory that answers at once shows the bytes of that time, not those of the time of its answer.
  manner.completes = !refills && draw.one_in(2);
  manner.responds = !refills && draw.one_in(2);
  return manner;
}

Manner loose_manner(Drawing& draw) {
  Manner manner;
  manner.read_low = draw.upto(60);
  manner.read_high = manner.read_low + draw.any_of(std::vector<uint64_t>{0, 3, 50, 400});
  manner.write_low = draw.upto(60);
  manner.write_high = manner.write_low + draw.any_of(std::vector<uint64_t>{0, 20, 200});
  manner.serial = draw.one_in(3) ? 1 + draw.upto(4) : 0;
  manner.completes = draw.one_in(2);
  manner.responds = draw.one_in(2);
  manner.accepts = draw.one_in(2);
  manner.skips = draw.one_in(3);
  manner.ends_later = draw.one_in(3);
  return manner;
}

void complete(Manner& manner, Drawing& draw) {
  manner.bus = draw.one_in(2) ? draw.upto(6) : 0;
  manner.annotates = draw.one_in(2);
  manner.samples_late = draw.one_in(3);
  manner.restores = draw.one_in(2);
  manner.grants = draw.one_in(2);
  manner.moves = 200 + draw.upto(3000);
}

/// Traffic of a program alone, on a memory without whims.
Traffic alone(const DeviceScript& device, uint32_t program) {
  Scenario plain;
  plain.manner = {.read_low = 20, .read_high = 20, .write_low = 5, .write_high = 5};
  plain.devices.push_back({device.kind, {device.works[program]}, {Run{}}});
  return simulate(plain, Side::kModel).runs.at(0).at(0).traffic;
}

/// One of the bursts of a device; of a core, of a line to be copied. The last port is that of instruction fetch.
Mark mark_in(Kind kind, const Traffic& traffic, bool writes, bool fetches, Drawing& draw) {
  const uint64_t first = acg::kImageAddress + kFrom, last = acg::kImageAddress + kTo - 1;
  std::vector<Mark> all;
  for (size_t port = 0; port < traffic.size(); ++port) {
    if (kind != Kind::kCore && (port + 1 == traffic.size()) != fetches) continue;
    std::map<uint64_t, uint32_t> seen;
    for (const Burst& burst : traffic[port]) {
      if (kind == Kind::kCore && (burst.address < first || burst.address > last)) continue;
      if (burst.writes == writes) all.push_back({writes, burst.address, seen[burst.address]++, fetches});
    }
  }
  return all.empty() ? Mark{} : draw.any_of(all);
}

void draw_refill(Kind kind, Run& run, const Traffic& traffic, Drawing& draw) {
  const Mark there = mark_in(kind, traffic, false, false, draw);
  run.address = there.address + draw.upto(3);
  run.bytes = 1 + draw.upto(draw.one_in(3) ? 400 : 24);
}

Run draw_run(const Scenario& scenario, const DeviceScript& device, Act act, Drawing& draw) {
  Run run;
  run.program = static_cast<uint32_t>(draw.upto(device.works.size() - 1));
  run.act = act;
  run.pause = draw.upto(300);
  if (act == Act::kNothing) return run;
  const Traffic traffic = alone(device, run.program);
  const bool is_error_of_engine = act == Act::kError && device.kind != Kind::kCore;
  const bool fetches = is_error_of_engine && scenario.is_timed && draw.one_in(3);
  // With few bursts under way the RTL stores what lies behind a held one only later: not at all if that fails.
  const bool writes = is_error_of_engine && !fetches && !scenario.shares && draw.one_in(2);
  run.mark = mark_in(device.kind, traffic, writes, fetches, draw);
  run.delay = scenario.is_timed ? draw.upto(draw.one_in(2) ? 60 : 1500) : 0;
  if (act == Act::kRefill) draw_refill(device.kind, run, traffic, draw);
  run.error = draw.any_of(std::vector{tlm::TLM_GENERIC_ERROR_RESPONSE, tlm::TLM_ADDRESS_ERROR_RESPONSE,
                                      tlm::TLM_COMMAND_ERROR_RESPONSE, tlm::TLM_BURST_ERROR_RESPONSE,
                                      tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE});
  return run;
}

/// After a run that was stopped, the next one may begin at once on what is in memory.
void draw_runs(const Scenario& scenario, DeviceScript& device, Drawing& draw) {
  const std::vector acts{Act::kNothing, Act::kRefill, Act::kRefill,    Act::kAbort,
                         Act::kAbort,   Act::kError,  Act::kStartAgain};
  const uint64_t count = 1 + draw.upto(2);
  for (uint64_t k = 0; k < count; ++k) {
    Act act = draw.any_of(acts);
    // With few bursts under way the RTL asks for what lies behind a held one only later: after the refill.
    if (scenario.shares && device.kind != Kind::kCore && act == Act::kRefill) act = Act::kError;
    device.runs.push_back(draw_run(scenario, device, act, draw));
    if ((act != Act::kAbort && act != Act::kError) || !draw.one_in(2)) continue;
    Run again;
    again.program = device.runs.back().program;
    again.keeps = true;
    again.pause = draw.upto(20);
    device.runs.push_back(again);
  }
}

}  // namespace

const char* name_of(Act act) {
  constexpr const char* kNames[] = {"nothing", "refill", "abort", "error", "start-again"};
  return kNames[static_cast<size_t>(act)];
}

std::string Scenario::text() const {
  std::string text = fmt::format("seed {}, number {}: {}{}; {}\n", seed, number, is_timed ? "timed" : "loose",
                                 shares ? ", shared masters" : "", manner.text());
  for (const DeviceScript& device : devices) {
    for (size_t k = 0; k < device.runs.size(); ++k) {
      const Run& run = device.runs[k];
      text += fmt::format("  {} run {}: program {}{}, {}", name_of(device.kind), k, run.program,
                          run.keeps ? ", on what is there" : "", name_of(run.act));
      if (run.act != Act::kNothing) {
        text += fmt::format(" at {} 0x{:x} no. {} + {} ns",
                            run.mark.fetches  ? "fetch"
                            : run.mark.writes ? "write"
                                              : "read",
                            run.mark.address, run.mark.occurrence, run.delay);
      }
      if (run.act == Act::kRefill) text += fmt::format(", {} bytes from 0x{:x} on", run.bytes, run.address);
      if (run.act == Act::kError) text += fmt::format(", status {}", static_cast<int>(run.error));
      text += '\n';
    }
  }
  return text;
}

Scenario draw(uint64_t seed, uint64_t number) {
  Drawing draw(seed, number);
  Scenario scenario;
  scenario.seed = seed;
  scenario.number = number;
  scenario.is_timed = draw.one_in(2);
  scenario.shares = !scenario.is_timed && draw.one_in(2);
  for (const Kind kind : {Kind::kGenesys, Kind::kDnnweaver, Kind::kCore}) {
    DeviceScript& device = scenario.devices.emplace_back();
    device.kind = kind;
    for (uint64_t program = 0; program < 2; ++program)
      device.works.push_back(work_of(kind, seed, 2 * number + program));
    draw_runs(scenario, device, draw);
  }
  const bool refills = std::ranges::any_of(scenario.devices, [](const DeviceScript& device) {
    return std::ranges::any_of(device.runs, [](const Run& run) { return run.act == Act::kRefill; });
  });
  scenario.manner = scenario.is_timed ? timed_manner(draw, refills) : loose_manner(draw);
  complete(scenario.manner, draw);
  scenario.manner.seed = drawn(seed, number, 1);
  return scenario;
}

}  // namespace covenant::platforms
