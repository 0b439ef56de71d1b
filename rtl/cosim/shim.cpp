// Runs the Verilated top of a machine: clock, and off-chip memory behind the ports. Compiled together with the model;
// knows the machine only through covenant_ports.h and covenant_observer.h.
#include <algorithm>
#include <covenant_observer.h>
#include <cstring>
#include <optional>
#include <vector>
#include <verilated.h>
#ifdef COVENANT_WAVE
#include <verilated_fst_c.h>
#endif

#include "rtl/cosim/model_abi.h"
#include "rtl/cosim/offchip.h"
#include "rtl/cosim/recorder.h"
#include "rtl/cosim/timed_offchip.h"
#ifdef COVENANT_CHECKED
#include "rtl/cosim/checked.h"
#endif

namespace {

namespace observer = covenant_observer;
namespace ports = covenant_ports;
using covenant::rtl::ModelRun;
using covenant::rtl::OffchipBytes;
using covenant::rtl::OffchipMemories;
using covenant::rtl::Recorder;
using covenant::rtl::RunStatus;
using covenant::rtl::TimedOffchip;

constexpr uint64_t kIdleLimit = 20'000'000;  // cycles without any event: nothing will come any more

/// The off-chip memories of a run behind the ports of the top.
class Ports {
 public:
  explicit Ports(const ModelRun& run) : timed_(observer::kMemories) {
    for (const OffchipBytes& bytes : run.offchip) {
      fixed_.add(bytes.memory, bytes.data, bytes.bytes, ports::kPorts);
      if (bytes.timing.model == nullptr) continue;
      timed_[bytes.memory].emplace(bytes, ports::kPorts);
      any_timed_ = true;
    }
  }

  /// Simulates one cycle. False if a write is past the end.
  bool serve(Vcovenant_top& top, uint64_t cycle) {
    if (!fixed_.settle(cycle)) return false;
    bool good = !any_timed_ || ask(top, cycle);
    ports::each_read(top, [&](const ports::ReadPort& port) {
      if (timed_[port.memory]) return timed_[port.memory]->read(port);
      fixed_[port.memory].serve(port);
    });
    ports::each_store(top, [&](const ports::WritePort& port) {
      if (timed_[port.memory]) {
        good &= timed_[port.memory]->write(port);
        return;
      }
      port.is_written = 1;  // in time for the last beat
      if (port.valid) fixed_[port.memory].write(port.latency, port.address, port.data, port.strobe, port.bytes);
    });
    return good;
  }

  /// Commits all pending writes. False if one is past the end.
  bool drain() { return fixed_.drain(); }

 private:
  /// Requests the bursts of this cycle, and delivers its answers.
  bool ask(Vcovenant_top& top, uint64_t cycle) {
    ports::each_read(top, [&](const ports::ReadPort& port) {
      if (timed_[port.memory]) timed_[port.memory]->ask_read(port, cycle);
    });
    ports::each_store(top, [&](const ports::WritePort& port) {
      if (timed_[port.memory]) timed_[port.memory]->ask_write(port, cycle);
    });
    return std::all_of(timed_.begin(), timed_.end(),
                       [&](std::optional<TimedOffchip>& memory) { return !memory || memory->advance(cycle); });
  }

  OffchipMemories fixed_;
  std::vector<std::optional<TimedOffchip>> timed_;  ///< by number
  bool any_timed_ = false;
};

class Clock {
 public:
  Clock(VerilatedContext& context, Vcovenant_top& top, const ModelRun& run)
      : context_(context), top_(top), from_(run.wave_from), to_(run.wave_to) {
    context_.timeInc(1);  // rising edges have even times
#ifdef COVENANT_WAVE
    if (run.wave != nullptr) {
      context_.traceEverOn(true);
      top_.trace(&wave_, 99);
      wave_.open(run.wave);
    }
#endif
  }
  /// The second half of a cycle: outputs follow the inputs that were set in its first half.
  void fall() { half(0); }
  /// The next cycle begins.
  void rise() { half(1); }
  void finish() {
#ifdef COVENANT_WAVE
    if (wave_.isOpen()) wave_.close();
#endif
  }

 private:
  void half(uint8_t level) {
    top_.clk_i = level;
    top_.eval();
#ifdef COVENANT_WAVE
    // Cycle c begins at time 2 (c + kReset); the file has at least the state of its first cycle.
    const uint64_t now = context_.time() / 2;
    const uint64_t cycle = now < kReset ? 0 : now - kReset;
    if (wave_.isOpen() && from_ <= cycle && cycle <= to_) wave_.dump(context_.time());
#endif
    context_.timeInc(1);
  }
  static constexpr uint64_t kReset = 4;  ///< cycles of reset and start before cycle 0
  VerilatedContext& context_;
  Vcovenant_top& top_;
  uint64_t from_;
  uint64_t to_;
#ifdef COVENANT_WAVE
  VerilatedFstC wave_;
#endif
};

bool any_fault(const Vcovenant_top& top, uint64_t& faults) {
  std::memcpy(&faults, &top.fault_o, std::min(sizeof(faults), sizeof(top.fault_o)));
  return faults != 0;
}

void execute(ModelRun& run, Vcovenant_top& top, Clock& clock) {
  Ports offchip(run);
  Recorder recorder(run);
  const auto tick = [&] {
    clock.fall();
    clock.rise();
  };
  top.start_i = 0;
  ports::open(top);
  // Reset begins before the first clock edge: at that, registers that hold anything could write anything to memories.
  top.clk_i = 0;
  top.rst_ni = 1;
  top.eval();
  top.rst_ni = 0;
  top.eval();
  tick();
  tick();
  top.rst_ni = 1;
  tick();
  top.start_i = 1;
  top.entry_i = run.entry;
  tick();
  top.start_i = 0;
  uint64_t last_event = 0;
  for (uint64_t cycle = 0;; ++cycle) {
    if (top.done_o != 0) break;
    const bool in_memory = offchip.serve(top, cycle);
    clock.fall();
    if (recorder.cycle(top, cycle)) last_event = cycle;
    if (cycle % covenant::rtl::kWatchCycles == 0) run.watch(run.user, cycle);
    run.status = any_fault(top, run.faults) || !in_memory ? RunStatus::kFault
                 : run.broken[0] != '\0'                  ? RunStatus::kBroken
                 : recorder.is_mistimed()                 ? RunStatus::kMistimed
                 : run.stop                               ? RunStatus::kStopped
                 : cycle >= run.max_cycles                ? RunStatus::kTooLong
                 : cycle - last_event > kIdleLimit        ? RunStatus::kStuck
                                                          : RunStatus::kDone;
    if (run.status != RunStatus::kDone) {
      run.cycles = cycle;
      return;
    }
    clock.rise();
  }
  if (!offchip.drain()) run.status = RunStatus::kFault;
}

}  // namespace

extern "C" void covenant_model_run(ModelRun& run) {
  VerilatedContext context;
#ifdef COVENANT_CHECKED
  begin_checked(run, context);
  Verilated::threadContextp(&context);
#endif
  Vcovenant_top top(&context);
  Clock clock(context, top, run);
  execute(run, top, clock);
  clock.finish();
  top.final();
}
