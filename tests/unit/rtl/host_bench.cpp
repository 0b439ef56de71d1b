// covenant_host against the registers of the SystemC model (sim/common/registers.h): random accesses with
// back-pressure, runs, faults and aborts between them.
//   host_bench STEPS SEED
#include <Vcovenant_host.h>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <verilated.h>

#include "sim/common/registers.h"
#include "tests/support/rtl/axi_lite.h"

namespace {

namespace map = covenant::registers;
using covenant::sim::RunCounters;
using covenant::testing::AxiAnswer;
using covenant::testing::AxiDelays;

constexpr uint64_t kHash = 0x0123456789ABCDEF;
constexpr uint32_t kAlignment = 8;
constexpr unsigned kFaultBits = 40;  // both halves are in use

class Bench {
 public:
  explicit Bench(uint64_t seed)
      : random_(seed),
        model_(kHash, kAlignment,
               {.start = [this](uint32_t entry) { entry_ = entry, is_asked_ = true; },
                .abort = [this] { is_running_ = is_asked_ = false; },
                .counters = [this] { return counters_; }}),
        host_(top_, [this] { settle(); }, [this] { rise(); }) {
    top_.rst_ni = 1;
    top_.eval();
    top_.rst_ni = 0;
    cycle();
    top_.rst_ni = 1;
    top_.memory_idle_i = 1;
    cycle();
  }

  void step() {
    switch (random_() % 8) {
      case 0:
        if (is_running_) return event();
        break;
      case 1:
        for (uint64_t k = random_() % 5; k > 0; --k) cycle();
        break;
      case 2:
      case 3:
      case 4:
        return write();
      default:
        return read();
    }
  }

  /// An event that meets the write that clears it, in any cycle of that, is seen: it raises the line for a while at
  /// least.
  void race() {
    while (model_.is_busy()) access_write(map::kControl, map::control::kStop.mask(), 0xF);
    for (unsigned delay = 0; delay < 12; ++delay) {
      access_write(map::kProgramHigh, 0, 0xF);
      access_write(map::kProgramLow, 64, 0xF);
      access_write(map::kInterruptEnable, map::interrupt_enable::kDone.mask(), 0xF);
      access_write(map::kInterruptStatus, 0xF, 0xF);
      access_write(map::kControl, map::control::kStart.mask(), 0xF);
      done_in_ = delay + 1;
      was_raised_ = false;
      host_.write(map::kInterruptStatus, 0xF);
      while (done_in_ != 0) cycle();
      settle_and_finish();
      for (unsigned k = 0; k < 4; ++k) cycle();
      expect(was_raised_, "an event was lost", delay);
      const uint32_t stays = host_.read(map::kInterruptStatus).value;
      if (stays == 0) model_.write32(map::kInterruptStatus, 0xF);
      stayed_ += stays == 0 ? 0U : 1U;
    }
    expect(0 < stayed_ && stayed_ < 12, "events that stay", stayed_);
  }

  /// An abort that meets the end of the run, or its fault, in any cycle of the access: one of them is the end.
  void race_aborts() {
    for (const bool fails : {false, true}) {
      const uint32_t own = (fails ? map::interrupt_status::kFault : map::interrupt_status::kDone).mask();
      const uint32_t aborted = map::interrupt_status::kAborted.mask();
      unsigned aborts = 0;
      for (unsigned delay = 0; delay < 12; ++delay) {
        access_write(map::kProgramHigh, 0, 0xF);
        access_write(map::kProgramLow, 64, 0xF);
        access_write(map::kInterruptEnable, 0, 0xF);
        access_write(map::kInterruptStatus, 0xF, 0xF);
        access_write(map::kControl, map::control::kStart.mask(), 0xF);
        ends_by_fault_ = fails;
        done_in_ = delay + 1;
        host_.write(map::kControl, map::control::kStop.mask());
        while (done_in_ != 0) cycle();
        top_.core_done_i = 0;
        top_.core_fault_i = 0;
        const uint32_t events = host_.read(map::kInterruptStatus).value;
        expect(events == own || events == aborted, "one end of a run", events);
        const uint32_t status = host_.read(map::kStatus).value;
        expect(map::status::kBusy.of(status) == 0, "a run that has ended", status);
        expect((map::status::kAborted.of(status) != 0) == (events == aborted), "an abort", status);
        expect((map::status::kDone.of(status) != 0) == (events == own && !fails), "an end", status);
        aborts += events == aborted ? 1U : 0U;
        model_.write32(map::kControl, map::control::kStop.mask());
        host_.write(map::kInterruptStatus, 0xF);
        model_.write32(map::kInterruptStatus, 0xF);
      }
      expect(0 < aborts && aborts < 12, "runs that are aborted", aborts);
    }
  }

