// covenant_status against a model of the page, with random accesses, blocks and faults.
//   status_bench RUNS
#include <Vcovenant_status.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <verilated.h>

namespace {

constexpr uint32_t kControl = 0x00, kStatus = 0x04, kEntry = 0x08, kCyclesLow = 0x0C, kCyclesHigh = 0x10,
                   kBlocks = 0x14, kFaults = 0x18, kIdentity = 0x1C;

/// What docs/reference/rtl.md says of the registers.
struct Model {
  bool busy = false, done = false;
  uint32_t entry = 0, blocks = 0, faults = 0, data = 0;
  uint64_t cycle = 0, end = 0;
  bool error = false;

  uint32_t value(uint32_t address) const {
    const uint64_t cycles = busy ? cycle : end;
    switch (address) {
      case kStatus:
        return (busy ? 1U : 0U) | (done ? 2U : 0U) | (faults != 0 ? 4U : 0U);
      case kEntry:
        return entry;
      case kCyclesLow:
        return static_cast<uint32_t>(cycles);
      case kCyclesHigh:
        return static_cast<uint32_t>(cycles >> 32U);
      case kBlocks:
        return blocks;
      case kFaults:
        return faults;
      case kIdentity:
        return 0x4E564F43;
      default:
        return 0;
    }
  }
};

class Bench {
 public:
  explicit Bench(uint64_t seed) : random_(seed) {}

  /// A run from reset: accesses all along, a start, blocks, its end or a fault.
  void run() {
    model_ = {};
    top_.rst_ni = 0;
    top_.start_i = 0;
    top_.reg_valid_i = 0;
    step();
    top_.rst_ni = 1;
    const bool by_pin = random_() % 3 == 0;
    const uint64_t length = 20 + random_() % 200;
    bool started = false;
    for (uint64_t cycle = 0; cycle < length; ++cycle) {
      top_.reg_valid_i = random_() % 2;
      top_.reg_write_i = random_() % 3 == 0;
      top_.reg_address_i = static_cast<uint8_t>(random_() % 8 == 0 ? random_() : (random_() % 9) * 4);
      top_.reg_data_i = static_cast<uint32_t>(random_());
      top_.start_i = by_pin && !started && cycle == 7;
      top_.entry_i = static_cast<uint32_t>(random_());
      top_.block_done_i = model_.busy && random_() % 9 == 0;
      top_.fault_i = model_.busy && random_() % 150 == 0 ? static_cast<uint8_t>(1U << random_() % 5) : 0;
      top_.done_i = model_.busy && model_.blocks > 2 && !top_.block_done_i && random_() % 5 == 0;
      if (by_pin && top_.reg_valid_i && top_.reg_write_i && top_.reg_address_i == kControl) top_.reg_data_i &= ~1U;
      started = started || top_.start_i;
      cycle_of_model();
    }
  }

  uint64_t failures() const { return failures_; }

 private:
  void step() {
    top_.clk_i = 0;
    top_.eval();
    top_.clk_i = 1;
    top_.eval();
  }

  void cycle_of_model() {
    Model next = model_;
    const uint32_t address = top_.reg_address_i;
    const bool writes = top_.reg_valid_i && top_.reg_write_i && (address == kControl || address == kEntry);
    const bool reads = top_.reg_valid_i && !top_.reg_write_i && address % 4 == 0 && address <= kIdentity;
    const bool may_start = !model_.busy && !model_.done && model_.faults == 0;
    const bool starts = top_.start_i || (writes && address == kControl && (top_.reg_data_i & 1U) != 0 && may_start);
    next.error = top_.reg_valid_i && !writes && !reads;
    if (reads) next.data = model_.value(address);
    if (writes && address == kEntry && !model_.busy) next.entry = top_.reg_data_i;
    if (model_.busy) {
      ++next.cycle;
      next.faults |= top_.fault_i;
      if (top_.block_done_i) {
        next.end = model_.cycle;
        ++next.blocks;
      }
      if (top_.fault_i != 0) {
        next.busy = false;
        next.end = model_.cycle;
      } else if (top_.done_i) {
        next.busy = false;
        next.done = true;
      }
    }
    if (starts) {
      next.busy = true;
      next.cycle = 0;
      next.blocks = 0;
    }
    top_.clk_i = 0;
    top_.eval();
    expect(top_.start_o == starts, "start_o", top_.start_o);
    if (starts) expect(top_.entry_o == (top_.start_i ? top_.entry_i : model_.entry), "entry_o", top_.entry_o);
    top_.clk_i = 1;
    top_.eval();
    model_ = next;
    expect(top_.reg_data_o == model_.data, "reg_data_o", top_.reg_data_o);
    expect(top_.reg_error_o == model_.error, "reg_error_o", top_.reg_error_o);
  }

  void expect(bool holds, const char* what, uint32_t got) {
    if (!holds && failures_++ < 10)
      std::printf("%s is %08x in cycle %llu\n", what, got, static_cast<unsigned long long>(model_.cycle));
  }

  Vcovenant_status top_;
  Model model_;
  std::mt19937_64 random_;
  uint64_t failures_ = 0;
};

}  // namespace

int main(int count, char** arguments) {
  Bench bench(1);
  const uint64_t runs = count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 2000;
  for (uint64_t k = 0; k < runs; ++k) bench.run();
  std::printf("%llu failures\n", static_cast<unsigned long long>(bench.failures()));
  return bench.failures() == 0 ? 0 : 1;
}
