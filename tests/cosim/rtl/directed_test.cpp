/// Cases that random programs reach too seldom, both models in lock step: negative strides, halves of strides set
/// again, strides that change within an iteration, levels set again, ties and single roundings.
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <tuple>

#include "acg/isa/word_limits.h"
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

/// The same, but that its lookups give bytes alone: its table has 256 of them.
const acg::Machine& machine_of_bytes() {
  static const acg::Machine instance = [] {
    acg::Machine made = machine();
    for (acg::Compute& compute : made.computes) {
      std::erase_if(compute.capabilities, [](const acg::Capability& capability) {
        return capability.name == "LOOKUP" && capability.output.dtype == DType::kF32;
      });
    }
    return made;
  }();
  return instance;
}

/// Scales in fixed point, and rounds halves away from zero.
const acg::Machine& machine_with_halves_away() {
  static const acg::Machine instance =
      *acg::load_machine("genesys", {{"M", "3"}, {"N", "4"}, {"requant", "fixed_tflite"}});
  return instance;
}

const Model& model_for(const acg::Machine& machine) {
  static std::map<const acg::Machine*, Model> models;
  const auto known = models.find(&machine);
  return known != models.end() ? known->second : models.emplace(&machine, model_of(machine)).first->second;
}

/// Bytes 0, 1, 2, ... as data, and equal runs.
void expect_same(Assembly& assembly, std::vector<uint8_t> data = {}, const acg::Machine& on = machine()) {
  if (data.empty()) {
    for (int i = 0; i < 4096; ++i) data.push_back(static_cast<uint8_t>(i * 37));
  }
  EXPECT_EQ(lockstep(model_for(on), assembly.program(), assembly.image(data)), Outcome::kSame);
}

/// Ends the block with a store of the first `bytes` of VMEM1, which the SIMD array or a load has filled.
void store_all(Assembly& a, int32_t bytes) {
  a.group("VMEM1->DRAM").wait("VMEM1", kFull).store(32768, 0, bytes).post("VMEM1", kFree).end_block(true);
}

TEST(Directed, NegativeStridesOfATransfer) {
  Assembly a(machine());
  a.group("DRAM->VMEM1").wait("VMEM1", kFree).op(Operation::kTrip, {15, 2, 0}).op(Operation::kTrip, {16, 3, 0});
  a.stride(kOffchip, 15, -100).stride(kOffchip, 16, 7).stride(kOnchip, 15, 40).stride(kOnchip, 16, -8);
  a.load(300, 24, 19).post("VMEM1", kFull);
  store_all(a, 512);
  expect_same(a);
}

TEST(Directed, NegativeStridesOfAPass) {
  Assembly a(machine());
  a.group("DRAM->IBUF").wait("IBUF", kFree).load(0, 0, 60).post("IBUF", kFull);
  a.group("DRAM->WBUF").wait("WBUF", kFree).load(100, 0, 120).post("WBUF", kFull);
  a.group("DRAM->BBUF").wait("BBUF", kFree).load(500, 0, 64).post("BBUF", kFull);
  a.group("SA").op(Operation::kTrip, {10, 4, 0}).op(Operation::kTrip, {13, 2, 1});
  a.stride(kInput, 10, -3).stride(kOutput, 10, -1).stride(kWeight, 13, -2).stride(kInput, 13, 1);
  a.base(kInput, 14).base(kOutput, 9).base(kWeight, 7).base(kBias, 1);
  for (const char* name : {"IBUF", "WBUF", "BBUF"}) a.wait(name, kFull);
  a.op(Operation::kGemm, {0});
  for (const char* name : {"IBUF", "WBUF", "BBUF"}) a.post(name, kFree);
  a.end_block(true);
  expect_same(a);
}

TEST(Directed, TheLowHalfClearsTheHighOne) {
  Assembly a(machine());
  a.group("DRAM->VMEM1").wait("VMEM1", kFree).op(Operation::kTrip, {16, 2, 0});
  a.stride(kOffchip, 16, 0x30000).stride(kOffchip, 16, 50).stride(kOnchip, 16, -65536).stride(kOnchip, 16, 9);
  a.base(kOffchip, 0x40000).load(11, 2, 20).post("VMEM1", kFull);
  store_all(a, 64);
  expect_same(a);
}

TEST(Directed, StridesThatChangeWithinAnIteration) {
  Assembly a(machine());
  a.group("DRAM->VMEM1").stride(kOnchip, 2, 16).op(Operation::kLoop, {2, 3, 0});
  a.stride(kOffchip, 2, 30).base(kOffchip, 5).wait("VMEM1", kFree).op(Operation::kLoad, {40});
  a.stride(kOffchip, 2, 200).post("VMEM1", kFull).op(Operation::kEnd, {2});
  a.group("VMEM1->DRAM").stride(kOffchip, 2, 512).base(kOffchip, 32768).op(Operation::kLoop, {2, 3, 0});
  a.wait("VMEM1", kFull).op(Operation::kStore, {299}).post("VMEM1", kFree).op(Operation::kEnd, {2}).end_block(true);
  expect_same(a);
}

