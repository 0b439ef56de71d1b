/// The RTL with memories that answer at arbitrary times: cycles are as in docs/reference/off-chip-port.md, and bytes as
/// with a memory that is always fast.
#include <algorithm>
#include <gtest/gtest.h>
#include <random>

#include "acg/isa/encode.h"
#include "acg/lang/load.h"
#include "offchip/clock.h"
#include "sim/run/simulate.h"
#include "tests/cosim/rtl/lockstep.h"
#include "tests/cosim/rtl/random_program.h"
#include "tests/support/sim/drawn_memory.h"

namespace covenant::rtl {
namespace {

using namespace covenant::rtl::testing;
using namespace covenant::sim::testing;

using Setting = std::vector<std::pair<std::string, std::string>>;

struct Case {
  const char* name;
  uint64_t latency;
  uint64_t beat;  ///< bytes
  Setting set;
};

/// The result of a run, with the memory that it used.
struct Ran {
  RunResult result;
  std::vector<uint8_t> bytes;
};

Ran run_on(const Model& model, const acg::Program& program, std::vector<uint8_t> bytes, DrawnMemory& memory) {
  auto result = model.run(program, bytes, {.records = true, .max_cycles = 5'000'000, .memories = {&memory}});
  if (!result) throw std::runtime_error(render(result.error()));
  return {std::move(*result), std::move(bytes)};
}

uint64_t places_of(uint64_t latency) {
  uint64_t places = 64;
  while (places < 2 * (latency + 2)) places *= 2;
  return places;
}

/// One engine's transfers and posts, against the formulas. `L`, `B` and `D` as the page has them.
class Port {
 public:
  Port(const Case& machine, uint64_t period, const std::vector<DrawnMemory::Asked>& asked, bool stores)
      : L(machine.latency), B(machine.beat), D(places_of(L)), period_(period), asked_(asked), stores_(stores) {}

  void post(const acg::RetireRecord& record) {
    const uint64_t issue = place(record.issue - record.stall);
    EXPECT_EQ(record.issue, issue) << "post";
    enter(issue, 0);
    EXPECT_EQ(record.retire, visible_.back());
  }

  /// A run of `bytes` bytes at `address`, inside of the limits or not.
  void transfer(const acg::RetireRecord& record, uint64_t address, uint64_t bytes, bool inside) {
    const uint64_t first = inside ? address / B : 0;
    const uint64_t last = inside ? (address + bytes - 1) / B : (bytes + B - 1) / B - 1;
    uint64_t next = record.issue;
    for (uint64_t beat = first; beat <= last; ++beat) {
      const uint64_t issue = place(next);
      if (beat == first) {
        EXPECT_EQ(record.first_port, issue);
      }
      const bool begins = inside && (beat == first || beat % 16 == 0);
      const bool ends = inside && (beat == last || beat % 16 == 15);
      if (begins) ask(issue, beat, std::min(last, beat / 16 * 16 + 15));
      enter(issue, (stores_ ? ends : begins) ? answer_ : 0);
      next = issue + 1;
    }
    EXPECT_EQ(record.last_port, next - 1);
    EXPECT_EQ(record.stall, next - record.issue - (last - first + 1));
    EXPECT_EQ(record.retire, visible_.back());
    waited_ += record.stall;
  }

  void expect_all_asked() const { EXPECT_EQ(bursts_, asked_.size()); }
  uint64_t waited() const { return waited_; }

 private:
  /// The cycle in which an entry issues that could do so in `earliest`.
  uint64_t place(uint64_t earliest) const {
    return visible_.size() < D ? earliest : std::max(earliest, visible_[visible_.size() - D]);
  }
  void ask(uint64_t issue, uint64_t beat, uint64_t last) {
    ASSERT_LT(bursts_, asked_.size());
    const DrawnMemory::Asked& asked = asked_[bursts_++];
    EXPECT_EQ(asked.burst.time, (issue + 1) * period_);
    EXPECT_EQ(asked.burst.address, beat * B);
    EXPECT_EQ(asked.burst.bytes, (last - beat + 1) * B);
    EXPECT_EQ(asked.burst.writes, stores_);
    answer_ = (asked.answered + period_ - 1) / period_;
  }
  void enter(uint64_t issue, uint64_t answer) {
    const uint64_t after = visible_.empty() ? 0 : visible_.back() + 1;
    visible_.push_back(std::max({after, issue + L + 2, answer + 1}));
  }

