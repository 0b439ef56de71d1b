/// The state of a machine at the start of a block, and the state of slots, both models in lock step. A first block
/// changes every setting of an engine; the next one relies on the state that the unit pages give for the start of a
/// block.
#include <bit>
#include <gtest/gtest.h>

#include "acg/lang/load.h"
#include "tests/cosim/rtl/lockstep.h"

namespace covenant::rtl {
namespace {

using namespace covenant::rtl::testing;
using namespace covenant::sim::testing;

const acg::Machine& machine() {
  static const acg::Machine instance = *acg::load_machine("genesys", {{"M", "3"}, {"N", "4"}});
  return instance;
}

std::vector<uint8_t> mixed_bytes() {
  std::vector<uint8_t> data;
  for (int i = 0; i < 4096; ++i) data.push_back(static_cast<uint8_t>(i * 37 + i / 256));
  return data;
}

void expect_same(Assembly& a) {
  static const Model model = model_of(machine());
  Diagnostic reason;
  EXPECT_EQ(lockstep(model, a.program(), a.image(mixed_bytes()), &reason), Outcome::kSame) << render(reason);
}

/// Turns the buffers of a slot once in a producer and its consumer, and moves nothing.
void turn(Assembly& a, const char* producer, const char* consumer, const char* memory, int32_t slot) {
  a.group(producer).wait(memory, kFree, slot).post(memory, kFull, slot);
  a.group(consumer).wait(memory, kFull, slot).post(memory, kFree, slot);
}

/// Ends the block with a store of the first bytes of VMEM1.
void store_and_end(Assembly& a, bool last = true, int32_t bytes = 512) {
  a.group("VMEM1->DRAM").wait("VMEM1", kFull).store(32768, 0, bytes).post("VMEM1", kFree).end_block(last);
}

/// Leaves limits, fill byte, slot, bases, strides, trips and a turned buffer in the engine that loads VMEM1.
void use_every_setting_of_a_transfer(Assembly& a) {
  a.group("DRAM->VMEM1").op(Operation::kLimit, {0, 3}).op(Operation::kLimit, {1, 2}).op(Operation::kFill, {77});
  a.base(kOffchip, 0x10064).base(kOnchip, 0x10028, 1).base(kOnchip, 40, 1).base(kRow, 1).base(kColumn, 1);
  a.base(kOffchip, 100);
  for (const int32_t operand : {kOffchip, kOnchip, kRow, kColumn}) a.stride(operand, 2, 5);
  a.stride(kOffchip, 15, 48).stride(kOnchip, 15, 24).stride(kOffchip, 16, 9).stride(kOnchip, 16, 12);
  a.op(Operation::kTrip, {15, 2, 0}).op(Operation::kTrip, {16, 1, 0}).op(Operation::kLoop, {2, 1, 0});
  a.wait("VMEM1", kFree, 1).op(Operation::kLoad, {8}).post("VMEM1", kFull, 1).op(Operation::kEnd, {2});
  a.wait("VMEM1", kFree, 1).post("VMEM1", kFull, 1);
  a.group("VMEM1->DRAM").op(Operation::kLoop, {0, 2, 0}).wait("VMEM1", kFull, 1).post("VMEM1", kFree, 1);
  a.op(Operation::kEnd, {0}).end_block(false);
}

TEST(Blocks, ATransferStartsWithNothingSet) {
  Assembly a(machine());
  use_every_setting_of_a_transfer(a);
  a.group("DRAM->VMEM1").wait("VMEM1", kFree).op(Operation::kLoad, {299}).post("VMEM1", kFull);
  store_and_end(a);
  expect_same(a);
}

TEST(Blocks, FillIsZeroUntilItIsSet) {
  for (const int32_t axis : {0, 1}) {
    Assembly a(machine());
    use_every_setting_of_a_transfer(a);
    a.group("DRAM->VMEM1").wait("VMEM1", kFree).op(Operation::kLimit, {axis, 2});
    a.op(Operation::kTrip, {15, 4, 0}).op(Operation::kTrip, {16, 4, 0});
    a.stride(kOnchip, 15, 60).stride(kOnchip, 16, 10).stride(kOffchip, 15, 100).stride(kOffchip, 16, 20);
    a.op(Operation::kLoad, {9}).post("VMEM1", kFull);
    store_and_end(a);
    expect_same(a);
  }
}

TEST(Blocks, RowsAndColumnsHaveNoLimitUntilItIsSet) {
  for (const int32_t limited : {0, 1}) {
    Assembly a(machine());
    use_every_setting_of_a_transfer(a);
    a.group("DRAM->VMEM1").wait("VMEM1", kFree).op(Operation::kLimit, {limited, 4}).op(Operation::kFill, {9});
    a.op(Operation::kTrip, {15, 5, 0}).op(Operation::kTrip, {16, 5, 0}).base(kRow, 1).base(kColumn, 1);
    a.stride(kOnchip, 15, 60).stride(kOnchip, 16, 10).stride(kOffchip, 15, 100).stride(kOffchip, 16, 20);
    a.op(Operation::kLoad, {9}).post("VMEM1", kFull);
    store_and_end(a);
    expect_same(a);
  }
}

/// Buffers of slot 1 are turned, those of slot 0 are not: a slot that is still set goes to the other buffer.
TEST(Blocks, ATransferStartsInSlot0) {
  Assembly a(machine());
  use_every_setting_of_a_transfer(a);
  a.group("DRAM->VMEM1").wait("VMEM1", kFree, 1).post("VMEM1", kFull, 1);
  a.wait("VMEM1", kFree).op(Operation::kLoad, {99}).post("VMEM1", kFull);
  a.group("VMEM1->DRAM").wait("VMEM1", kFull, 1).post("VMEM1", kFree, 1);
  a.wait("VMEM1", kFull).store(32768, 0, 100).post("VMEM1", kFree).end_block(true);
  expect_same(a);
}

/// Loops whose strides this block has not set, whole or in their low halves, move nothing.
TEST(Blocks, StridesAndBasesAreZeroUntilTheyAreSet) {
  for (const bool in_halves : {false, true}) {
    Assembly a(machine());
    use_every_setting_of_a_transfer(a);
    a.group("DRAM->VMEM1").op(Operation::kTrip, {15, 2, 0}).op(Operation::kTrip, {16, 3, 0});
    if (in_halves) {
      for (const int32_t level : {2, 15, 16}) a.op(Operation::kStride, {kOffchip, level, 1, 0});
      a.op(Operation::kBase, {kOffchip, 1, 0, 0}).op(Operation::kBase, {kOnchip, 1, 0, 0});
    }
    a.op(Operation::kLoop, {2, 1, 0}).wait("VMEM1", kFree).op(Operation::kLoad, {20}).post("VMEM1", kFull);
    a.op(Operation::kEnd, {2});
    a.group("VMEM1->DRAM").base(kOffchip, 32768).op(Operation::kLoop, {1, 1, 0}).stride(kOffchip, 1, 128);
    a.wait("VMEM1", kFull).op(Operation::kStore, {99}).post("VMEM1", kFree).op(Operation::kEnd, {1}).end_block(true);
    expect_same(a);
  }
}

/// Fills IBUF, WBUF and BBUF, from different bytes.
void load_operands(Assembly& a) {
  const struct {
    const char *engine, *memory;
    int32_t bytes;
  } rows[] = {{"DRAM->IBUF", "IBUF", 90}, {"DRAM->WBUF", "WBUF", 120}, {"DRAM->BBUF", "BBUF", 160}};
  for (const auto& row : rows) {
    a.group(row.engine).wait(row.memory, kFree).load(static_cast<uint32_t>(row.bytes), 0, row.bytes);
    a.post(row.memory, kFull);
  }
}

constexpr const char* kOperands[] = {"IBUF", "WBUF", "BBUF"};

void take(Assembly& a) {
  for (const char* memory : kOperands) a.wait(memory, kFull);
}
void give_back(Assembly& a) {
  for (const char* memory : kOperands) a.post(memory, kFree);
}

/// Turns OBUF of a slot in the array; the SIMD array follows.
void turn_sums(Assembly& a, int32_t slot) { a.wait("OBUF", kFree, slot).post("OBUF", kFull, slot); }

TEST(Blocks, APassStartsWithNothingSet) {
  for (const bool in_halves : {false, true}) {
    Assembly a(machine());
    load_operands(a);
    a.group("SA").op(Operation::kTrip, {10, 4, 0}).op(Operation::kTrip, {13, 2, 1});
    for (const int32_t operand : {kInput, kWeight, kBias, kOutput}) {
      a.base(operand, 0x20002).base(operand, 2, 1).stride(operand, 10, 1).stride(operand, 3, 1);
      if (operand != kOutput) a.stride(operand, 13, 1);
    }
    take(a);
    a.op(Operation::kLoop, {3, 1, 1}).op(Operation::kGemm, {1}).op(Operation::kEnd, {3});
    give_back(a);
    turn_sums(a, 1);
    a.group("SIMD").wait("OBUF", kFull, 1).post("OBUF", kFree, 1).end_block(false);

    load_operands(a);
    a.group("SA");
    take(a);
    a.op(Operation::kGemm, {0});  // before anything is set
    a.op(Operation::kTrip, {10, 3, 0}).op(Operation::kTrip, {13, 2, 0});
    if (in_halves) {
      for (const int32_t operand : {kInput, kWeight, kBias, kOutput}) {
        for (const int32_t level : {10, 13, 3}) a.op(Operation::kStride, {operand, level, 1, 0});
        a.op(Operation::kBase, {operand, 1, 0, 0});
      }
    } else {
      a.stride(kOutput, 10, 1);
    }
    a.op(Operation::kLoop, {3, 1, 0}).op(Operation::kGemm, {0}).op(Operation::kEnd, {3});
    give_back(a);
    a.end_block(true);
    expect_same(a);
  }
}

/// The second tile of each operand lies in the other buffer of its slot; the sums go to the other buffer of theirs.
TEST(Blocks, EveryOperandOfAPassTurnsWithItsOwnSlot) {
  for (const int32_t turned : {kInput, kWeight, kBias, kOutput}) {
    for (const int32_t slot : {1, 2, 3}) {
      const char* names[] = {"IBUF", "WBUF", "BBUF", "OBUF"};
      const char* engines[] = {"DRAM->IBUF", "DRAM->WBUF", "DRAM->BBUF"};
      Assembly b(machine());
      for (int32_t k = 0; k < 3; ++k) {
        b.group(engines[k]);
        if (k == turned) b.wait(names[k], kFree, slot).post(names[k], kFull, slot);
        b.base(kOnchip, 0, k == turned ? slot : 0).wait(names[k], kFree, k == turned ? slot : 0);
        b.base(kOffchip, static_cast<uint32_t>(40 * k)).op(Operation::kLoad, {119});
        b.post(names[k], kFull, k == turned ? slot : 0);
      }
      b.group("SA");
      if (turned == kOutput) turn_sums(b, slot);
      for (int32_t k = 0; k < 3; ++k) {
        if (k == turned) b.wait(names[k], kFull, slot).post(names[k], kFree, slot);
        b.wait(names[k], kFull, k == turned ? slot : 0);
      }
      b.base(turned, 1, slot).op(Operation::kTrip, {10, 3, 0}).stride(kInput, 10, 1).stride(kOutput, 10, 1);
      b.op(Operation::kGemm, {0});
      for (int32_t k = 0; k < 3; ++k) b.post(names[k], kFree, k == turned ? slot : 0);
      if (turned == kOutput) b.group("SIMD").wait("OBUF", kFull, slot).post("OBUF", kFree, slot);
      b.end_block(false);
      // And the block after it starts in slot 0 again, whose buffers are not turned.
      for (int32_t k = 0; k < 3; ++k) {
        b.group(engines[k]);
        if (k == turned) b.wait(names[k], kFree, slot).post(names[k], kFull, slot);
        b.wait(names[k], kFree).base(kOffchip, static_cast<uint32_t>(300 + 40 * k)).op(Operation::kLoad, {119});
        b.post(names[k], kFull);
      }
      b.group("SA");
      if (turned == kOutput) turn_sums(b, slot);
      for (int32_t k = 0; k < 3; ++k) {
        if (k == turned) b.wait(names[k], kFull, slot).post(names[k], kFree, slot);
        b.wait(names[k], kFull);
      }
      b.op(Operation::kGemm, {0});
      give_back(b);
      if (turned == kOutput) b.group("SIMD").wait("OBUF", kFull, slot).post("OBUF", kFree, slot);
      b.end_block(true);
      expect_same(b);
    }
  }
}

/// Two blocks whose SIMD arrays read VMEM2 and write VMEM1; in between the caller's words.
class Nests {
 public:
  Nests() : a_(machine()) { open(); }
  Assembly& words() { return a_; }
  int32_t v1() const { return a_.memory("VMEM1"); }
  int32_t v2() const { return a_.memory("VMEM2"); }
  int32_t imm() const { return a_.memory("IMM"); }
  /// Leaves every setting of the array at a value of its own.
  void use_every_setting() {
    a_.op(Operation::kTypes, {kU8, kU8, kU8}).op(Operation::kQuantization, {5, 0xCE, 100});
    a_.op(Operation::kSimdReduce, {1});
    for (const int32_t slot : {0, 1, 2, 3, 4}) a_.immediate(slot, 0x00110032U);
    for (const char* memory : {"VMEM1", "VMEM2"}) {
      for (const int32_t entry : {0, 1}) a_.iterator(memory, entry, 0x10010, 0x10004).iterator(memory, entry, 16, 4);
    }
    a_.op(Operation::kSimdTrip, {0, 1}).op(Operation::kSimdIndex, {v1(), 0, v2(), 0, v2(), 0});
    a_.op(Operation::kSimdTrip, {1, 3}).op(Operation::kSimdIndex, {v1(), 0, v2(), 1, v2(), 1});
    a_.op(Operation::kReduceMax, {v1(), 0, v2(), 0, v2(), 0});
  }
  void next_block() {
    close(false);
    open();
  }
  /// Four vectors of bytes, one after the other.
  void four_bytes_vectors() { a_.op(Operation::kSimdTrip, {1, 3}).op(Operation::kSimdStride, {v1(), 0, 4}); }
  void expect_same() {
    close(true);
    rtl::expect_same(a_);
  }