/// The third load stands after the loop: its address has no share of it.
TEST(Directed, ALoopThatHasEndedMovesNothing) {
  Assembly a(machine());
  a.group("DRAM->VMEM1").stride(kOffchip, 2, 30).base(kOffchip, 5).op(Operation::kLoop, {2, 1, 0});
  a.wait("VMEM1", kFree).op(Operation::kLoad, {40}).post("VMEM1", kFull).op(Operation::kEnd, {2});
  a.wait("VMEM1", kFree).op(Operation::kLoad, {40}).post("VMEM1", kFull);
  a.group("VMEM1->DRAM").stride(kOffchip, 2, 512).base(kOffchip, 32768).op(Operation::kLoop, {2, 2, 0});
  a.wait("VMEM1", kFull).op(Operation::kStore, {39}).post("VMEM1", kFree).op(Operation::kEnd, {2}).end_block(true);
  expect_same(a);
}

/// VMEM2 holds `bytes` of data; the words in between run on the SIMD array and fill VMEM1.
class Nest {
 public:
  explicit Nest(int32_t bytes, const acg::Machine& on = machine()) : on_(on), a_(on) { begin(bytes); }
  /// After a block in which the SIMD array executes the words of `before`.
  template <typename Words>
  Nest(int32_t bytes, const acg::Machine& on, Words before) : on_(on), a_(on) {
    before(a_.group("SIMD"));
    a_.end_block(false);
    begin(bytes);
  }
  void begin(int32_t bytes) {
    a_.group("DRAM->VMEM2").wait("VMEM2", kFree).load(0, 0, bytes).post("VMEM2", kFull);
    a_.group("SIMD").wait("VMEM2", kFull).wait("VMEM1", kFree);
  }
  Assembly& words() { return a_; }
  void expect_same(int32_t stored, const std::vector<uint8_t>& data = {}) {
    a_.post("VMEM1", kFull).post("VMEM2", kFree);
    store_all(a_, stored);
    rtl::expect_same(a_, data, on_);
  }
  /// Level 1 runs `trips` times; destination and source advance by whole vectors of `unit` addresses.
  void trip(int32_t trips, int32_t dst_step, int32_t src_step, uint32_t src_base = 0) {
    const int32_t v1 = a_.memory("VMEM1");
    const int32_t v2 = a_.memory("VMEM2");
    a_.iterator("VMEM1", 0, 0, dst_step).iterator("VMEM2", 0, src_base, src_step);
    a_.op(Operation::kSimdTrip, {1, trips - 1}).op(Operation::kSimdIndex, {v1, 0, v2, 0, a_.memory("IMM"), 0});
  }
  void compute(Operation operation, bool second_in_memory = false) {
    const int32_t v2 = a_.memory("VMEM2");
    a_.op(operation,
          {a_.memory("VMEM1"), 0, v2, 0, second_in_memory ? v2 : a_.memory("IMM"), second_in_memory ? 0 : 3});
  }

 private:
  const acg::Machine& on_;
  Assembly a_;
};

TEST(Directed, NegativeStridesOfANest) {
  Nest nest(96);
  nest.words().op(Operation::kTypes, {kI32, kI32, kI32});
  nest.trip(6, 4, -4, 20);
  nest.words().iterator("VMEM1", 0, 20, -4);
  nest.compute(Operation::kMove);
  nest.expect_same(96);
}

TEST(Directed, ALevelSetAgainDoesNotAdvance) {
  Nest nest(64);
  nest.words().op(Operation::kTypes, {kI32, kU8, kI8}).op(Operation::kSimdReduce, {1});
  nest.trip(5, 4, 1);
  nest.words().op(Operation::kSimdTrip, {1, 2});
  nest.compute(Operation::kReduceSum);
  nest.expect_same(16);
}