  uint64_t failures() const { return failures_; }
  uint64_t runs() const { return runs_; }

 private:
  void settle() {
    top_.clk_i = 0;
    if (done_in_ == 1) end_run();
    top_.eval();
    was_raised_ = was_raised_ || top_.irq_o != 0;
  }
  void end_run() {
    if (ends_by_fault_) {
      top_.core_fault_i = 1;
    } else {
      top_.core_done_i = 1;
    }
  }
  void rise() {
    if (top_.core_start_o != 0) {
      expect(is_asked_ && top_.core_entry_o == entry_, "core_entry_o", top_.core_entry_o);
      expect(held_ >= 4, "cycles of reset", held_);
      is_asked_ = false;
      is_running_ = true;
      cycle_ = 0;
      ++runs_;
    } else if (is_running_) {
      ++cycle_;
    }
    held_ = top_.core_rst_no == 0 ? held_ + 1 : top_.core_start_o != 0 ? 0 : held_;
    if (done_in_ != 0) --done_in_;
    top_.clk_i = 1;
    top_.eval();
  }
  void cycle() {
    settle();
    rise();
  }

  void settle_and_finish() {
    top_.core_done_i = 0;
    is_running_ = false;
    counters_.cycles = 0;  // no block was done
    model_.finish(counters_);
  }

  /// The memory keeps the machine in reset for a while, then it starts.
  void wait_for_start() {
    top_.memory_idle_i = random_() % 2 == 0;
    for (unsigned k = 0; k < 8; ++k) cycle();
    expect(is_running_ == (top_.memory_idle_i != 0), "starts when the memory is idle", top_.memory_idle_i);
    top_.memory_idle_i = 1;
    for (unsigned k = 0; k < 40 && !is_running_; ++k) cycle();
    expect(is_running_, "it does not start", 0);
    counters_ = {};
    last_block_ = 0;
  }

  /// Something happens in the machine, in a cycle of its own.
  void event() {
    top_.bytes_read_i = static_cast<uint16_t>(random_());
    top_.bytes_written_i = static_cast<uint16_t>(random_());
    top_.stalled_i = static_cast<uint8_t>(random_());
    top_.core_block_done_i = random_() % 2;
    const uint64_t what = random_() % 12;
    const uint64_t bit = uint64_t{1} << random_() % kFaultBits;
    top_.core_done_i = what == 0 || what == 5;
    if (what == 1 || what == 2) top_.core_fault_i = bit;
    if (what == 2 || what == 3) top_.memory_fault_i = bit << 1U & ((uint64_t{1} << kFaultBits) - 1);
    top_.memory_address_i = random_();
    if (top_.core_done_i != 0 && what == 5) top_.core_fault_i = bit;  // a fault of the same cycle counts
    counters_.bytes_read += top_.bytes_read_i;
    counters_.bytes_written += top_.bytes_written_i;
    counters_.stalled += top_.stalled_i;
    counters_.blocks += top_.core_block_done_i;
    if (top_.core_block_done_i != 0) last_block_ = cycle_;
    const uint64_t mask = top_.core_fault_i | top_.memory_fault_i;
    if (mask != 0) {
      const bool is_memory = top_.memory_fault_i != 0;
      counters_.cycles = cycle_;
      model_.fault(is_memory ? map::Stop::kMemory : map::Stop::kMachine, mask, top_.memory_address_i, counters_);
    } else if (top_.core_done_i != 0) {
      counters_.cycles = last_block_;
      model_.finish(counters_);
    }
    cycle();
    is_running_ = is_running_ && mask == 0 && top_.core_done_i == 0;
    top_.bytes_read_i = top_.bytes_written_i = top_.stalled_i = 0;
    top_.core_block_done_i = top_.core_done_i = 0;
    top_.core_fault_i = top_.memory_fault_i = 0;
    settle();
    expect((top_.irq_o != 0) == model_.interrupt(), "irq_o after an event", top_.irq_o);
  }

