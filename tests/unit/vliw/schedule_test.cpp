/// Inner loops reach the bounds that slots, pipes and stages set.
#include "compiler/families/vliw/schedule.h"

#include <algorithm>
#include <fmt/format.h>
#include <iostream>

#include "compiler/families/vliw/loop_schedules.h"
#include "tests/unit/vliw/build.h"

namespace covenant::compiler::vliw {
namespace {

using namespace testing;

/// Packets of the one loop of `code`, after everything; prints them if asked to.
size_t packets_in_loop(const Code& code, const PacketOptions& options = {}) {
  const PacketCode packets = packetize(code, hvx(), options);
  std::vector<size_t> counts;
  count_packets(packets.steps, counts);
  const auto steps = allocated(packets, hvx());
  EXPECT_TRUE(steps) << (steps ? "" : render(steps.error()));
  if (steps) std::cout << text_of(assign_addresses(*steps, hvx(), 0x1000), hvx());
  EXPECT_EQ(counts.size(), 2U);
  return counts.back();
}

/// Rows of A times 32 columns: u8 weights of four k in a vector, activations of a row in a word.
Code gemm(uint32_t rows, uint32_t unrolled, uint32_t trips) {
  Code code;
  std::vector<Name> sums, inputs;
  const Name weights = code.make(RegisterFile::kScalar);
  for (uint32_t row = 0; row < rows; ++row) {
    sums.push_back(code.make(RegisterFile::kVector));
    inputs.push_back(code.make(RegisterFile::kScalar));
  }
  CodeLoop loop{trips, {}};
  for (uint32_t k = 0; k < unrolled; k += 2) {
    const Name first = code.make(RegisterFile::kVector), second = code.make(RegisterFile::kVector);
    loop.body.emplace_back(make(kVl32bAi, {first, weights, static_cast<int32_t>(k)}, 1));
    loop.body.emplace_back(make(kVl32bAi, {second, weights, static_cast<int32_t>(k + 1)}, 1));
    for (uint32_t row = 0; row < rows; ++row) {
      const Name word = code.make(RegisterFile::kScalar, true);
      loop.body.emplace_back(make(kL2LoadrdIo, {word, inputs[row], static_cast<int32_t>(4 * k)}, 2));
      loop.body.emplace_back(make(kVrmpyubAcc, {sums[row], first, word}));
      loop.body.emplace_back(make(kVrmpyubAcc, {sums[row], second, upper(word)}));
    }
  }
  loop.body.emplace_back(make(kA2Addi, {weights, weights, static_cast<int32_t>(128 * unrolled)}));
  for (const Name& input : inputs)
    loop.body.emplace_back(make(kA2Addi, {input, input, static_cast<int32_t>(4 * unrolled)}));
  code.steps.emplace_back(std::move(loop));
  return code;
}

/// 128 sums of 32 bits become 128 bytes: multiplied, shifted, moved by the zero point, saturated.
Code requantize(uint32_t trips) {
  Code code;
  const Name from = code.make(RegisterFile::kScalar), to = code.make(RegisterFile::kScalar);
  const Name shift = code.make(RegisterFile::kScalar);
  const Name factor = code.make(RegisterFile::kVector), zero = code.make(RegisterFile::kVector);
  CodeLoop loop{trips, {}};
  std::vector<Name> products;
  for (int32_t i = 0; i < 4; ++i) {
    const Name sums = code.make(RegisterFile::kVector);
    products.push_back(code.make(RegisterFile::kVector));
    loop.body.emplace_back(make(kVl32bAi, {sums, from, i}, 1));
    loop.body.emplace_back(make(kVmpyewuh, {products.back(), sums, factor}));
    loop.body.emplace_back(make(kVmpyowhRndSacc, {products.back(), sums, factor}));
  }
  std::vector<Name> halves;
  for (size_t i = 0; i < 4; i += 2) {
    const Name narrow = code.make(RegisterFile::kVector);
    halves.push_back(code.make(RegisterFile::kVector));
    loop.body.emplace_back(make(kVasrwhrndsat, {narrow, products[i + 1], products[i], shift}));
    loop.body.emplace_back(make(kVaddhsat, {halves.back(), narrow, zero}));
  }
  const Name bytes = code.make(RegisterFile::kVector);
  loop.body.emplace_back(make(kVpackhubSat, {bytes, halves[1], halves[0]}));
  loop.body.emplace_back(make(kVs32bAi, {to, 0, bytes}, 2));
  loop.body.emplace_back(make(kA2Addi, {from, from, 512}));
  loop.body.emplace_back(make(kA2Addi, {to, to, 128}));
  code.steps.emplace_back(std::move(loop));
  return code;
}

/// The greatest of `loads` vectors.
Code pool(int32_t loads, uint32_t trips) {
  Code code;
  const Name from = code.make(RegisterFile::kScalar), to = code.make(RegisterFile::kScalar);
  CodeLoop loop{trips, {}};
  Name greatest = code.make(RegisterFile::kVector);
  loop.body.emplace_back(make(kVl32bAi, {greatest, from, 0}, 1));
  for (int32_t i = 1; i < loads; ++i) {
    const Name loaded = code.make(RegisterFile::kVector), greater = code.make(RegisterFile::kVector);
    loop.body.emplace_back(make(kVl32bAi, {loaded, from, i}, 1));
    loop.body.emplace_back(make(kVmaxub, {greater, greatest, loaded}));
    greatest = greater;
  }
  loop.body.emplace_back(make(kVs32bPi, {to, 1, greatest}, 2));
  loop.body.emplace_back(make(kA2Addi, {from, from, 128 * loads}));
  code.steps.emplace_back(std::move(loop));
  return code;
}

TEST(ScheduleLoop, AProductTakesHalfAPacketForEachVrmpy) {
  EXPECT_EQ(packets_in_loop(gemm(4, 8, 100)), 16U);
  // 16 vrmpy want 8 packets; with loads and steps there are 33 instructions for 32 places.
  EXPECT_EQ(packets_in_loop(gemm(4, 4, 100)), 9U);
}

TEST(ScheduleLoop, RequantizationIsBoundByTheMultiplier) { EXPECT_EQ(packets_in_loop(requantize(100)), 8U); }

TEST(ScheduleLoop, ElementwiseLoopsLoadAVectorInEachPacket) {
  for (const int32_t loads : {1, 2, 3, 4, 8}) EXPECT_EQ(packets_in_loop(pool(loads, 100)), static_cast<size_t>(loads));
}

/// A register that is written last, by a step whose result is unused, is not written by two trips at once.
TEST(ScheduleLoop, ValuesThatNobodyReads) {
  Code code;
  const Name from = code.make(RegisterFile::kScalar), to = code.make(RegisterFile::kScalar);
  const Name own = code.make(RegisterFile::kScalar), loaded = code.make(RegisterFile::kVector);
  CodeLoop loop{100, {}};
  loop.body.emplace_back(make(kA2Addi, {own, from, 64}));
  loop.body.emplace_back(make(kVl32bPi, {loaded, own, 1}, 1));
  loop.body.emplace_back(make(kVs32bPi, {to, 1, loaded}, 2));
  loop.body.emplace_back(make(kA2Addi, {from, from, 128}));
  code.steps.emplace_back(std::move(loop));
  EXPECT_EQ(packets_in_loop(code), 2U);  // packets of two trips
}

/// An instruction that must be alone cannot be where a hardware loop ends.
TEST(ScheduleLoop, AWordOfAVectorInEachTrip) {
  Code code;
  const Name vector = code.make(RegisterFile::kVector), at = code.make(RegisterFile::kScalar);
  const Name word = code.make(RegisterFile::kScalar);
  code.steps.emplace_back(CodeLoop{5, {make(kExtractw, {word, vector, at})}});
  EXPECT_EQ(packets_in_loop(code), 2U);
}

/// With a quarter more time fewer trips are under way; the interval is the shortest one times that.
TEST(ScheduleLoop, SlackMakesIntervalsLonger) {
  EXPECT_EQ(packets_in_loop(requantize(100), {.slack = 1}), 10U);
  EXPECT_EQ(packets_in_loop(requantize(100), {.slack = 2}), 12U);
}

/// The schedule of one loop is reused for others with the same instructions and dependences, whatever their registers.
TEST(LoopSchedules, ServeLoopsThatAreAlike) {
  const RegisterAccesses accesses(hvx());
  const ReservationTable space(hvx(), 0);
  LoopSchedules known;
  const auto asked = [&](const Code& code, uint32_t least) {
    std::vector<CodeInstruction> body;
    for (const CodeStep& step : std::get<CodeLoop>(code.steps.front()).body)
      body.push_back(std::get<CodeInstruction>(step));
    const std::vector<bool> carried = carried_registers(body, accesses, code.registers.size());
    const std::vector<Dependence> between = dependences(body, accesses, Piece::kLoop, carried);
    const std::optional<PacketSchedule> made = known.of(body, between, space, least);
    const std::optional<PacketSchedule> expected = schedule_loop(body, between, space, least);
    EXPECT_TRUE(made && expected);
    EXPECT_EQ(made->interval, expected->interval);
    EXPECT_EQ(made->packets, expected->packets);
    return made->interval;
  };
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(asked(requantize(100), 0), 8U);
    EXPECT_EQ(asked(requantize(7), 0), 8U) << "trips do not matter";
    EXPECT_EQ(asked(requantize(100), 11), 11U);
    EXPECT_EQ(asked(gemm(4, 4, 9), 0), 9U);
    EXPECT_EQ(asked(gemm(2, 4, 9), 0), 5U);
  }
}

TEST(ScheduleLoop, LoopsOfNothingAreNone) {
  Code code;
  code.steps.emplace_back(CodeLoop{5, {CodeLoop{3, {}}}});
  EXPECT_TRUE(packetize(code, hvx()).steps.empty());
}

/// A vector is multiplied two packets after it was loaded: a trip in every packet wants two registers in turn. With one
/// of them a packet is all of the loop, and waits for the one before.
TEST(ScheduleLoop, WithoutUnrollingALoopHoldsOneTrip) {
  const PacketOptions turning{.pack = true, .pipeline = true, .unroll = false};
  Code code;
  const Name from = code.make(RegisterFile::kScalar), word = code.make(RegisterFile::kScalar);
  const Name sum = code.make(RegisterFile::kVector), loaded = code.make(RegisterFile::kVector);
  code.steps.emplace_back(
      CodeLoop{100, {make(kVl32bPi, {loaded, from, 1}, 1), make(kVrmpybusAcc, {sum, loaded, word})}});
  EXPECT_EQ(packets_in_loop(code), 2U);
  EXPECT_EQ(packets_in_loop(code, turning), 1U);
  EXPECT_EQ(packets_in_loop(gemm(1, 4, 100)), 4U);  // as late as they can be, loads want no second register
  EXPECT_EQ(packets_in_loop(gemm(1, 4, 100), turning), 4U);
}

/// Values that are loaded early, because much depends on them, would need two registers in turn.
TEST(ScheduleLoop, ValuesAreMadeWhenTheyAreWanted) {
  const Code code = gemm(4, 8, 100);
  const PacketCode packets = packetize(code, hvx());
  EXPECT_EQ(packets.registers.size(), code.registers.size());
}

/// Words that are wanted one after the other are loaded one after the other.
TEST(ScheduleLate, EachInstructionStandsRightBeforeWhoWantsIt) {
  std::vector<CodeInstruction> code;
  Code registers;
  const Name from = registers.make(RegisterFile::kScalar), sum = registers.make(RegisterFile::kScalar);
  for (int32_t i = 0; i < 20; ++i) {
    const Name word = registers.make(RegisterFile::kScalar);
    code.push_back(make(kL2LoadriIo, {word, from, 4 * i}, 1));
    code.push_back(make(kA2Add, {sum, sum, word}));
  }
  const RegisterAccesses accesses(hvx());
  const std::vector<Dependence> between = dependences(code, accesses, Piece::kOnce);
  const PacketSchedule late = schedule_late(code, between, ReservationTable(hvx(), 0));
  EXPECT_EQ(late.length(), schedule_once(code, between, ReservationTable(hvx(), 0)).length());
  for (size_t i = 0; i < code.size(); i += 2) {
    const auto wanted =
        std::find_if(between.begin(), between.end(), [&](const Dependence& entry) { return entry.from == i; });
    ASSERT_NE(wanted, between.end());
    EXPECT_EQ(late.packets[i] + wanted->packets, late.packets[i + 1]);
  }
}

TEST(ScheduleLoop, WithoutPipeliningOrPackingItTakesLonger) {
  EXPECT_GT(packets_in_loop(gemm(4, 8, 100), {.pack = true, .pipeline = false}), 16U);
  EXPECT_EQ(packets_in_loop(gemm(4, 8, 100), {.pack = false, .pipeline = false}), 61U);
}

}  // namespace
}  // namespace covenant::compiler::vliw
