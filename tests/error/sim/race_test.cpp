/// Races of whole programs: unordered commands are refused, ordered ones are not.
#include <gtest/gtest.h>

#include "tests/support/sim/run.h"

namespace covenant::sim {
namespace {

using namespace covenant::sim::testing;

TEST(RaceFault, ALoadAndAStoreOfTheSameTileWithoutAToken) {
  Assembly a(small_machine(4, 4));
  a.group("DRAM->VMEM1").load(0, 0, 64);
  a.group("VMEM1->DRAM").store(1024, 15, 16).end_block(true);
  const Diagnostic race = failure(a);
  EXPECT_EQ(race.code, "SIM0050") << render(race);
  // Both commands are named, with their words.
  EXPECT_NE(race.subject.find("engine VMEM1->DRAM, word 2 (STORE"), std::string::npos) << render(race);
  EXPECT_NE(race.message.find("engine DRAM->VMEM1, word 2 (LOAD"), std::string::npos) << render(race);
  SimulateOptions unchecked;
  unchecked.check_races = false;
  EXPECT_EQ(failure(a, unchecked).code, "");
}

TEST(RaceFault, ApartByOneByteIsNone) {
  Assembly a(small_machine(4, 4));
  a.group("DRAM->VMEM1").load(0, 0, 60);
  a.group("VMEM1->DRAM").store(1024, 15, 16).end_block(true);
  EXPECT_EQ(failure(a).code, "");
}

TEST(RaceFault, ATokenAfterTheReadDoesNotProtectAnEarlierWrite) {
  // The loader fills the buffer again without waiting for it to be free.
  Assembly a(small_machine(4, 4));
  a.group("DRAM->VMEM1").wait("VMEM1", kFree).load(0, 0, 64).post("VMEM1", kFull).post("VMEM1", kFull);
  a.load(64, 0, 64);  // both buffers posted: the pointer is back at the first one
  a.group("VMEM1->DRAM").wait("VMEM1", kFull).store(1024, 0, 64).wait("VMEM1", kFull).post("VMEM1", kFree);
  a.end_block(true);
  EXPECT_EQ(failure(a).code, "SIM0050");
}

TEST(RaceFault, OffChipBytesRaceToo) {
  Assembly a(small_machine(4, 4));
  a.group("DRAM->VMEM1").wait("VMEM1", kFree).load(0, 0, 64).post("VMEM1", kFull);
  a.group("VMEM1->DRAM").wait("VMEM1", kFull).store(4096, 0, 64).post("VMEM1", kFree);
  a.group("DRAM->IBUF").load(4096, 0, 4).end_block(true);
  EXPECT_EQ(failure(a).code, "SIM0050");
  // In the next block it is ordered.
  Assembly b(small_machine(4, 4));
  b.group("DRAM->VMEM1").wait("VMEM1", kFree).load(0, 0, 64).post("VMEM1", kFull);
  b.group("VMEM1->DRAM").wait("VMEM1", kFull).store(4096, 0, 64).post("VMEM1", kFree).end_block(false);
  b.group("DRAM->IBUF").load(4096, 0, 4).end_block(true);
  EXPECT_EQ(failure(b).code, "");
}

TEST(RaceFault, EveryUnitsOperandsAreWatched) {
  struct Row {
    const char* engine;
    uint32_t unit;  ///< unit of the memory that the pass touches
    bool races;
  };
  for (const Row& row : {Row{"DRAM->IBUF", 7, true}, Row{"DRAM->IBUF", 8, false}, Row{"DRAM->WBUF", 1, true},
                         Row{"DRAM->WBUF", 2, false}, Row{"DRAM->BBUF", 0, true}, Row{"DRAM->BBUF", 1, false}}) {
    Assembly a(small_machine(4, 4));
    a.group(row.engine).load(0, row.unit, 4);
    a.group("SA").op(Operation::kTrip, {12, 1, 1}).op(Operation::kTrip, {13, 3, 0});
    a.stride(kInput, 13, 1).stride(kInput, 12, 4).stride(kWeight, 12, 1).stride(kBias, 12, 1).stride(kOutput, 13, 1);
    a.op(Operation::kGemm, {0}).end_block(true);
    EXPECT_EQ(failure(a).code, row.races ? "SIM0050" : "") << row.engine << row.unit;
  }
  Assembly simd(small_machine(4, 4));
  const int32_t v1 = simd.memory("VMEM1");
  const int32_t obuf = simd.memory("OBUF");
  simd.group("SA").op(Operation::kGemm, {0});
  simd.group("SIMD").op(Operation::kTypes, {kI32, kI32, kI32}).op(Operation::kMove, {v1, 0, obuf, 0, obuf, 0});
  simd.end_block(true);
  EXPECT_EQ(failure(simd).code, "SIM0050");
}

/// Block 0 stores a tile into the words of block 1.
Diagnostic store_into_next_block(uint32_t distance) {
  Assembly a(small_machine(4, 4));
  const auto code = [distance](uint32_t words) { return 65536 + words * 4 + distance; };
  a.group("DRAM->VMEM1").wait("VMEM1", kFree).load(0, 0, 8).post("VMEM1", kFull);
  a.group("VMEM1->DRAM").wait("VMEM1", kFull);
  a.base(kOffchip, code(14)).base(kOnchip, 0).op(Operation::kStore, {7}).post("VMEM1", kFree).end_block(false);
  EXPECT_EQ(a.words(), 14U);
  a.group("SA").op(Operation::kTrip, {7, 0, 0}).end_block(false);
  a.group("SA").op(Operation::kTrip, {7, 0, 0}).end_block(true);
  return failure(a);
}

TEST(RaceFault, StoresIntoWordsThatAreBeingFetched) {
  EXPECT_EQ(store_into_next_block(0).code, "SIM0051");
  EXPECT_NE(store_into_next_block(0).subject.find("block 1"), std::string::npos);
  // Further on lies the block after the next: the store is seen, and eight zero bytes are no program.
  EXPECT_EQ(store_into_next_block(16).code, "SIM0002");
}

}  // namespace
}  // namespace covenant::sim
