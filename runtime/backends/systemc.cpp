/// The backend `systemc`: the cycle-accurate model as a device.
#include "runtime/session/device.h"
#include "sim/run/simulate.h"

namespace covenant::runtime {
namespace {

class Systemc : public Device {
 public:
  explicit Systemc(const acg::Program& program) : program_(program), simulator_(program) {}

  Result<DeviceResult> run(std::vector<uint8_t>& memory, const DeviceOptions& options) const override {
    return finished(options,
                    [&](const sim::SimulateOptions& simulate) { return simulator_.simulate(memory, simulate); });
  }

  Result<DeviceResult> time(const std::vector<uint8_t>& memory, const DeviceOptions& options) const override {
    return finished(options,
                    [&](const sim::SimulateOptions& simulate) { return simulator_.simulate_cycles(memory, simulate); });
  }

  Result<TogetherResult> run_together(std::vector<std::vector<uint8_t>>& memories,
                                      const DeviceOptions& options) const override {
    if (!options.wave.empty()) return no_signals();
    Result<sim::SimulateTogetherResult> done = sim::simulate_together(program_, memories, simulate_options(options));
    if (!done) return done.error();
    TogetherResult result{done->cycles,
                          done->commands,
                          std::move(done->events),
                          std::move(done->trace),
                          {},
                          std::move(done->context_events)};
    for (sim::SimulateResult& one : done->contexts) result.contexts.push_back(moved(one));
    return result;
  }

 private:
  static Diagnostic no_signals() {
    return {"RUN0009",
            {},
            "systemc",
            "this backend has no signals",
            "waveforms",
            {"values", "records", "trace"},
            "use the backend rtl for waveforms, or write a trace"};
  }
  static sim::SimulateOptions simulate_options(const DeviceOptions& options) {
    return {.values = options.values,
            .records = options.records,
            .trace = options.trace,
            .profile = options.profile,
            .commands = options.commands,
            .memory = options.memory};
  }
  static DeviceResult moved(sim::SimulateResult& result) {
    return {result.cycles,           std::move(result.statistics), std::move(result.records),
            std::move(result.trace), std::move(result.own),        result.written};
  }

  template <typename Simulate>
  static Result<DeviceResult> finished(const DeviceOptions& options, Simulate&& simulate) {
    if (!options.wave.empty()) return no_signals();
    Result<sim::SimulateResult> result = simulate(simulate_options(options));
    if (!result) return result.error();
    return moved(*result);
  }

  const acg::Program& program_;
  mutable sim::Simulator simulator_;  ///< locks itself
};

}  // namespace

Result<std::unique_ptr<Device>> make_systemc(const acg::Program& program) {
  return std::unique_ptr<Device>(std::make_unique<Systemc>(program));
}

}  // namespace covenant::runtime
