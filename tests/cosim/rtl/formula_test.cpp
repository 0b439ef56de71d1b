/// The cycles that the unit pages state, measured on the RTL alone. That a command's last write is visible in its
/// retire cycle, and not one cycle earlier or later, is checked by the model itself for every command of every run.
#include <gtest/gtest.h>

#include "acg/lang/load.h"
#include "tests/cosim/rtl/lockstep.h"

namespace covenant::rtl {
namespace {

using namespace covenant::rtl::testing;
using namespace covenant::sim::testing;

constexpr uint64_t kRows = 3, kColumns = 4, kLatency = 40, kBeat = 16;

const acg::Machine& machine() {
  static const acg::Machine instance = *acg::load_machine("genesys", {{"M", "3"}, {"N", "4"}});
  return instance;
}
const Model& model() {
  static const Model instance = model_of(machine());
  return instance;
}

/// Records of one engine.
std::vector<acg::RetireRecord> run_on_rtl(Assembly& assembly, std::string_view engine) {
  const acg::Program program = assembly.program();
  std::vector<uint8_t> memory = assembly.image();
  const auto result = model().run(program, memory, {.records = true, .max_cycles = 1'000'000});
  if (!result) throw std::runtime_error(render(result.error()));
  const uint32_t number =
      engine.empty() ? static_cast<uint32_t>(acg::engines(machine()).size()) : assembly.engine(engine);
  std::vector<acg::RetireRecord> records;
  for (const acg::RetireRecord& record : result->records) {
    if (record.engine == number) records.push_back(record);
  }
  return records;
}

TEST(Formula, ConfigurationAndLoopsTakeOneCycle) {
  Assembly a(machine());
  a.group("SA")
      .op(Operation::kLoop, {2, 4, 0})
      .op(Operation::kTrip, {7, 3, 0})
      .op(Operation::kEnd, {2})
      .end_block(true);
  const auto records = run_on_rtl(a, "SA");
  ASSERT_EQ(records.size(), 11U);
  for (size_t i = 0; i < records.size(); ++i) {
    EXPECT_EQ(records[i].issue, records[0].issue + i);
    EXPECT_EQ(records[i].retire, records[i].issue + 1);
  }
}

TEST(Formula, PassOfTheSystolicArray) {
  for (const int32_t steps : {1, 2, 17}) {
    Assembly a(machine());
    a.group("SA").op(Operation::kTrip, {9, steps - 1, 0}).op(Operation::kGemm, {0}).op(Operation::kGemm, {1});
    a.end_block(true);
    const auto records = run_on_rtl(a, "SA");
    ASSERT_EQ(records.size(), 3U);
    for (size_t i = 1; i < 3; ++i) {
      EXPECT_EQ(records[i].first_port, records[i].issue);
      EXPECT_EQ(records[i].last_port, records[i].issue + static_cast<uint64_t>(steps) - 1);
      EXPECT_EQ(records[i].retire, records[i].last_port + kRows + kColumns + 2);
    }
    EXPECT_EQ(records[2].issue, records[1].last_port + 1);
  }
}

TEST(Formula, BeatsOfATransfer) {
  for (const uint32_t address : {0U, 1U, 15U, 16U, 30U}) {
    for (const int32_t bytes : {1, 15, 16, 17, 100}) {
      Assembly a(machine());
      a.group("DRAM->VMEM1").load(address, 0, bytes).end_block(true);
      const auto record = run_on_rtl(a, "DRAM->VMEM1").back();
      const uint64_t beats = (address + static_cast<uint64_t>(bytes) - 1) / kBeat - address / kBeat + 1;
      EXPECT_EQ(record.last_port, record.issue + beats - 1) << address << " " << bytes;
      EXPECT_EQ(record.retire, record.last_port + kLatency + 2);
    }
  }
}

TEST(Formula, FillsCostWholeBeatsWhereverTheyLie) {
  Assembly a(machine());
  a.group("DRAM->VMEM1").base(kRow, 0xFFFFFFFF).op(Operation::kLimit, {0, 5}).load(15, 0, 33).end_block(true);
  const auto record = run_on_rtl(a, "DRAM->VMEM1").back();
  EXPECT_EQ(record.last_port, record.issue + 2);
}

TEST(Formula, NestsTakeTheLatencyOfTheirCapability) {
  struct Nest {
    Operation operation;
    int32_t dst, src1, src2;
    uint64_t latency;
  };
  // As acg/machines/genesys.acg declares them.
  for (const Nest& nest :
       {Nest{Operation::kAdd, kI32, kI32, kI32, 1}, Nest{Operation::kMul, kI32, kI32, kI32, 2},
        Nest{Operation::kRequant, kI8, kI32, kF32, 5}, Nest{Operation::kRequantAdd, kU8, kU8, kU8, 8},
        Nest{Operation::kMax, kU8, kU8, kI32, 1}, Nest{Operation::kRequantMul, kI8, kI8, kI8, 8},
        Nest{Operation::kLookup, kU8, kU8, kI8, 1}, Nest{Operation::kAdd, kF32, kF32, kF32, 3},
        Nest{Operation::kDiv, kF32, kF32, kF32, 9}, Nest{Operation::kSqrt, kF32, kF32, kF32, 13},
        Nest{Operation::kMove, kF32, kI32, kI32, 2}, Nest{Operation::kDequantize, kF32, kU8, kI8, 5},
        Nest{Operation::kQuantize, kI8, kF32, kF32, 14}, Nest{Operation::kLookup, kF32, kI8, kI8, 1},
        Nest{Operation::kReduceSum, kF32, kF32, kI8, 3}, Nest{Operation::kDequantizeSum, kF32, kI8, kI8, 8}}) {
    for (const int32_t trips : {1, 2, 9}) {
      Assembly a(machine());
      const int32_t v1 = a.memory("VMEM1");
      const int32_t v2 = a.memory("VMEM2");
      const int32_t imm = a.memory("IMM");
      a.group("SIMD")
          .op(Operation::kTypes, {nest.dst, nest.src1, nest.src2})
          .iterator("VMEM1", 0, 0, 4)
          .iterator("VMEM2", 0, 0, 4);
      a.op(Operation::kSimdTrip, {3, trips - 1}).op(Operation::kSimdIndex, {v1, 0, v2, 0, imm, 0});
      const bool second_in_memory =
          nest.operation == Operation::kRequantAdd || nest.operation == Operation::kRequantMul;
      a.op(nest.operation, {v1, 0, v2, 0, second_in_memory ? v2 : imm, 0})
          .op(Operation::kSimdReduce, {8})
          .end_block(true);
      const auto records = run_on_rtl(a, "SIMD");
      const auto& record = records[records.size() - 2];
      EXPECT_EQ(record.last_port, record.issue + static_cast<uint64_t>(trips) - 1);
      EXPECT_EQ(record.retire, record.last_port + 3 + nest.latency);
      EXPECT_EQ(records.back().issue, record.retire) << "the array drains";
    }
  }
}

TEST(Formula, InstructionFetch) {
  Assembly a(machine());
  a.group("SIMD");
  for (int k = 0; k < 5; ++k) a.op(Operation::kSimdReduce, {8});
  a.group("SA").op(Operation::kTrip, {7, 3, 0}).end_block(false);
  a.group("SA").op(Operation::kTrip, {7, 2, 0}).end_block(true);
  const auto fetch = run_on_rtl(a, "");
  ASSERT_EQ(fetch.size(), 5U);  // two headers, an end; a header, an end
  const auto arrive = [](uint64_t start, uint64_t word) { return start + kLatency + 1 + word / 2; };
  EXPECT_EQ(fetch[0].issue, arrive(0, 0));
  EXPECT_EQ(fetch[0].retire, arrive(0, 5) + 1);
  EXPECT_EQ(fetch[1].issue, arrive(0, 6));
  EXPECT_EQ(fetch[2].issue, arrive(0, 8));
  EXPECT_EQ(fetch[2].retire, arrive(0, 8) + 1);
  const uint64_t second = arrive(0, 8) + 1;  // fetch_start(1) = fetch_end(0)
  EXPECT_EQ(fetch[3].issue, arrive(second, 0));
  EXPECT_EQ(fetch[4].issue, arrive(second, 2));
  const auto words = run_on_rtl(a, "SIMD");
  EXPECT_EQ(words[0].issue, arrive(0, 8) + 1);
}

TEST(Formula, TokensAreVisibleAfterTheDepthOfTheirPoster) {
  Assembly a(machine());
  a.group("DRAM->VMEM1").wait("VMEM1", kFree).load(0, 0, 16).post("VMEM1", kFull);
  a.group("SIMD").wait("VMEM1", kFull).post("VMEM1", kFree).end_block(true);
  const auto loads = run_on_rtl(a, "DRAM->VMEM1");
  const auto waits = run_on_rtl(a, "SIMD");
  EXPECT_EQ(loads.back().retire, loads.back().issue + kLatency + 2);
  EXPECT_EQ(waits[0].issue, loads.back().retire);
  EXPECT_EQ(waits[0].issue - waits[0].stall, loads[0].issue) << "both blocks' first words arrive together";
}

/// A load asks for its first beat in the cycle after it issues: in the cycle in which a store retires it finds what was
/// stored last, one cycle before it does not.
TEST(Formula, StoresAreSeenWhenTheyRetireAndNotBefore) {
  const auto load_after = [](uint64_t fillers) {
    Assembly a(machine());
    a.group("VMEM1->DRAM").store(1000, 0, 40).end_block(false);  // memory there is not zero, off-chip memory is
    a.group("VMEM1->DRAM").store(2024, 0, 40);
    a.group("DRAM->VMEM2");
    for (uint64_t k = 0; k < fillers; ++k) a.base(kRow, 0);
    a.load(2048, 0, 16).end_block(true);
    const auto stores = run_on_rtl(a, "VMEM1->DRAM");
    const auto loads = run_on_rtl(a, "DRAM->VMEM2");
    return std::pair{stores.back(), loads.back()};
  };
  const auto [store, early] = load_after(0);
  EXPECT_EQ(store.last_port, store.issue + 2);  // bytes 2024 to 2063 are of three beats
  ASSERT_LT(early.issue, store.retire);
  const uint64_t gap = store.retire - 1 - early.issue;
  const auto before = load_after(gap - 1);
  const auto after = load_after(gap);
  const auto late = load_after(gap + 50);
  ASSERT_EQ(after.second.issue + 1, after.first.retire);
  EXPECT_EQ(after.second.digest, late.second.digest);
  EXPECT_NE(before.second.digest, late.second.digest);
  EXPECT_EQ(before.second.digest, early.digest);
}

TEST(Formula, RunsMayFollowOneAnother) {
  Assembly a(machine());
  a.group("DRAM->VMEM1").wait("VMEM1", kFree).load(3, 1, 77).post("VMEM1", kFull);
  a.group("VMEM1->DRAM").wait("VMEM1", kFull).store(1024, 1, 77).post("VMEM1", kFree).end_block(true);
  const acg::Program program = a.program();
  std::vector<uint8_t> first = a.image();
  for (size_t i = 0; i < 100; ++i) first[i] = static_cast<uint8_t>(i * 7);
  std::vector<uint8_t> second = first;
  const auto one = model().run(program, first, {.records = true});
  const auto two = model().run(program, second, {.records = true});
  ASSERT_TRUE(one && two);
  EXPECT_EQ(one->cycles, two->cycles);
  EXPECT_EQ(one->records, two->records);
  EXPECT_EQ(first, second);
  EXPECT_TRUE(std::equal(first.begin() + 3, first.begin() + 80, first.begin() + 1024));
}

TEST(Formula, WrongProgramsStop) {
  Assembly a(machine());
  a.group("SA").op(Operation::kLoad, {3}).end_block(true);  // a word of another unit
  const acg::Program program = a.program();
  std::vector<uint8_t> memory = a.image();
  const auto result = model().run(program, memory);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "RTL0013");
  EXPECT_EQ(result.error().subject, "SA");
}

TEST(Formula, ProgramsWithoutEndAreGivenUp) {
  Assembly a(machine());
  a.group("SA").wait("IBUF", kFull).end_block(true);
  const acg::Program program = a.program();
  std::vector<uint8_t> memory = a.image();
  const auto result = model().run(program, memory, {.max_cycles = 5000});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "RTL0014");
}

}  // namespace
}  // namespace covenant::rtl
