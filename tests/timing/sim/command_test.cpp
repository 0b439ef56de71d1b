/// Issue, port and retire cycles of every kind of command, as the unit pages give them.
#include <gtest/gtest.h>

#include "tests/support/sim/run.h"

namespace covenant::sim {
namespace {

using namespace covenant::sim::testing;

/// The record of the first word of an engine that does `operation`.
acg::RetireRecord record_of(const Ran& ran, const Assembly& a, uint32_t engine, Operation operation, size_t which = 0) {
  const acg::Codec codec(a.machine());
  for (const auto& record : ran.of(engine)) {
    const auto decoded = codec.decode(record.word);
    if (decoded && decoded->instruction.operation == operation && which-- == 0) return record;
  }
  throw std::runtime_error("no such record");
}

TEST(CommandTiming, WordsWithoutAPortTakeOneCycleEach) {
  Assembly a(small_machine(3, 5));
  a.group("SA").op(Operation::kTrip, {7, 4, 0}).base(kInput, 3).stride(kInput, 7, 1);
  a.op(Operation::kLoop, {0, 1, 0}).op(Operation::kEnd, {0});
  a.group("DRAM->IBUF").op(Operation::kLimit, {0, 3}).op(Operation::kFill, {9}).end_block(true);
  const Ran ran = run(a);
  const uint64_t start = ran.result.statistics.blocks[0].start;
  const auto array = ran.of(a.engine("SA"));
  ASSERT_EQ(array.size(), 6U);  // the body of the loop is empty: loop, end, end
  for (size_t k = 0; k < array.size(); ++k) {
    EXPECT_EQ(array[k].issue, start + k);
    EXPECT_EQ(array[k].retire, array[k].issue + 1);
    EXPECT_EQ(array[k].first_port, array[k].issue);
    EXPECT_EQ(array[k].last_port, array[k].issue);
    EXPECT_EQ(array[k].sequence, k);
    EXPECT_EQ(array[k].digest, 0U);
  }
  EXPECT_EQ(array[5].word_index, 4U);
  const auto dma = ran.of(a.engine("DRAM->IBUF"));
  EXPECT_EQ(dma[1].issue, start + 1);
  EXPECT_EQ(dma[1].retire, start + 2);
  EXPECT_EQ(ran.result.cycles, start + 6);
}

TEST(CommandTiming, LoadsAndStores) {
  for (uint32_t latency : {1U, 40U, 100U}) {
    Assembly a(machine_with({{"M", "4"}, {"N", "4"}, {"axi", "64"}, {"dram_latency", std::to_string(latency)}}));
    a.group("DRAM->VMEM1").wait("VMEM1", kFree).load(3, 0, 40).load(0, 64, 8).post("VMEM1", kFull);
    a.group("VMEM1->DRAM").wait("VMEM1", kFull).store(1024, 0, 24).post("VMEM1", kFree).end_block(true);
    const Ran ran = run(a);
    const uint32_t loader = a.engine("DRAM->VMEM1");
    const auto first = record_of(ran, a, loader, Operation::kLoad);
    EXPECT_EQ(first.last_port, first.issue + 5);  // bytes 3..42 touch beats 0..5
    EXPECT_EQ(first.retire, first.last_port + latency + 2);
    const auto base = record_of(ran, a, loader, Operation::kBase, 2);
    EXPECT_EQ(base.issue, first.issue + 6);
    const auto second = record_of(ran, a, loader, Operation::kLoad, 1);
    EXPECT_EQ(second.issue, base.issue + 2);
    EXPECT_EQ(second.last_port, second.issue);
    EXPECT_EQ(second.retire, second.issue + latency + 2);
    const auto post = record_of(ran, a, loader, Operation::kPost);
    EXPECT_EQ(post.issue, second.issue + 1);
    EXPECT_EQ(post.retire, post.issue + latency + 2);
    const auto store = record_of(ran, a, a.engine("VMEM1->DRAM"), Operation::kStore);
    EXPECT_EQ(store.last_port, store.issue + 2);
    EXPECT_EQ(store.retire, store.last_port + latency + 2);
    EXPECT_EQ(ran.result.cycles, record_of(ran, a, a.engine("VMEM1->DRAM"), Operation::kPost).retire);
  }
}

/// On a bus whose beats are no power of two, the beats of a run depend on all bits of its address.
TEST(CommandTiming, RunsFarApartOnBeatsOfThreeBytes) {
  acg::Machine machine = machine_with({{"M", "4"}, {"N", "4"}});
  const acg::Engine loader = acg::engines(machine).at(find_engine(acg::engines(machine), "DRAM->VMEM1").value());
  machine.edges.at(loader.edge.value()).bandwidth = 24;
  for (const int32_t columns : {1, 2, 3}) {
    Assembly a(machine, 1 << 20);
    a.group("DRAM->VMEM1")
        .op(Operation::kTrip, {16, columns - 1, 0})
        .stride(kOffchip, 16, 65'537)
        .stride(kOnchip, 16, 2);
    a.wait("VMEM1", kFree).load(1, 0, 8).post("VMEM1", kFull);
    a.group("VMEM1->DRAM").wait("VMEM1", kFull).post("VMEM1", kFree).end_block(true);
    const Ran ran = run(a);
    uint64_t beats = 0;
    for (uint64_t from = 1; from < 1 + 65'537U * static_cast<uint64_t>(columns); from += 65'537) {
      beats += (from + 7) / 3 - from / 3 + 1;
    }
    const auto load = record_of(ran, a, a.engine("DRAM->VMEM1"), Operation::kLoad);
    EXPECT_EQ(load.last_port - load.issue + 1, beats) << columns << " columns";
  }
}

TEST(CommandTiming, Passes) {
  for (auto [rows, columns] : {std::pair<uint32_t, uint32_t>{3, 5}, {5, 3}, {16, 16}}) {
    for (int32_t steps : {1, 2, 30}) {
      Assembly a(small_machine(rows, columns));
      a.group("SA").op(Operation::kTrip, {10, steps - 1, 0}).stride(kOutput, 10, 1);
      a.op(Operation::kGemm, {0}).op(Operation::kGemm, {1}).post("OBUF", kFull);
      a.group("SIMD").wait("OBUF", kFull).end_block(true);
      const Ran ran = run(a);
      const uint32_t array = a.engine("SA");
      const auto first = record_of(ran, a, array, Operation::kGemm);
      const auto second = record_of(ran, a, array, Operation::kGemm, 1);
      EXPECT_EQ(first.first_port, first.issue);
      EXPECT_EQ(first.last_port, first.issue + static_cast<uint64_t>(steps) - 1);
      EXPECT_EQ(first.retire, first.last_port + rows + columns + 2);
      EXPECT_EQ(second.issue, first.last_port + 1);  // passes follow without gaps
      const auto post = record_of(ran, a, array, Operation::kPost);
      EXPECT_EQ(post.issue, second.last_port + 1);
      EXPECT_EQ(post.retire, post.issue + rows + columns + 2);
      // Visible to the waiting engine in that cycle, not one earlier or later.
      EXPECT_EQ(record_of(ran, a, a.engine("SIMD"), Operation::kWait).issue, post.retire);
    }
  }
}

TEST(CommandTiming, NestsDrainBeforeTheNextWord) {
  struct Row {
    Operation operation;
    std::array<int32_t, 3> types;
    uint64_t latency;
  };
  const std::vector<Row> rows{{Operation::kAdd, {kI32, kI32, kI32}, 1},    {Operation::kMul, {kI32, kI32, kI32}, 2},
                              {Operation::kMax, {kU8, kU8, kI32}, 1},      {Operation::kMove, {kI32, kI32, kI8}, 1},
                              {Operation::kRequant, {kI8, kI32, kF32}, 5}, {Operation::kRequantAdd, {kU8, kU8, kU8}, 8},
                              {Operation::kReduceSum, {kI32, kU8, kI8}, 1}};
  for (const Row& row : rows) {
    for (int32_t trips : {1, 2, 17}) {
      Assembly a(small_machine(4, 4));
      const int32_t v1 = a.memory("VMEM1");
      const int32_t v2 = a.memory("VMEM2");
      a.group("SIMD").op(Operation::kTypes, {row.types[0], row.types[1], row.types[2]});
      a.op(Operation::kSimdStride, {v1, 0, 4}).op(Operation::kSimdTrip, {2, trips - 1});
      a.op(Operation::kSimdIndex, {v1, 0, v2, 0, v2, 0}).op(row.operation, {v1, 0, v2, 0, v2, 0});
      a.op(row.operation, {v1, 0, v2, 0, v2, 0}).post("VMEM1", kFull);
      a.group("VMEM1->DRAM").wait("VMEM1", kFull).post("VMEM1", kFree);
      a.group("DRAM->VMEM1").wait("VMEM1", kFree).end_block(true);
      const Ran ran = run(a);
      const uint32_t simd = a.engine("SIMD");
      const auto first = record_of(ran, a, simd, row.operation);
      EXPECT_EQ(first.last_port, first.issue + static_cast<uint64_t>(trips) - 1);
      EXPECT_EQ(first.retire, first.last_port + 3 + row.latency) << acg::info(row.operation).name;
      const auto second = record_of(ran, a, simd, row.operation, 1);
      EXPECT_EQ(second.issue, first.retire);
      const auto post = record_of(ran, a, simd, Operation::kPost);
      EXPECT_EQ(post.issue, second.retire);
      EXPECT_EQ(post.retire, post.issue + 1);
      EXPECT_EQ(record_of(ran, a, a.engine("VMEM1->DRAM"), Operation::kWait).issue, post.retire);
    }
  }
}

}  // namespace
}  // namespace covenant::sim