  uint64_t L, B, D;
  uint64_t period_;
  const std::vector<DrawnMemory::Asked>& asked_;
  bool stores_;
  std::vector<uint64_t> visible_;
  uint64_t answer_ = 0;  ///< cycle in which the burst of now is answered
  size_t bursts_ = 0;
  uint64_t waited_ = 0;
};

struct Transfer {
  uint64_t address, bytes;
  bool inside;
};

/// Loads into VMEM1 and stores out of VMEM2, some outside of the limits, with tokens in between.
struct Traffic {
  Assembly assembly;
  std::vector<Transfer> loads{};
  std::vector<Transfer> stores{};
};

Traffic draw_traffic(const acg::Machine& machine, std::mt19937_64& random) {
  Traffic traffic{Assembly(machine, 1 << 17)};
  Assembly& a = traffic.assembly;
  const auto buffer = static_cast<uint64_t>(machine.memories[static_cast<size_t>(a.memory("VMEM1"))].buffer_bytes());
  const auto draw = [&](uint64_t from) {
    const uint64_t bytes = 1 + random() % std::min<uint64_t>(buffer, random() % 4 == 0 ? 4000 : 200);
    return Transfer{from + random() % 30000, bytes, random() % 8 != 0};
  };
  for (const bool last : {false, true}) {
    const uint64_t rounds = 1 + random() % 5;
    const auto transfers = [&](const char* engine, const char* memory, bool stores, std::vector<Transfer>& all) {
      a.group(engine).op(Operation::kLimit, {0, 5});
      for (uint64_t r = 0; r < rounds; ++r) {
        a.wait(memory, stores ? kFull : kFree);
        for (uint64_t n = 1 + random() % 3; n > 0; --n) {
          const Transfer one = draw(stores ? 40000 : 0);
          a.base(kRow, one.inside ? 0 : 7);
          if (stores) a.store(static_cast<uint32_t>(one.address), 0, static_cast<int32_t>(one.bytes));
          if (!stores) a.load(static_cast<uint32_t>(one.address), 0, static_cast<int32_t>(one.bytes));
          all.push_back(one);
        }
        a.post(memory, stores ? kFree : kFull);
      }
    };
    transfers("DRAM->VMEM1", "VMEM1", false, traffic.loads);
    transfers("VMEM2->DRAM", "VMEM2", true, traffic.stores);
    a.group("SIMD");
    for (uint64_t r = 0; r < rounds; ++r) {
      a.wait("VMEM1", kFull).post("VMEM1", kFree).wait("VMEM2", kFree).post("VMEM2", kFull);
    }
    a.end_block(last);
  }
  return traffic;
}

/// The records of one engine against the formulas; cycles in which its transfers waited for a place.
uint64_t check_engine(const Case& c, Assembly& assembly, const Ran& ran, DrawnMemory& memory, const char* engine,
                      const std::vector<Transfer>& transfers, bool stores) {
  const uint32_t number = assembly.engine(engine);
  const uint64_t period = offchip::Clock::of_frequency(assembly.machine().clock_hertz).period;
  Port port(c, period, memory.asked(number), stores);
  const acg::Codec codec(assembly.machine());
  size_t next = 0;
  for (const acg::RetireRecord& record : ran.result.records) {
    if (record.engine != number) continue;
    const Operation operation = codec.decode(record.word)->instruction.operation;
    if (operation == Operation::kPost) port.post(record);
    if (operation != Operation::kLoad && operation != Operation::kStore) continue;
    const Transfer& one = transfers.at(next++);
    port.transfer(record, one.address, one.bytes, one.inside);
  }
  EXPECT_EQ(next, transfers.size());
  port.expect_all_asked();
  return port.waited();
}

/// The fetch unit's requests and records against the formulas.
void check_fetch(const Case& c, const acg::Machine& machine, const Ran& ran, DrawnMemory& memory) {
  const auto fetch = static_cast<uint32_t>(acg::engines(machine).size());
  const uint64_t period = offchip::Clock::of_frequency(machine.clock_hertz).period;
  const uint64_t W = machine.word_bytes(), B = c.beat, L = c.latency, D = places_of(L);
  const std::vector<DrawnMemory::Asked>& asked = memory.asked(fetch);
  std::vector<uint64_t> arrive;
  uint64_t start = 0;
  for (size_t block = 0; block < ran.result.blocks.size(); ++block) {
    std::vector<acg::RetireRecord> records;
    std::copy_if(ran.result.records.begin(), ran.result.records.end(), std::back_inserter(records),
                 [&](const acg::RetireRecord& record) { return record.engine == fetch && record.block == block; });
    const size_t first = arrive.size();
    const size_t last = first + ((records.back().word_index + 1) * W - 1) / B;
    for (uint64_t cycle = start; arrive.size() <= last || cycle <= arrive[last]; ++cycle) {
      const size_t k = arrive.size();
      if (k >= D && cycle <= arrive[k - D]) continue;
      ASSERT_LT(k, asked.size());
      EXPECT_EQ(asked[k].burst.time, cycle * period) << "block " << block << " request " << k - first;
      EXPECT_EQ(asked[k].burst.bytes, B);
      const uint64_t answer = (asked[k].answered + period - 1) / period;
      arrive.push_back(std::max({k == 0 ? 0 : arrive[k - 1] + 1, cycle + L, answer}));
    }
    for (const acg::RetireRecord& record : records)
      EXPECT_EQ(record.issue, arrive[first + ((record.word_index + 1) * W - 1) / B] + 1);
    start = std::max(arrive[last] + 2, block == 0 ? 0 : ran.result.blocks[block - 1].done + 1);
  }
  EXPECT_EQ(arrive.size(), asked.size());
}

class SlowMemory : public ::testing::TestWithParam<Case> {
 protected:
  static acg::Machine machine() {
    auto machine = acg::load_machine("genesys", GetParam().set);
    if (!machine) throw std::runtime_error(render(machine.error()));
    const int32_t dram = Assembly(*machine).memory("DRAM");
    machine->memories[static_cast<size_t>(dram)].latency = static_cast<uint32_t>(GetParam().latency);
    return *machine;
  }
};

TEST_P(SlowMemory, EveryCycleIsAsThePageSays) {
  constexpr uint64_t kPrograms = 40;
  const Model model = model_of(machine());
  uint64_t waited = 0;
  for (uint64_t seed = 1; seed <= kPrograms; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    std::mt19937_64 random(seed);
    Traffic traffic = draw_traffic(machine(), random);
    DrawnMemory memory(seed, seed % 4 == 0 ? 0 : seed % 4 == 1 ? 1'000'000 : 100'000);
    const Ran ran = run_on(model, traffic.assembly.program(), traffic.assembly.image(), memory);
    waited += check_engine(GetParam(), traffic.assembly, ran, memory, "DRAM->VMEM1", traffic.loads, false);
    waited += check_engine(GetParam(), traffic.assembly, ran, memory, "VMEM2->DRAM", traffic.stores, true);
    check_fetch(GetParam(), machine(), ran, memory);
    if (HasFailure()) return;
  }
  EXPECT_GT(waited, 0U) << "no queue was ever full";
}

/// For each command what its record reports as written, whenever it was.
std::vector<std::pair<uint64_t, uint64_t>> written(const std::vector<acg::RetireRecord>& records) {
  std::vector<std::pair<uint64_t, uint64_t>> digests;
  for (const acg::RetireRecord& record : records) digests.emplace_back(record.engine, record.digest);
  return digests;
}

TEST_P(SlowMemory, EveryByteIsAsWithAQuickOne) {
  constexpr uint64_t kPrograms = 40;
  const Model model = model_of(machine());
  for (uint64_t seed = 1; seed <= kPrograms; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    RandomProgram random(machine(), seed);
    const acg::Program program = random.program();
    std::vector<uint8_t> expected = random.image();
    DrawnMemory memory(seed, seed % 2 == 0 ? 50'000 : 500'000);
    const Ran ran = run_on(model, program, expected, memory);
    // Scratchpads start with the contents of a checked model.
    const auto simulated = sim::simulate(program, expected, {.records = true, .seed = RunOptions{}.seed});
    ASSERT_TRUE(simulated) << render(simulated.error());
    EXPECT_EQ(ran.bytes, expected);
    EXPECT_EQ(written(ran.result.records), written(simulated->records));
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Machines, SlowMemory,
    ::testing::Values(Case{"Beat16", 40, 16, {{"M", "3"}, {"N", "4"}, {"axi_instruction", "128"}}},
                      Case{"Beat8", 1, 8, {{"M", "3"}, {"N", "4"}, {"axi", "64"}, {"axi_instruction", "64"}}},
                      Case{"Beat32", 100, 32, {{"M", "3"}, {"N", "4"}, {"axi", "256"}, {"axi_instruction", "256"}}},
                      Case{"Beat12", 3, 12, {{"M", "3"}, {"N", "4"}, {"axi", "96"}, {"axi_instruction", "96"}}},
                      Case{"AtOnce", 0, 16, {{"M", "3"}, {"N", "4"}, {"axi_instruction", "128"}}}),
    [](const auto& machine) { return std::string(machine.param.name); });

}  // namespace
}  // namespace covenant::rtl
