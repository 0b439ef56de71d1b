/// The backend `rtl`: the Verilated RTL as a device.
#include "acg/base/check.h"
#include "runtime/session/device.h"
#include "runtime/session/memory_models.h"
#include "sim/run/statistics_from_records.h"
#include "sim/trace/perfetto.h"

namespace covenant::runtime {
namespace {

Status check_options(const DeviceOptions& options, const rtl::Model& model) {
  if (!options.values) {
    return Diagnostic{"RUN0009",
                      {},
                      "rtl",
                      "this backend always computes values",
                      "time without values",
                      {"records", "trace", "wave"},
                      "use the backend systemc"};
  }
  if (!options.wave.empty() && !model.has_wave()) {
    return Diagnostic{"RUN0010",
                      {},
                      "rtl",
                      "this model was built without waveforms",
                      options.wave.string(),
                      {},
                      "open the session with waves: RtlOptions::wave, in Python waves=True"};
  }
  return Done{};
}

std::vector<sim::BlockTimes> times_of(const std::vector<rtl::BlockTimes>& blocks) {
  std::vector<sim::BlockTimes> times;
  for (const rtl::BlockTimes& block : blocks) times.push_back({block.start, block.done});
  return times;
}

class Rtl : public Device {
 public:
  Rtl(const acg::Program& program, rtl::Model model) : program_(program), model_(std::move(model)) {}

  Result<DeviceResult> run(std::vector<uint8_t>& memory, const DeviceOptions& options) const override {
    if (Status status = check_options(options, model_); !status) return status.error();
    rtl::RunOptions run;
    run.records = true;  // the statistics are made of them
    run.digests = options.records;
    run.wave = options.wave;
    run.wave_from = options.wave_from;
    run.wave_to = options.wave_to;
    run.on_cycle = options.progress;
    std::deque<offchip::Timeline> timelines;
    const Result<MemoryModels> memories =
        make_memory_models(program_, options.memory, options.trace ? &timelines : nullptr);
    if (!memories) return memories.error();
    run.memories = pointers_to(*memories);
    Result<rtl::RunResult> result = model_.run(program_, memory, run);
    if (!result) return result.error();
    if (result->is_stopped) {
      return Diagnostic{"RUN0011",
                        {},
                        program_.model,
                        "the run was stopped",
                        std::to_string(result->cycles) + " cycles",
                        {},
                        "let it run to its end"};
    }
    sim::StatisticsFromRecords counted =
        sim::statistics_from_records(program_, result->records, times_of(result->blocks));
    counted.statistics.memories = counted_by(*memories, program_, options.memory);
    DeviceResult made;
    made.cycles = result->cycles;
    if (options.trace) {
      made.trace = sim::perfetto_trace(counted.tracks, counted.slices, counted.flows,
                                       traces_of(timelines, program_, options.memory));
    }
    made.statistics = std::move(counted.statistics);
    if (options.records) made.records = std::move(result->records);
    return made;
  }

 private:
  const acg::Program& program_;
  rtl::Model model_;
};

}  // namespace

Result<std::unique_ptr<Device>> make_rtl(const acg::Program& program, const RtlOptions& options) {
  Result<rtl::Model> model = build_rtl(program.machine, options);
  if (!model) return model.error();
  return std::unique_ptr<Device>(std::make_unique<Rtl>(program, std::move(*model)));
}

}  // namespace covenant::runtime
