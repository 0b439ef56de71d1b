#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <tuple>

#include "acg/base/check.h"
#include "rtl/cosim/library.h"
#include "rtl/cosim/timing.h"

namespace covenant::rtl {
namespace {

/// One run as the model sees it, and what comes of it.
struct Running {
  ModelRun run;
  RunResult result;
  const RunOptions& options;
};

void on_record(void* user, const acg::RetireRecord& record) {
  auto& running = *static_cast<Running*>(user);
  if (!running.options.on_record) {
    running.result.records.push_back(record);
  } else if (!running.options.on_record(record)) {
    running.run.stop = true;
  }
}

void on_block(void* user, uint64_t start, uint64_t done) {
  static_cast<Running*>(user)->result.blocks.push_back({start, done});
}

void on_watch(void* user, uint64_t cycle) {
  auto& running = *static_cast<Running*>(user);
  if (running.options.on_cycle && !running.options.on_cycle(cycle)) running.run.stop = true;
}

Diagnostic unwritable(const std::string& wave) {
  return {"RTL0016", {wave}, "", "the waveforms cannot be written", "", {}, "name a file that you may write to"};
}

Diagnostic refused(const ModelRun& run, const std::vector<std::string>& fault_names) {
  std::string who = "off-chip memory";
  for (size_t i = 0; i < fault_names.size(); ++i) {
    if (((run.faults >> i) & 1) != 0) who = fault_names[i];
  }
  return {"RTL0013",
          {},
          who,
          fmt::format("the RTL stopped in cycle {}: a word or write it must not do", run.cycles),
          "",
          {},
          "run the program on the systemc backend, which says what is wrong with it"};
}

Diagnostic endless(const ModelRun& run, const std::string& model) {
  return {"RTL0014",
          {},
          model,
          "the RTL does not come to an end",
          fmt::format("cycle {}", run.cycles),
          {},
          run.status == RunStatus::kStuck ? "nothing moves any more: look for tokens that are never posted"
                                          : "raise max_cycles"};
}

}  // namespace

Result<RunResult> Model::run(const acg::Program& program, std::vector<uint8_t>& memory,
                             const RunOptions& options) const {
  check(options.wave.empty() || has_wave_, "waveforms asked of a model that was built without");
  const std::string wave = options.wave.string();
  if (!wave.empty() && !std::ofstream(wave)) return unwritable(wave);
  Running running{{}, {}, options};
  ModelRun& run = running.run;
  const std::vector<acg::MemoryRange> ranges = acg::memory_ranges(program);
  std::vector<AskedModel> asked(ranges.size());
  for (size_t i = 0; i < ranges.size(); ++i) {
    asked[i].clock = offchip::Clock::of_frequency(program.machine.clock_hertz);
    if (i < options.memories.size()) asked[i].model = options.memories[i];
    run.offchip.push_back(
        {ranges[i].memory.value, memory.data() + ranges[i].first, ranges[i].bytes, timing_of(asked[i])});
  }
  run.entry = static_cast<uint32_t>(acg::entry_address(program));
  run.max_cycles = options.max_cycles;
  run.records = options.records;
  run.digests = options.digests;
  run.seed = options.seed;
  run.wave = wave.empty() ? nullptr : wave.c_str();
  run.wave_from = options.wave_from;
  run.wave_to = options.wave_to;
  run.user = &running;
  run.record = &on_record;
  run.block = &on_block;
  run.watch = &on_watch;
  library_->run(run);
  check(run.status != RunStatus::kMistimed,
        fmt::format("the RTL retired a command in cycle {}, but not when its last write was visible", run.cycles));
  check(run.status != RunStatus::kBroken,
        fmt::format("an assertion of the RTL does not hold in cycle {}: {}", run.cycles, run.broken.data()));
  if (run.status == RunStatus::kFault) return refused(run, fault_names_);
  if (run.status == RunStatus::kTooLong || run.status == RunStatus::kStuck) return endless(run, program.model);
  RunResult result = std::move(running.result);
  result.is_stopped = run.status == RunStatus::kStopped;
  result.cycles = run.cycles;
  std::stable_sort(result.records.begin(), result.records.end(), [](const auto& a, const auto& b) {
    return std::tie(a.block, a.engine, a.sequence) < std::tie(b.block, b.engine, b.sequence);
  });
  return result;
}

}  // namespace covenant::rtl