  uint32_t address() {
    if (random_() % 10 == 0) return static_cast<uint32_t>(random_() % 4096);
    return static_cast<uint32_t>(random_() % (map::kBytes / 4 + 1)) * 4;
  }
  AxiDelays delays() {
    const auto some = [this] { return static_cast<unsigned>(random_() % 3 == 0 ? random_() % 6 : 0); };
    return {some(), some(), some()};
  }

  void read() {
    const uint32_t at = address();
    const uint64_t from = cycle_;
    const AxiAnswer answer = host_.read(at, delays());
    if (is_running_) counters_.cycles = cycle_;
    const std::optional<uint32_t> expected = model_.read32(at);
    if (!expected) return expect(answer.response == 2, "the response to a read", at);
    expect(answer.response == 0, "the response to a read", at);
    if (at == map::kCyclesLow && is_running_) {
      return expect(from <= answer.value && answer.value <= cycle_, "the cycle", answer.value);
    }
    expect(answer.value == *expected, "a register", at);
  }

  void write() {
    uint32_t at = address();
    auto value = static_cast<uint32_t>(random_());
    if (at == map::kProgramHigh && random_() % 4 != 0) value = 0;
    if (at == map::kProgramLow && random_() % 4 != 0) value &= ~(kAlignment - 1);
    if (random_() % 3 == 0) at = random_() % 2 == 0 ? map::kControl : map::kInterruptStatus;
    if (at == map::kControl && random_() % 3 != 0) value &= ~map::control::kStop.mask();
    access_write(at, value, static_cast<uint32_t>(random_() % 4 == 0 ? random_() % 16 : 0xF));
  }

  void access_write(uint32_t at, uint32_t value, uint32_t strobes) {
    const bool aborts = at == map::kControl && (strobes & 1U) != 0 && map::control::kStop.of(value) != 0;
    const bool was_running = is_running_;
    from_ = cycle_;
    const AxiAnswer answer = host_.write(at, value, strobes, delays());
    if (aborts && was_running) {
      // Its cycle stands in the register: one of this access.
      const uint32_t stopped = host_.read(map::kCyclesLow).value;
      expect(from_ <= stopped && stopped <= cycle_, "the cycle of an abort", stopped);
      counters_.cycles = stopped;
    } else if (is_running_) {
      counters_.cycles = cycle_;
    }
    expect((answer.response == 0) == model_.write32(at, value, strobes), "the response to a write", at);
    if (is_asked_) wait_for_start();
    cycle();
    settle();
    expect((top_.irq_o != 0) == model_.interrupt(), "irq_o", top_.irq_o);
  }

  void expect(bool holds, const char* what, uint64_t got) {
    if (!holds && failures_++ < 10) std::printf("%s: %llx\n", what, static_cast<unsigned long long>(got));
  }

  Vcovenant_host top_;
  std::mt19937_64 random_;
  covenant::sim::Registers model_;
  covenant::testing::AxiLite<Vcovenant_host> host_;
  RunCounters counters_;
  uint32_t entry_ = 0;
  bool is_asked_ = false;       ///< a start was accepted and the machine has not started yet
  bool is_running_ = false;     ///< it has
  unsigned held_ = 0;           ///< cycles of reset
  unsigned done_in_ = 0;        ///< cycles until the machine is done
  bool ends_by_fault_ = false;  ///< or until it fails
  uint64_t cycle_ = 0;          ///< cycle of the run
  uint64_t last_block_ = 0;
  uint64_t from_ = 0;        ///< cycle in which the access that aborts begins
  bool was_raised_ = false;  ///< the interrupt line has been high
  unsigned stayed_ = 0;      ///< events that the write has not cleared
  uint64_t failures_ = 0;
  uint64_t runs_ = 0;
};

}  // namespace

int main(int count, char** arguments) {
  const uint64_t steps = count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 100'000;
  const uint64_t seed = count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 1;
  Bench bench(seed);
  for (uint64_t k = 0; k < steps; ++k) bench.step();
  bench.race();
  bench.race_aborts();
  std::printf("seed %llu: %llu runs, %llu failures\n", static_cast<unsigned long long>(seed),
              static_cast<unsigned long long>(bench.runs()), static_cast<unsigned long long>(bench.failures()));
  return bench.failures() == 0 && bench.runs() > steps / 200 ? 0 : 1;
}