/// Reductions over a tile loop: the second iteration takes other vectors, and starts from what the first one has left.
TEST(Directed, AReductionGoesOnOverATileLoop) {
  for (const auto& [operation, dst, src] : {std::tuple{Operation::kReduceSum, kI32, kI8},
                                            {Operation::kReduceSum, kI32, kU8},
                                            {Operation::kReduceMax, kU8, kU8},
                                            {Operation::kReduceMax, kI8, kI8}}) {
    for (const int32_t is_marked : {0, 1}) {
      Nest nest(256);
      Assembly& a = nest.words();
      const int32_t v1 = a.memory("VMEM1");
      const int32_t v2 = a.memory("VMEM2");
      a.op(Operation::kTypes, {dst, src, kF32}).op(Operation::kSimdReduce, {2});
      a.iterator("VMEM1", 0, 0, dst == kI32 ? 4 : 1).iterator("VMEM2", 0, 0, 1).iterator("VMEM2", 1, 0, 3);
      a.op(Operation::kSimdTrip, {1, 2}).op(Operation::kSimdIndex, {v1, 0, v2, 0, v2, 0});
      a.op(Operation::kSimdTrip, {2, 2}).op(Operation::kSimdIndex, {v1, 0, v2, 1, v2, 0});
      a.op(Operation::kLoop, {3, 2, is_marked}).op(operation, {v1, 0, v2, 0, v2, 0});
      a.op(Operation::kSimdBase, {v2, 0, 5}).op(Operation::kEnd, {3});
      nest.expect_same(64);
    }
  }
}

/// -32 to 31.
std::vector<uint8_t> small_sums() {
  std::vector<uint8_t> data;
  for (int32_t value = -32; value < 32; ++value) {
    for (uint32_t i = 0; i < 4; ++i) data.push_back(static_cast<uint8_t>(static_cast<uint32_t>(value) >> (8 * i)));
  }
  return data;
}

TEST(Directed, TiesAreRoundedToEven) {
  for (const float scale : {0.5F, 0.25F, 1.5F, -0.5F}) {
    for (const int32_t type : {kI8, kU8}) {
      Nest nest(256);
      nest.words().op(Operation::kTypes, {type, kI32, kF32}).immediate(3, std::bit_cast<uint32_t>(scale));
      nest.words().op(Operation::kQuantization,
                      {type == kI8 ? 3 : 100, type == kI8 ? 0x80 : 0, type == kI8 ? 127 : 255});
      nest.trip(16, 1, 4);
      nest.compute(Operation::kRequant);
      nest.expect_same(64, small_sums());
    }
  }
}

TEST(Directed, HalvesGoAwayFromZeroOnMachinesThatSayThat) {
  for (const uint32_t shift : {1U, 2U, 3U}) {
    Nest nest(256, machine_with_halves_away());
    nest.words().op(Operation::kTypes, {kI8, kI32, kI32}).immediate(0, shift).immediate(3, 1U << 30U);
    nest.words().op(Operation::kQuantization, {0, 0x80, 127});
    nest.trip(16, 1, 4);
    nest.compute(Operation::kRequantFixed);
    nest.expect_same(64, small_sums());
  }
}

/// Scales for which a product ends on half a step when it is rounded, but not before.
TEST(Directed, SumsAreRoundedOnce) {
  std::vector<uint8_t> data;
  for (uint8_t value = 1; value <= 64; ++value) data.push_back(static_cast<uint8_t>(2 * value + 1));
  int decided = 0;
  for (int whole = 4; whole < 40; ++whole) {
    const auto value = static_cast<float>(data[static_cast<size_t>(whole)]);
    const float scale = (static_cast<float>(whole) + 0.5F) / value;
    const float offset = 1.0F - static_cast<float>(whole);
    const volatile float product = value * scale;  // not fused
    decided += std::rint(std::fma(value, scale, offset)) != std::rint(product + offset) ? 1 : 0;
    Nest nest(64);
    nest.words().op(Operation::kTypes, {kU8, kU8, kU8}).op(Operation::kQuantization, {0, 0, 255});
    nest.words().immediate(0, 0).immediate(1, std::bit_cast<uint32_t>(scale));
    nest.words().immediate(2, std::bit_cast<uint32_t>(offset));
    nest.trip(16, 1, 1);
    nest.words().op(Operation::kSimdIndex, {nest.words().memory("VMEM1"), 0, nest.words().memory("VMEM2"), 0,
                                            nest.words().memory("VMEM2"), 0});
    nest.compute(Operation::kRequantAdd, true);
    nest.expect_same(64, data);
  }
  EXPECT_GT(decided, 0) << "no case tells one rounding from two";
}

/// Sums halfway between two numbers: the even one ends on half a step, and so does its byte.
TEST(Directed, SumsThatEndBetweenTwoNumbersAreRoundedToEven) {
  const std::vector<uint8_t> data(64, 4);
  const float half = 0.625F;                   // 4 of it are 2.5
  const float little = std::ldexp(1.0F, -25);  // and of it half of the last place of 2.5
  ASSERT_EQ(std::fma(4.0F, little, 2.5F), 2.5F);
  for (const auto& [first, second] : {std::pair{half, little}, std::pair{little, half}}) {
    Nest nest(64);
    nest.words().op(Operation::kTypes, {kU8, kU8, kU8}).op(Operation::kQuantization, {0, 0, 255});
    nest.words().immediate(0, std::bit_cast<uint32_t>(first)).immediate(1, std::bit_cast<uint32_t>(second));
    nest.words().immediate(2, 0);
    nest.trip(16, 1, 1);
    nest.words().op(Operation::kSimdIndex, {nest.words().memory("VMEM1"), 0, nest.words().memory("VMEM2"), 0,
                                            nest.words().memory("VMEM2"), 0});
    nest.compute(Operation::kRequantAdd, true);
    nest.expect_same(64, data);
  }
}

