/// Every fault of the unit pages: its code, and that it names the place.
#include <functional>
#include <gtest/gtest.h>
#include <utility>
#include <vector>

#include "tests/support/sim/other_words.h"
#include "tests/support/sim/run.h"

namespace covenant::sim {
namespace {

using namespace covenant::sim::testing;

/// The fault of a program; its message must name block and, if given, engine and word.
void expect_fault(Assembly& a, const std::string& code, const std::string& place = "block 0") {
  const Diagnostic fault = failure(a);
  EXPECT_EQ(fault.code, code) << render(fault);
  EXPECT_NE(fault.subject.find(place), std::string::npos) << render(fault);
  EXPECT_FALSE(fault.message.empty());
  EXPECT_FALSE(fault.fix.empty()) << render(fault);
}

Assembly small() { return Assembly(small_machine(4, 4)); }

TEST(Fault, WordsThatDoNotDecode) {
  Assembly a = small();
  a.group("SA").op(Operation::kTrip, {7, 0, 0}).raw(0xFFFFFFFFU).end_block(true);
  expect_fault(a, "SIM0001", "block 0, fetch unit, word 2 (.word");
}

/// A machine whose fields for counts have 20 bits.
acg::Machine machine_with_wide_counts() {
  acg::Machine machine = with_words(small_machine(4, 4), 64, 64);
  for (acg::Mnemonic& mnemonic : machine.mnemonics) {
    for (acg::Field& field : mnemonic.fields) {
      const bool is_limit = mnemonic.does == Operation::kLimit && field.operand == "value";
      if (field.operand == "last" || field.operand == "run_last" || is_limit) field.width = 20;
    }
  }
  return machine;
}

TEST(Fault, CountsThatNoUnitHolds) {
  const std::vector<std::pair<std::string, std::function<void(Assembly&, int32_t)>>> words{
      {"SA", [](Assembly& a, int32_t count) { a.op(Operation::kLoop, {0, count, 0}).op(Operation::kEnd, {0}); }},
      {"SA", [](Assembly& a, int32_t count) { a.op(Operation::kTrip, {7, count, 0}); }},
      {"SIMD", [](Assembly& a, int32_t count) { a.op(Operation::kSimdTrip, {0, count}); }},
      {"DRAM->IBUF", [](Assembly& a, int32_t count) { a.op(Operation::kLimit, {0, count}); }}};
  for (const auto& [engine, append] : words) {
    Assembly most(machine_with_wide_counts());
    append(most.group(engine), 65535);
    most.end_block(true);
    EXPECT_EQ(failure(most).code, "") << engine;
    Assembly more(machine_with_wide_counts());
    append(more.group(engine), 65536);
    more.end_block(true);
    expect_fault(more, "SIM0023");
  }
  Assembly load(machine_with_wide_counts());
  load.group("DRAM->IBUF").wait("IBUF", kFree).op(Operation::kLoad, {65536}).post("IBUF", kFull).end_block(true);
  expect_fault(load, "SIM0023");
}

TEST(Fault, WordsWhereAHeaderShouldBe) {
  Assembly a = small();
  a.raw(0).end_block(true);
  expect_fault(a, "SIM0002", "fetch unit, word 0 (ADD");
}

TEST(Fault, GroupsTooLongOrEmpty) {
  Assembly empty = small();
  empty.group("SA").end_block(true);
  expect_fault(empty, "SIM0003", "fetch unit, word 0 (GROUP SA");
  Assembly fits(machine_with({{"instruction_depth", "4"}}));
  Assembly longer(machine_with({{"instruction_depth", "4"}}));
  fits.group("SA");
  longer.group("SA");
  for (int k = 0; k < 5; ++k) {
    if (k < 4) fits.op(Operation::kTrip, {7, 0, 0});
    longer.op(Operation::kTrip, {7, 0, 0});
  }
  EXPECT_EQ(failure(fits.end_block(true)).code, "");
  expect_fault(longer.end_block(true), "SIM0003");
}

TEST(Fault, ASecondGroupForAnEngine) {
  Assembly a = small();
  a.group("SA").op(Operation::kTrip, {7, 0, 0}).group("SIMD").op(Operation::kSimdReduce, {8});
  a.group("SA").op(Operation::kTrip, {7, 0, 0}).end_block(true);
  expect_fault(a, "SIM0004", "fetch unit, word 4");
}

TEST(Fault, WordsOfAnotherUnit) {
  Assembly gemm = small();
  gemm.group("SIMD").op(Operation::kGemm, {0}).end_block(true);
  expect_fault(gemm, "SIM0005", "word 1 (GEMM");
  Assembly store = small();
  store.group("DRAM->IBUF").op(Operation::kStore, {0}).end_block(true);
  expect_fault(store, "SIM0005");
  Assembly load = small();
  load.group("VMEM1->DRAM").op(Operation::kLoad, {0}).end_block(true);
  expect_fault(load, "SIM0005");
  Assembly header = small();
  header.group("SA").op(Operation::kGroup, {0, 1}).end_block(true);
  expect_fault(header, "SIM0005");
  Assembly address = small();
  address.group("SIMD").base(kInput, 0).end_block(true);
  expect_fault(address, "SIM0005");
}

TEST(Fault, ProgramsWithoutAnEndOrOffTheirBeat) {
  Assembly a = small();
  a.group("SA").op(Operation::kTrip, {7, 0, 0}).end_block(false);
  expect_fault(a, "SIM0006", "block 1, fetch unit");
  Assembly b = small();
  b.end_block(true);
  acg::Program program = b.program();
  program.entry += 4;
  std::vector<uint8_t> memory = b.image();
  const auto result = simulate(program, memory);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "SIM0006");
}

TEST(Fault, Loops) {
  Assembly level = small();
  level.group("SA").op(Operation::kLoop, {7, 0, 0}).end_block(true);
  expect_fault(level, "SIM0010", "engine SA, word 0 (LOOP");
  Assembly twice = small();
  twice.group("SA").op(Operation::kLoop, {3, 1, 0}).op(Operation::kLoop, {3, 1, 0}).end_block(true);
  expect_fault(twice, "SIM0010", "engine SA, word 1");
  Assembly wrong = small();
  wrong.group("SIMD").op(Operation::kLoop, {3, 1, 0}).op(Operation::kEnd, {2}).end_block(true);
  expect_fault(wrong, "SIM0011", "engine SIMD, word 1");
  Assembly none = small();
  none.group("DRAM->IBUF").op(Operation::kEnd, {0}).end_block(true);
  expect_fault(none, "SIM0011");
  Assembly open = small();
  open.group("SA").op(Operation::kLoop, {3, 1, 0}).end_block(true);
  expect_fault(open, "SIM0012", "engine SA");
}

TEST(Fault, Channels) {
  Assembly slot = small();
  slot.group("SA").wait("IBUF", kFree, 4).end_block(true);
  expect_fault(slot, "SIM0013", "engine SA, word 0 (WAIT");
  Assembly waiters = small();
  waiters.group("SA").wait("IBUF", kFree).group("SIMD").wait("IBUF", kFree).end_block(true);
  expect_fault(waiters, "SIM0014");
  Assembly posters = small();
  posters.group("SA").post("IBUF", kFull).group("SIMD").post("IBUF", kFull).end_block(true);
  expect_fault(posters, "SIM0014");
  Assembly many = small();
  many.group("SA").post("IBUF", kFree).end_block(true);
  expect_fault(many, "SIM0015", "engine SA, word 0 (POST");
  Assembly kept = small();
  kept.group("SA").wait("IBUF", kFree).end_block(true);
  expect_fault(kept, "SIM0016", "block 0");
  Assembly left = small();
  left.group("DRAM->IBUF").post("IBUF", kFull).end_block(true);
  expect_fault(left, "SIM0016", "block 0");
}

TEST(Fault, DeadlocksListWhoWaitsForWhat) {
  Assembly a = small();
  a.group("SA").wait("IBUF", kFull).post("OBUF", kFull);
  a.group("SIMD").wait("OBUF", kFull);
  a.group("DRAM->IBUF").wait("VMEM1", kFull, 2).post("IBUF", kFull).end_block(true);
  expect_fault(a, "SIM0017");
  const std::string waits = failure(a).offending;
  EXPECT_NE(waits.find("SA waits for IBUF slot 0 full"), std::string::npos) << waits;
  EXPECT_NE(waits.find("SIMD waits for OBUF slot 0 full"), std::string::npos);
  EXPECT_NE(waits.find("DRAM->IBUF waits for VMEM1 slot 2 full"), std::string::npos);
}

TEST(Fault, AnOverfullChannelIsNamedEvenIfItsConsumerIsStuckAfterIt) {
  Assembly a = small();
  a.group("DRAM->IBUF").post("IBUF", kFull).post("IBUF", kFull).post("IBUF", kFull).post("IBUF", kFull, 1);
  a.group("SA").wait("IBUF", kFull, 1).wait("IBUF", kFull).end_block(true);
  expect_fault(a, "SIM0015", "engine DRAM->IBUF, word 2");
}

TEST(Fault, AddressGenerators) {
  Assembly operand = small();
  operand.group("SA").base(kOffchip, 0).end_block(true);
  expect_fault(operand, "SIM0020", "engine SA, word 0");
  Assembly dma = small();
  dma.group("DRAM->IBUF").stride(kWeight, 0, 1).end_block(true);
  expect_fault(dma, "SIM0020");
  Assembly level = small();
  level.group("SA").stride(kInput, 14, 1).end_block(true);
  expect_fault(level, "SIM0021");
  Assembly row = small();
  row.group("DRAM->IBUF").stride(kRow, 15, 1).end_block(true);
  expect_fault(row, "SIM0021");
  Assembly trip = small();
  trip.group("DRAM->IBUF").op(Operation::kTrip, {7, 1, 0}).end_block(true);
  expect_fault(trip, "SIM0021");
  Assembly slot = small();
  slot.group("SA").base(kInput, 0, 4).end_block(true);
  expect_fault(slot, "SIM0022");
  Assembly offchip = small();
  offchip.group("DRAM->IBUF").base(kOffchip, 0, 1).end_block(true);
  expect_fault(offchip, "SIM0022");
}

TEST(Fault, AddressesPastTheEnd) {
  // A buffer of IBUF has 2048 units of 4 bytes.
  for (const bool too_far : {false, true}) {
    Assembly load = small();
    load.group("DRAM->IBUF").load(0, 2047, too_far ? 5 : 4).end_block(true);
    EXPECT_EQ(failure(load).code, too_far ? "SIM0030" : "");
    Assembly pass = small();
    pass.group("SA").op(Operation::kTrip, {13, 3, 0}).stride(kOutput, 13, 1);
    pass.base(kOutput, too_far ? 1021 : 1020).op(Operation::kGemm, {0}).end_block(true);
    EXPECT_EQ(failure(pass).code, too_far ? "SIM0030" : "");
    Assembly negative = small();
    negative.group("SA").op(Operation::kTrip, {13, 3, 0}).stride(kInput, 13, -1);
    negative.base(kInput, too_far ? 2 : 3).op(Operation::kGemm, {0}).end_block(true);
    EXPECT_EQ(failure(negative).code, too_far ? "SIM0030" : "");
    Assembly nest = small();
    const int32_t v1 = nest.memory("VMEM1");
    nest.group("SIMD").op(Operation::kTypes, {kI32, kI32, kI32}).iterator("VMEM1", 0, too_far ? 4088 : 4084, 4);
    nest.op(Operation::kSimdTrip, {0, 2}).op(Operation::kSimdIndex, {v1, 0, v1, 0, v1, 0});
    nest.op(Operation::kMove, {v1, 0, v1, 0, v1, 0}).end_block(true);
    EXPECT_EQ(failure(nest).code, too_far ? "SIM0030" : "");
  }
  // Four runs, each before the one before it: from the last byte of off-chip memory, or to its first one.
  const auto back = [](uint32_t start) {
    Assembly a = small();
    a.group("DRAM->IBUF").op(Operation::kTrip, {16, 3, 0}).stride(kOffchip, 16, -16);
    return std::move(a.load(start, 0, 64).end_block(true));
  };
  const auto size = static_cast<uint32_t>(back(65000).program().memory_bytes);
  for (const auto& [start, code] : {std::pair{size - 64, ""}, {size - 63, "SIM0031"}, {48U, ""}, {47U, "SIM0031"}}) {
    Assembly a = back(start);
    EXPECT_EQ(failure(a).code, code) << start;
  }
  Assembly offchip = small();
  offchip.group("DRAM->IBUF").load(65536, 0, 4096).end_block(true);
  expect_fault(offchip, "SIM0031", "engine DRAM->IBUF, word 3 (LOAD");
  // Outside the limits nothing is read, so nothing is past the end.
  Assembly outside = small();
  outside.group("DRAM->IBUF").op(Operation::kLimit, {0, 1}).base(kRow, 1).load(65536, 0, 4096).end_block(true);
  EXPECT_EQ(failure(outside).code, "");
}

/// A SIMD group that sets types and a nest of `trips`, then does one word.
Assembly simd_word(Operation operation, std::array<int32_t, 3> types, const char* dst, const char* src1,
                   const char* src2, int32_t trips = 1, int32_t dst_stride = 4, int32_t src_stride = 4,
                   int32_t dst_base = 0) {
  Assembly a = small();
  const auto m = [&a](const char* name) { return a.memory(name); };
  a.group("SIMD").op(Operation::kTypes, {types[0], types[1], types[2]});
  for (const char* name : {"VMEM1", "VMEM2", "OBUF"}) {
    a.op(Operation::kSimdStride, {m(name), 0, dst_stride}).op(Operation::kSimdStride, {m(name), 1, src_stride});
  }
  a.op(Operation::kSimdBase, {m("VMEM1"), 0, dst_base});
  a.op(Operation::kSimdTrip, {0, trips - 1}).op(Operation::kSimdIndex, {m(dst), 0, m(src1), 1, m(src2), 1});
  a.op(operation, {m(dst), 0, m(src1), 1, m(src2), 1}).end_block(true);
  return a;
}

TEST(Fault, SimdMemories) {
  Assembly write = simd_word(Operation::kAdd, {kI32, kI32, kI32}, "OBUF", "VMEM1", "VMEM2");
  expect_fault(write, "SIM0040", "engine SIMD, word 10 (ADD");
  Assembly immediate = simd_word(Operation::kAdd, {kI32, kI32, kI32}, "IMM", "VMEM1", "VMEM2");
  expect_fault(immediate, "SIM0040");
  Assembly read = simd_word(Operation::kAdd, {kI32, kI32, kI32}, "VMEM1", "IBUF", "VMEM2");
  expect_fault(read, "SIM0040");
  Assembly base = small();
  base.group("SIMD").op(Operation::kSimdBase, {base.memory("IBUF"), 0, 0}).end_block(true);
  expect_fault(base, "SIM0040");
  // src2 of a move is ignored, whatever it names.
  Assembly ignored = simd_word(Operation::kMove, {kI32, kI32, kI32}, "VMEM1", "VMEM2", "IBUF");
  EXPECT_EQ(failure(ignored).code, "");
}

TEST(Fault, SimdTypes) {
  Assembly mixed = simd_word(Operation::kAdd, {kF32, kF32, kI32}, "VMEM1", "VMEM1", "VMEM2");
  expect_fault(mixed, "SIM0041");
  Assembly unlisted = simd_word(Operation::kMove, {kI8, kI8, kI8}, "VMEM1", "VMEM1", "VMEM2");
  expect_fault(unlisted, "SIM0041");  // the page has it, the machine does not
  EXPECT_FALSE(failure(unlisted).allowed.empty());
  Assembly fits = simd_word(Operation::kMax, {kU8, kU8, kI32}, "VMEM1", "VMEM1", "VMEM2");
  EXPECT_EQ(failure(fits).code, "");
}

TEST(Fault, SimdAlignment) {
  Assembly base = simd_word(Operation::kMove, {kI32, kI32, kI32}, "VMEM1", "VMEM2", "VMEM2", 1, 4, 4, 2);
  expect_fault(base, "SIM0042");
  Assembly stride = simd_word(Operation::kMove, {kI32, kI32, kI32}, "VMEM1", "VMEM2", "VMEM2", 2, 6);
  expect_fault(stride, "SIM0042");
  Assembly bytes = simd_word(Operation::kReduceSum, {kI32, kU8, kU8}, "VMEM1", "OBUF", "OBUF");
  expect_fault(bytes, "SIM0042");  // OBUF has units of whole 32-bit vectors
}

TEST(Fault, SumsAlignment) {
  acg::Machine fine = small_machine(4, 4);
  fine.memories[find_memory(fine, "OBUF").value().value].granularity = 8;  // a vector of sums is four addresses
  for (const uint32_t base : {0U, 2U, 4U}) {
    Assembly a(fine);
    a.group("SA").op(Operation::kTrip, {13, 1, 0}).stride(kOutput, 13, 8).base(kOutput, base);
    a.op(Operation::kGemm, {0}).end_block(true);
    EXPECT_EQ(failure(a).code, base % 4 == 0 ? "" : "SIM0042");
    Assembly b(fine);
    b.group("SA").op(Operation::kTrip, {13, 1, 0}).stride(kOutput, 13, static_cast<int32_t>(base));
    b.op(Operation::kGemm, {0}).end_block(true);
    EXPECT_EQ(failure(b).code, base % 4 == 0 ? "" : "SIM0042");
  }
}

TEST(Fault, SimdIndexOfAnotherMemory) {
  Assembly a = small();
  const int32_t v1 = a.memory("VMEM1");
  const int32_t v2 = a.memory("VMEM2");
  a.group("SIMD").op(Operation::kTypes, {kI32, kI32, kI32}).op(Operation::kSimdTrip, {0, 0});
  a.op(Operation::kSimdIndex, {v1, 0, v1, 0, v1, 0}).op(Operation::kMove, {v1, 0, v2, 0, v2, 0}).end_block(true);
  expect_fault(a, "SIM0043");
}

/// Until a trip word has named a level, index words speak of level 0, in every block.
TEST(Fault, SimdIndexWithoutATrip) {
  Assembly a = small();
  const int32_t v1 = a.memory("VMEM1");
  const int32_t v2 = a.memory("VMEM2");
  a.group("SIMD").op(Operation::kSimdTrip, {3, 0}).end_block(false);
  a.group("SIMD").op(Operation::kTypes, {kI32, kI32, kI32}).op(Operation::kSimdIndex, {v1, 0, v1, 0, v1, 0});
  a.op(Operation::kMove, {v1, 0, v2, 0, v2, 0}).end_block(true);
  expect_fault(a, "SIM0043", "block 1");
  EXPECT_NE(failure(a).message.find("level 0"), std::string::npos) << failure(a).message;
}

TEST(Fault, SimdHazards) {
  // dst one vector ahead of src in the same memory: iteration 1 reads what iteration 0 wrote.
  Assembly ahead = simd_word(Operation::kMove, {kI32, kI32, kI32}, "VMEM1", "VMEM1", "VMEM1", 3, 4, 4, 4);
  expect_fault(ahead, "SIM0044");
  // Without overlap of the ranges in time there is none: src runs away from dst.
  Assembly apart = simd_word(Operation::kMove, {kI32, kI32, kI32}, "VMEM1", "VMEM1", "VMEM1", 3, 4, 4, 12);
  EXPECT_EQ(failure(apart).code, "");
  Assembly in_place = simd_word(Operation::kMove, {kI32, kI32, kI32}, "VMEM1", "VMEM1", "VMEM1", 3);
  EXPECT_EQ(failure(in_place).code, "");
  // Interleaved vectors never meet although their bounds overlap: only the exact check can tell.
  Assembly interleaved = simd_word(Operation::kMove, {kI32, kI32, kI32}, "VMEM1", "VMEM1", "VMEM1", 5, 8, 8, 4);
  EXPECT_EQ(failure(interleaved).code, "");
  Assembly crossing = simd_word(Operation::kMove, {kI32, kI32, kI32}, "VMEM1", "VMEM1", "VMEM1", 5, 4, 8, 8);
  expect_fault(crossing, "SIM0044");
  Assembly twice = simd_word(Operation::kMove, {kI32, kI32, kI32}, "VMEM1", "VMEM2", "VMEM2", 2, 0);
  expect_fault(twice, "SIM0045");
}

TEST(Fault, SimdQuantizationAndReduction) {
  for (const int32_t type : {kI8, kU8}) {
    // 200..100 is empty for u8; for i8 it is -56..100.
    Assembly a = small();
    const int32_t v1 = a.memory("VMEM1");
    const int32_t v2 = a.memory("VMEM2");
    a.group("SIMD").op(Operation::kTypes, {type, kI32, kF32}).op(Operation::kQuantization, {0, 200, 100});
    a.op(Operation::kRequant, {v1, 0, v2, 0, v2, 8}).end_block(true);
    EXPECT_EQ(failure(a).code, type == kU8 ? "SIM0046" : "");
  }
  Assembly level = small();
  level.group("SIMD").op(Operation::kSimdReduce, {9}).end_block(true);
  expect_fault(level, "SIM0047");
}

}  // namespace
}  // namespace covenant::sim
