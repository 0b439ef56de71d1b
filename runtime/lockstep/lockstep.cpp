#include "runtime/lockstep/lockstep.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <utility>

#include "acg/base/check.h"
#include "runtime/lockstep/comparison.h"
#include "runtime/session/memory_models.h"
#include "sim/run/simulate.h"

namespace covenant::runtime {
namespace {

constexpr uint64_t kGrace = 10'000;  // cycles that the RTL may take longer before it counts as stuck

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// The end of the RTL's run.
struct RtlEnd {
  uint64_t cycles = 0;
  bool is_stopped = false;
  std::string complaint;  ///< empty if it came to its end, or was stopped
};

/// Runs the RTL; its complaints are findings, unless they are about the waveform file.
Result<RtlEnd> run_rtl(const rtl::Model& model, const acg::Program& program, std::vector<uint8_t>& memory,
                       const rtl::RunOptions& options) {
  try {
    const Result<rtl::RunResult> result = model.run(program, memory, options);
    if (result) return RtlEnd{result->cycles, result->is_stopped, {}};
    if (result.error().code == "RTL0016") return result.error();
    return RtlEnd{0, false, result.error().message};
  } catch (const InternalError& error) {  // an assertion of the RTL has failed
    return RtlEnd{0, false, error.what()};
  }
}

const acg::Segment* segment_at(const acg::Program& program, uint64_t address) {
  for (const acg::Segment& segment : program.segments) {
    if (segment.address <= address && address - segment.address < segment.size) return &segment;
  }
  return nullptr;
}

Difference end_difference(uint64_t systemc, const RtlEnd& rtl) {
  Difference difference;
  difference.kind = DifferenceKind::kEnd;
  difference.engine = "machine";
  difference.instruction = "end of the run";
  difference.cycle = rtl.complaint.empty() ? std::min(systemc, rtl.cycles) : systemc;
  difference.fields.push_back({"done", fmt::format("cycle {}", systemc),
                               rtl.complaint.empty() ? fmt::format("cycle {}", rtl.cycles) : rtl.complaint});
  return difference;
}

/// The first byte that differs, and how many do.
uint64_t compare_memory(const acg::Program& program, LockstepResult& result) {
  uint64_t count = 0;
  for (size_t i = 0; i < result.systemc_memory.size(); ++i) {
    if (result.systemc_memory[i] == result.rtl_memory[i]) continue;
    ++count;
    if (result.first) continue;
    Difference difference;
    difference.kind = DifferenceKind::kMemory;
    difference.engine = "off-chip memory";
    const acg::Segment* segment = segment_at(program, i);
    difference.instruction = segment == nullptr ? fmt::format("byte {}", i)
                                                : fmt::format("byte {} of {}", i - segment->address, segment->name);
    difference.cycle = result.cycles;
    difference.fields.push_back(
        {"byte", fmt::format("{:02x}", result.systemc_memory[i]), fmt::format("{:02x}", result.rtl_memory[i])});
    result.first = std::move(difference);
  }
  return count;
}

}  // namespace

Result<LockstepResult> lockstep(const rtl::Model& model, const acg::Program& program, const std::vector<uint8_t>& image,
                                const LockstepOptions& options) {
  LockstepResult result;
  result.systemc_memory = image;
  const Stopwatch systemc;
  Result<sim::SimulateResult> reference = sim::simulate(program, result.systemc_memory,
                                                        {.records = true,
                                                         .memory = options.memory,
                                                         .seed = model.is_checked() ? options.seed : 0,
                                                         .max_cycles = options.max_cycles});
  if (!reference) return reference.error();
  result.systemc_seconds = systemc.seconds();
  result.cycles = reference->cycles;
  result.statistics = std::move(reference->statistics);

  Comparison comparison(program, std::exchange(reference->records, {}));  // it copies them: they need not stay
  result.rtl_memory = image;
  rtl::RunOptions run;
  run.records = true;
  run.max_cycles = result.cycles + kGrace;
  run.seed = options.seed;
  run.wave = options.wave;
  run.wave_from = options.wave_from;
  run.wave_to = options.wave_to;
  run.on_record = [&](const acg::RetireRecord& record) {
    comparison.add(record);
    return !comparison.is_decided();
  };
  if (options.progress) run.on_cycle = [&](uint64_t cycle) { return options.progress(cycle, result.cycles); };
  const Result<MemoryModels> memories = make_memory_models(program, options.memory);
  if (!memories) return memories.error();
  run.memories = pointers_to(*memories);
  const Stopwatch rtl;
  const Result<RtlEnd> end = run_rtl(model, program, result.rtl_memory, run);
  if (!end) return end.error();
  result.rtl_seconds = rtl.seconds();
  result.is_stopped = end->is_stopped && !comparison.is_decided();

  const bool is_whole = !end->is_stopped && end->complaint.empty();
  // Commands after a difference that ended the run were given no time; after a fault or deadlock, they count as
  // missing.
  if (!result.is_stopped) comparison.finish(end->is_stopped ? comparison.last_retire() : UINT64_MAX);
  result.instructions = comparison.compared();
  result.differences = comparison.differences();
  result.first = comparison.first();
  if (end->is_stopped) return result;
  if (!is_whole || end->cycles != result.cycles) {
    ++result.differences;
    Difference difference = end_difference(result.cycles, *end);
    if (!result.first) {
      result.first = std::move(difference);
    } else {
      result.first->fields.push_back(difference.fields.front());
    }
  }
  if (is_whole) result.differences += compare_memory(program, result);
  return result;
}

}  // namespace covenant::runtime