/// Scales for which a product that is rounded, and its offset, end on half a step, and a fused sum beside it.
TEST(Directed, ProductsAreRoundedBeforeTheirSum) {
  std::vector<uint8_t> data;
  for (uint8_t value = 1; value <= 64; ++value) data.push_back(static_cast<uint8_t>(2 * value + 1));
  int decided = 0;
  for (int whole = 4; whole < 40; ++whole) {
    const auto value = static_cast<float>(data[static_cast<size_t>(whole)]);
    const float scale = (static_cast<float>(whole) + 0.5F) / (value * value);
    const float offset = 1.0F - static_cast<float>(whole);
    const volatile float product = value * value * scale;  // not fused
    decided += std::rint(std::fma(value * value, scale, offset)) != std::rint(product + offset) ? 1 : 0;
    Nest nest(64);
    nest.words().op(Operation::kTypes, {kU8, kU8, kU8}).op(Operation::kQuantization, {0, 0, 255});
    nest.words().immediate(0, std::bit_cast<uint32_t>(scale)).immediate(1, std::bit_cast<uint32_t>(offset));
    nest.words().immediate(2, 0).immediate(3, 0);
    nest.trip(16, 1, 1);
    nest.words().op(Operation::kSimdIndex, {nest.words().memory("VMEM1"), 0, nest.words().memory("VMEM2"), 0,
                                            nest.words().memory("VMEM2"), 0});
    nest.compute(Operation::kRequantMul, true);
    nest.expect_same(64, data);
  }
  EXPECT_GT(decided, 0) << "no case tells one rounding from two";
}

std::vector<uint8_t> every_byte() {
  std::vector<uint8_t> data(256);
  std::iota(data.begin(), data.end(), uint8_t{0});
  return data;
}

/// The value of a part of a table: no two adjacent ones are equal.
uint32_t entry_of(uint32_t part) { return 0x0101 * part + 0x0100 + (part >> 8); }

/// Parts past the last one set nothing, wherever a wire would let them land. Entries of bytes, and of four.
TEST(Directed, PartsPastTheEndOfATableSetNothing) {
  for (const acg::Machine* on : {&machine(), &machine_of_bytes()}) {
    const auto parts = static_cast<uint32_t>(acg::word_parts(*on).table.count);
    for (const int32_t type : {kU8, kF32}) {
      if (type == kF32 && on == &machine_of_bytes()) continue;
      Nest nest(256, *on);
      nest.words().op(Operation::kTypes, {type, kU8, kU8});
      for (uint32_t part = parts - 64; part < parts + 64; ++part) nest.words().table(part, entry_of(part));
      nest.trip(64, type == kF32 ? 4 : 1, 1);
      nest.compute(Operation::kLookup);
      nest.expect_same(type == kF32 ? 1024 : 256, every_byte());
    }
  }
}

TEST(Directed, ABlockStartsWithoutATable) {
  for (const acg::Machine* on : {&machine(), &machine_of_bytes()}) {
    Nest nest(256, *on, [&](Assembly& words) {
      for (uint32_t part = 0; part < acg::word_parts(*on).table.count; ++part) words.table(part, entry_of(part));
    });
    nest.words().op(Operation::kTypes, {kU8, kU8, kU8}).table(3, 0xABCD);
    nest.trip(64, 1, 1);
    nest.compute(Operation::kLookup);
    nest.expect_same(256, every_byte());
  }
}

/// Quotients by zeros of both signs: of numbers, zeros, infinities and NaN.
TEST(Directed, QuotientsByZero) {
  constexpr std::array<uint32_t, 8> kNumbers{0x3F800000, 0xC0490FDB, 0,          0x80000000,
                                             0x7F800000, 0xFF800000, 0x7FC00000, 0x00000001};
  std::vector<uint8_t> data(sizeof kNumbers);
  std::memcpy(data.data(), kNumbers.data(), data.size());
  for (const uint32_t zero : {0U, 0x80000000U}) {
    Nest nest(32);
    nest.words().op(Operation::kTypes, {kF32, kF32, kF32}).immediate(3, zero);
    nest.trip(2, 4, 4);
    nest.compute(Operation::kDiv);
    nest.expect_same(32, data);
  }
}

}  // namespace
}  // namespace covenant::rtl