 private:
  void open() {
    a_.group("DRAM->VMEM2").wait("VMEM2", kFree).load(7, 0, 256).post("VMEM2", kFull);
    a_.group("SIMD").wait("VMEM2", kFull).wait("VMEM1", kFree);
  }
  void close(bool last) {
    a_.post("VMEM1", kFull).post("VMEM2", kFree);
    store_and_end(a_, last, 128);
  }
  Assembly a_;
};

TEST(Blocks, ANestStartsWithSignedBytesAndNoReduction) {
  Nests nests;
  nests.use_every_setting();
  nests.next_block();
  Assembly& a = nests.words();
  nests.four_bytes_vectors();
  a.op(Operation::kSimdStride, {nests.v2(), 0, 4});
  a.op(Operation::kSimdIndex, {nests.v1(), 0, nests.v2(), 0, nests.v2(), 0});
  a.op(Operation::kReduceMax, {nests.v1(), 0, nests.v2(), 0, nests.v2(), 0});
  // The same with a reduction that leaves what is largest, by sign.
  a.op(Operation::kSimdReduce, {1}).op(Operation::kSimdBase, {nests.v1(), 1, 64});
  a.op(Operation::kReduceMax, {nests.v1(), 1, nests.v2(), 0, nests.v2(), 0});
  nests.expect_same();
}

TEST(Blocks, ANestRunsOnceUntilItsTripsAreSet) {
  Nests nests;
  nests.use_every_setting();
  nests.next_block();
  nests.words().op(Operation::kReduceMax, {nests.v1(), 0, nests.v2(), 0, nests.v2(), 0});
  nests.expect_same();
}

TEST(Blocks, IteratorsAreZeroUntilTheyAreSet) {
  for (const bool in_halves : {false, true}) {
    Nests nests;
    nests.use_every_setting();
    nests.next_block();
    Assembly& a = nests.words();
    if (in_halves) {
      for (const int32_t memory : {nests.v1(), nests.v2()}) a.op(Operation::kSimdBaseHigh, {memory, 0, 0});
      a.op(Operation::kSimdStrideHigh, {nests.v2(), 1, 0});
    }
    nests.four_bytes_vectors();
    a.op(Operation::kSimdIndex, {nests.v1(), 0, nests.v2(), 1, nests.v2(), 1});
    a.op(Operation::kReduceMax, {nests.v1(), 0, nests.v2(), 0, nests.v2(), 0});
    nests.expect_same();
  }
}

/// Until it is set, the range of a quantisation is 0..0: neither what is below nor what is above passes.
TEST(Blocks, AQuantizationStartsWithAnEmptyRangeAroundZero) {
  for (const bool in_halves : {false, true}) {
    Nests nests;
    nests.use_every_setting();
    nests.next_block();
    Assembly& a = nests.words();
    a.op(Operation::kTypes, {kI8, kI32, kF32}).immediate(3, std::bit_cast<uint32_t>(0x1.0p-24F));
    if (in_halves) a.op(Operation::kImmediateHigh, {3, std::bit_cast<uint32_t>(0x1.0p-24F) >> 16U});
    nests.four_bytes_vectors();
    a.op(Operation::kSimdStride, {nests.v2(), 0, 16});
    a.op(Operation::kSimdIndex, {nests.v1(), 0, nests.v2(), 0, nests.imm(), 3});
    a.op(Operation::kRequant, {nests.v1(), 0, nests.v2(), 0, nests.imm(), 3});
    nests.expect_same();
  }
}

TEST(Blocks, ImmediatesAreZeroUntilTheyAreSet) {
  for (const bool in_halves : {false, true}) {
    Nests nests;
    nests.use_every_setting();
    nests.next_block();
    Assembly& a = nests.words();
    a.op(Operation::kTypes, {kI8, kI8, kI32});
    if (in_halves) a.op(Operation::kImmediateHigh, {4, 0});
    nests.four_bytes_vectors();
    a.op(Operation::kSimdStride, {nests.v2(), 0, 4});
    a.op(Operation::kSimdIndex, {nests.v1(), 0, nests.v2(), 0, nests.imm(), 4});
    a.op(Operation::kMax, {nests.v1(), 0, nests.v2(), 0, nests.imm(), 4});
    nests.expect_same();
  }
}

/// Eight iterator entries belong to each slot: entries 8 and 16 turn with slots 1 and 2.
TEST(Blocks, IteratorsTurnWithTheirOwnSlot) {
  for (const int32_t slot : {1, 2}) {
    const int32_t entry = 8 * slot;
    Assembly a(machine());
    a.group("DRAM->VMEM2").wait("VMEM2", kFree, slot).post("VMEM2", kFull, slot).base(kOnchip, 0, slot);
    a.wait("VMEM2", kFree, slot).op(Operation::kLoad, {99}).post("VMEM2", kFull, slot);
    a.group("SIMD").wait("VMEM2", kFull, slot).post("VMEM2", kFree, slot).wait("VMEM2", kFull, slot);
    a.wait("VMEM1", kFree).op(Operation::kTypes, {kI8, kI8, kI8});
    a.op(Operation::kReduceMax, {a.memory("VMEM1"), 0, a.memory("VMEM2"), entry, a.memory("VMEM2"), 0});
    a.post("VMEM2", kFree, slot).post("VMEM1", kFull);
    store_and_end(a, true, 16);
    expect_same(a);
  }
}

/// Slots of one memory turn one by one.
TEST(Blocks, SlotsTurnOneByOne) {
  Assembly a(machine());
  turn(a, "DRAM->VMEM2", "SIMD", "VMEM2", 2);
  a.end_block(false);
  a.group("DRAM->VMEM1").wait("VMEM1", kFree, 2).post("VMEM1", kFull, 2);
  a.wait("VMEM1", kFree).load(3, 0, 50).post("VMEM1", kFull);
  a.group("VMEM1->DRAM").wait("VMEM1", kFull, 2).post("VMEM1", kFree, 2);
  a.wait("VMEM1", kFull).store(32768, 0, 50).post("VMEM1", kFree).end_block(true);
  expect_same(a);
}

}  // namespace
}  // namespace covenant::rtl
