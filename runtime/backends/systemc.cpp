/// The cycle-accurate model as a device.
#include "runtime/device.h"
#include "sim/simulate.h"

namespace covenant::runtime {
namespace {

class Systemc : public Device {
 public:
  explicit Systemc(const acg::Program& program) : program_(program) {}

  Result<DeviceResult> run(std::vector<uint8_t>& memory, const DeviceOptions& options) const override {
    return finished(options,
                    [&](const sim::SimulateOptions& simulate) { return sim::simulate(program_, memory, simulate); });
  }

  Result<DeviceResult> time(const std::vector<uint8_t>& memory, const DeviceOptions& options) const override {
    return finished(options, [&](const sim::SimulateOptions& simulate) {
      return sim::simulate_cycles(program_, memory, simulate);
    });
  }

 private:
  template <typename Simulate>
  static Result<DeviceResult> finished(const DeviceOptions& options, Simulate&& simulate) {
    if (!options.wave.empty()) {
      return Diagnostic{"RUN0009",
                        {},
                        "systemc",
                        "this backend has no signals",
                        "waveforms",
                        {"values", "records", "trace"},
                        "use the backend rtl for waveforms, or write a trace"};
    }
    Result<sim::SimulateResult> result = simulate({.values = options.values,
                                                   .records = options.records,
                                                   .trace = options.trace,
                                                   .profile = options.profile,
                                                   .packets = options.packets});
    if (!result) return result.error();
    return DeviceResult{result->cycles,           std::move(result->statistics),     std::move(result->records),
                        std::move(result->trace), std::move(result->packet_records), std::move(result->profile)};
  }

  const acg::Program& program_;
};

}  // namespace

Result<std::unique_ptr<Device>> make_systemc(const acg::Program& program) {
  return std::unique_ptr<Device>(std::make_unique<Systemc>(program));
}

}  // namespace covenant::runtime
