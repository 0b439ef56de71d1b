#include "tests/cosim/platforms/comparison.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <set>

#include "acg/registers/registers.h"

namespace covenant::platforms {

namespace {

namespace status = registers::status;
using registers::Stop;

class Report {
 public:
  void about(std::string place) { place_ = std::move(place); }
  void say(const std::string& what) { said_.push_back(place_ + ": " + what); }
  void expect(bool holds, const std::string& what) {
    if (!holds) say(what);
  }
  void equal(const char* what, uint64_t a, uint64_t b) {
    if (a != b) say(fmt::format("{}: 0x{:x} and 0x{:x}", what, a, b));
  }
  std::vector<std::string> said() && { return std::move(said_); }

 private:
  std::string place_;
  std::vector<std::string> said_;
};

std::string place_of(const DeviceScript& device, size_t run) {
  return fmt::format("{} run {} ({})", name_of(device.kind), run, name_of(device.runs[run].act));
}

bool stops(Act act) { return act == Act::kAbort || act == Act::kError; }

std::string first_difference(const std::vector<uint8_t>& a, const std::vector<uint8_t>& b, uint64_t base,
                             const std::set<uint64_t>& open = {}) {
  uint64_t count = 0, first = 0;
  for (uint64_t byte = a.size(); byte-- > 0;) {
    if (a[byte] == b[byte] || open.contains(base + byte)) continue;
    ++count;
    first = byte;
  }
  if (count == 0) return "";
  return fmt::format("{} bytes differ, the first at 0x{:x}: {} and {}", count, base + first, a[first], b[first]);
}

uint32_t word_of(const std::vector<uint8_t>& bytes, uint64_t at) {
  uint32_t word = 0;
  std::memcpy(&word, bytes.data() + at, sizeof(word));
  return word;
}

/// Status that a run has to leave, given that its marked burst has come.
void compare_status(Report& report, const Scenario& scenario, const Run& run, const Outcome& outcome) {
  report.expect(!outcome.is_hung, "no interrupt has come");
  report.expect(status::kBusy.of(outcome.status) == 0, "busy at the end");
  const auto stop = static_cast<Stop>(status::kStop.of(outcome.status));
  const bool is_done = status::kDone.of(outcome.status) == 1;
  const bool may_stop = outcome.is_marked && stops(run.act);
  const bool must_stop = may_stop && (run.act == Act::kError ? !run.mark.fetches : !scenario.is_timed);
  if (must_stop || !is_done) {
    report.expect(!is_done, "done");
    report.equal("stop", static_cast<uint64_t>(stop),
                 static_cast<uint64_t>(!may_stop                ? Stop::kNone
                                       : run.act == Act::kError ? Stop::kMemory
                                                                : Stop::kAbort));
  }
  report.equal("fault address", outcome.fault_address, stop == Stop::kMemory ? run.mark.address : 0);
  const bool is_one = outcome.faults != 0 && (outcome.faults & (outcome.faults - 1)) == 0;
  report.expect((outcome.faults == 0) == (stop != Stop::kMemory) && (outcome.faults == 0 || is_one),
                fmt::format("faults 0x{:x}", outcome.faults));
  const bool is_refused = registers::interrupt_status::kRefused.of(outcome.events) == 1;
  report.expect(is_refused || run.act != Act::kStartAgain || scenario.is_timed, "the second start is not refused");
  report.expect(!is_refused || run.act == Act::kStartAgain, "a start is refused");
}

/// Lines that the core has certainly read before the marked one, or certainly not before it stood still.
struct Reach {
  int64_t before = 0, behind = 0;
};

Reach reach_of(const Scenario& scenario, const Work& work, const Run& run, const Outcome& outcome) {
  const auto lines = static_cast<int64_t>(work.lines);
  if (!outcome.is_marked || run.act == Act::kNothing || run.act == Act::kStartAgain) return {lines, lines};
  const auto marked = (static_cast<int64_t>(run.mark.address) - static_cast<int64_t>(work.base + kFrom)) /
                      static_cast<int64_t>(kLineBytes);
  if (scenario.is_timed) return {std::max<int64_t>(marked - 2, 0), lines};
  return {std::max<int64_t>(marked - 1, 0), std::min(marked + 2, lines)};
}

/// Bytes that a line of the core's program may have come from: those before the refill, and after it.
void compare_core(Report& report, const Scenario& scenario, const Work& work, const Run& run, const Outcome& outcome) {
  if (outcome.memory.empty()) return;
  const Reach reach = reach_of(scenario, work, run, outcome);
  const bool is_cut = stops(run.act) && outcome.is_marked;
  uint32_t sum = 0;
  for (int64_t line = 0; line < work.lines; ++line) {
    const auto place = static_cast<uint64_t>(line);
    const uint64_t from = kFrom + place * kLineBytes, to = kTo + place * kLineBytes, at = kSums + 4 * place;
    const auto same = [&](const std::vector<uint8_t>& a, uint64_t x, const std::vector<uint8_t>& b, uint64_t y,
                          uint64_t bytes) { return std::memcmp(a.data() + x, b.data() + y, bytes) == 0; };
    const bool is_old = same(outcome.memory, to, work.before, from, kLineBytes);
    const bool is_new = same(outcome.memory, to, outcome.memory, from, kLineBytes);
    const bool is_untouched = same(outcome.memory, to, work.before, to, kLineBytes);
    if (line < reach.before) report.expect(is_old, fmt::format("line {} is not that of before", line));
    if (line >= reach.behind && is_cut) report.expect(is_untouched, fmt::format("line {} is written", line));
    if (line >= reach.behind && !is_cut) report.expect(is_new, fmt::format("line {} is not the new one", line));
    if (!is_cut) report.expect(is_old || is_new, fmt::format("line {} is neither old nor new", line));
    sum += word_of(outcome.memory, to + 4);
    if (!is_cut) report.equal(fmt::format("sum {}", line).c_str(), word_of(outcome.memory, at), sum);
  }
}

void compare_values(Report& report, const Scenario& scenario, const DeviceScript& device, size_t number,
                    const Outcome& outcome) {
  const Run& run = device.runs[number];
  const Work& work = device.works[run.program];
  if (device.kind == Kind::kCore) return compare_core(report, scenario, work, run, outcome);
  const bool is_plain = run.act == Act::kNothing || run.act == Act::kStartAgain;
  if (!is_plain || outcome.memory.empty()) return;
  const std::string differs = first_difference(outcome.memory, work.after, work.base);
  report.expect(differs.empty(), "beside the simulator " + differs);
}

/// The memory treats bursts of both sides alike, whatever it has been asked before.
bool is_even(const Manner& manner) {
  return manner.read_low == manner.read_high && manner.write_low == manner.write_high && manner.serial == 0 &&
         !manner.accepts && !manner.skips && !manner.ends_later;
}

std::string text_of(const Burst& burst, uint64_t origin) {
  return fmt::format("{} of {} bytes at 0x{:x} in {} ps", burst.writes ? "write" : "read", burst.bytes, burst.address,
                     burst.time - origin);
}

bool equal_bursts(const Burst& a, uint64_t origin_a, const Burst& b, uint64_t origin_b) {
  if (a.time - origin_a != b.time - origin_b || a.writes != b.writes || a.address != b.address || a.bytes != b.bytes ||
      a.status != b.status)
    return false;
  // A read has brought nothing, or not yet.
  if (a.status != tlm::TLM_OK_RESPONSE || a.data.size() != b.data.size()) return true;
  for (size_t byte = 0; byte < a.data.size(); ++byte) {
    if (a.writes && a.is_written(byte) != b.is_written(byte)) return false;
    if ((!a.writes || a.is_written(byte)) && a.data[byte] != b.data[byte]) return false;
  }
  return true;
}

uint64_t origin_of(const Traffic& traffic) {
  uint64_t first = UINT64_MAX;
  for (const std::vector<Burst>& port : traffic) {
    if (!port.empty()) first = std::min(first, port.front().time);
  }
  return first;
}

/// The last bursts of a port may differ if the run was stopped: they were on their way. Their bytes are put into
/// `open`.
void compare_traffic(Report& report, const Traffic& model, const Traffic& rtl, bool is_stopped,
                     std::set<uint64_t>& open) {
  report.equal("ports", model.size(), rtl.size());
  const uint64_t model_origin = origin_of(model), rtl_origin = origin_of(rtl);
  for (size_t port = 0; port < std::min(model.size(), rtl.size()); ++port) {
    const size_t both = std::min(model[port].size(), rtl[port].size()),
                 all = std::max(model[port].size(), rtl[port].size());
    size_t same = 0;
    while (same < both && equal_bursts(model[port][same], model_origin, rtl[port][same], rtl_origin)) ++same;
    const bool is_tail = is_stopped && all - same <= 2;
    if (same < all && !is_tail) {
      const auto tell = [&](const std::vector<Burst>& bursts, uint64_t origin) {
        return same < bursts.size() ? text_of(bursts[same], origin) : "none";
      };
      report.say(fmt::format("burst {} of port {} ({} and {} in all): {} and {}", same, port, model[port].size(),
                             rtl[port].size(), tell(model[port], model_origin), tell(rtl[port], rtl_origin)));
    }
    for (const auto* side : {&model[port], &rtl[port]}) {
      for (size_t k = same; is_tail && k < side->size(); ++k) {
        for (size_t byte = 0; (*side)[k].writes && byte < (*side)[k].data.size(); ++byte)
          open.insert((*side)[k].address + byte);
      }
    }
  }
}

/// A beat of instructions that comes with the last cycle may be counted or not.
void compare_bytes_read(Report& report, const Outcome& model, const Outcome& rtl) {
  const std::vector<Burst>& fetch = rtl.traffic.back();
  const uint64_t beat = fetch.empty() ? 0 : fetch.front().bytes;
  report.expect(rtl.bytes_read >= model.bytes_read && rtl.bytes_read - model.bytes_read <= beat,
                fmt::format("bytes read: {} and {}", model.bytes_read, rtl.bytes_read));
}

}  // namespace

std::vector<std::string> wrong_in(const Scenario& scenario, Side side, const Simulated& simulated) {
  Report report;
  report.about(name_of(side));
  for (const std::string& breach : simulated.breaches) report.say(breach);
  for (size_t number = 0; number < scenario.devices.size(); ++number) {
    const DeviceScript& device = scenario.devices[number];
    report.about(fmt::format("{}, {}", name_of(side), name_of(device.kind)));
    report.equal("runs", simulated.runs[number].size(), device.runs.size());
    for (size_t run = 0; run < simulated.runs[number].size(); ++run) {
      report.about(fmt::format("{}, {}", name_of(side), place_of(device, run)));
      compare_status(report, scenario, device.runs[run], simulated.runs[number][run]);
      compare_values(report, scenario, device, run, simulated.runs[number][run]);
    }
  }
  return std::move(report).said();
}

std::vector<std::string> differences(const Scenario& scenario, const Simulated& model, const Simulated& rtl) {
  Report report;
  for (size_t number = 0; number < scenario.devices.size(); ++number) {
    const DeviceScript& device = scenario.devices[number];
    const auto &models = model.runs[number], &rtls = rtl.runs[number];
    for (size_t run = 0; run < std::min(models.size(), rtls.size()); ++run) {
      const Outcome &a = models[run], &b = rtls[run];
      report.about("model and RTL, " + place_of(device, run));
      report.equal("marked", a.is_marked, b.is_marked);
      report.equal("status", a.status, b.status);
      report.equal("events", a.events, b.events);
      report.equal("faults", a.faults, b.faults);
      report.equal("fault address", a.fault_address, b.fault_address);
      report.equal("blocks", a.blocks, b.blocks);
      std::set<uint64_t> open;
      const bool is_stopped = status::kDone.of(a.status) == 0;
      if (scenario.is_timed && device.kind != Kind::kCore) {
        report.equal("cycles", a.cycles, b.cycles);
        if (!is_stopped) {
          compare_bytes_read(report, a, b);
          report.equal("bytes written", a.bytes_written, b.bytes_written);
        }
        compare_traffic(report, a.traffic, b.traffic, is_stopped, open);
      }
      // The RTL asks later, with fewer bursts under way: no answer comes sooner.
      if (!scenario.is_timed && !is_stopped && is_even(scenario.manner) && device.kind != Kind::kCore &&
          device.runs[run].act == Act::kNothing) {
        report.expect(a.cycles <= b.cycles, fmt::format("cycles: {} and only {}", a.cycles, b.cycles));
      }
      if (a.memory.size() != b.memory.size()) continue;
      const std::string differs =
          first_difference(a.memory, b.memory, device.works[device.runs[run].program].base, open);
      report.expect(differs.empty(), differs);
    }
  }
  return std::move(report).said();
}

}  // namespace covenant::platforms
