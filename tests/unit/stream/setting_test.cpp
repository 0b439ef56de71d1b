/// The fewest words for every change of a setting.
#include "compiler/families/stream/setting.h"

#include <gtest/gtest.h>
#include <optional>
#include <random>
#include <vector>

#include "compiler/families/stream/operand_values.h"

namespace covenant::compiler::stream {
namespace {

using acg::Operation;

SettingValue value(int64_t first, int32_t second = 0) {
  SettingValue made{};
  made[0] = static_cast<int32_t>(static_cast<uint32_t>(first));
  made[1] = second;
  return made;
}

acg::Instruction stride(int64_t half, int64_t bits) {
  return instruction(Operation::kStride, {{"operand", 4}, {"level", 2}, {"half", half}, {"value", bits}});
}

TEST(Setting, AddressStridesWriteHighHalvesOnlyWhereTheyAreNotImplied) {
  const Setting setting{Operation::kStride, 4, 2};
  EXPECT_TRUE(change(setting, value(5), value(5), {}).empty());
  EXPECT_EQ(change(setting, value(5), value(6), {}), std::vector{stride(0, 6)});
  EXPECT_EQ(change(setting, value(5), value(0x20005), {}), std::vector{stride(1, 2)});
  EXPECT_EQ(change(setting, value(0x20005), value(5), {}), std::vector{stride(0, 5)});
  EXPECT_EQ(change(setting, value(0), value(-1), {}), (std::vector{stride(0, 0xFFFF), stride(1, 0xFFFF)}));
  EXPECT_EQ(change(setting, std::nullopt, value(0), {}), std::vector{stride(0, 0)});
}

TEST(Setting, BasesCarryTheirSlot) {
  const Setting setting{Operation::kBase, 5, 0};
  const auto base = [](int64_t half, int64_t slot, int64_t bits) {
    return instruction(Operation::kBase, {{"operand", 5}, {"half", half}, {"slot", slot}, {"value", bits}});
  };
  EXPECT_EQ(change(setting, value(0), value(0, 3), {}), std::vector{base(0, 3, 0)});
  EXPECT_EQ(change(setting, value(7, 1), value(0x10007, 1), {}), std::vector{base(1, 1, 1)});
}

TEST(Setting, SimdStridesAreSignExtended) {
  const Setting setting{Operation::kSimdStride, 3, 9};
  const auto low = [](int64_t bits) {
    return instruction(Operation::kSimdStride, {{"memory", 3}, {"index", 9}, {"value", bits}});
  };
  EXPECT_EQ(change(setting, value(0), value(-2), {}), std::vector{low(-2)});
  EXPECT_EQ(change(setting, value(0), value(0x8000), {}),
            (std::vector{low(-0x8000), instruction(Operation::kSimdStrideHigh, {{"memory", 3}, {"index", 9}})}));
}

/// The state of a unit after the words, each of which sets a part and extends it to all bits above.
uint32_t after(std::optional<uint32_t> held, const std::vector<acg::Instruction>& words, uint32_t bits) {
  uint64_t number = held.value_or(0xDEADBEEF);
  for (const acg::Instruction& word : words) {
    const auto operand = [&](const char* name) {
      return static_cast<uint64_t>(word.operands.at(acg::operand_index(word.operation, name)));
    };
    const bool is_simd = word.operation == Operation::kSimdStride || word.operation == Operation::kSimdStrideHigh;
    const uint64_t part = word.operation == Operation::kStride       ? operand("half")
                          : word.operation == Operation::kSimdStride ? 0
                                                                     : 1 + operand("part");
    const uint64_t scale = uint64_t{1} << (part * bits);
    uint64_t value = operand("value") % (uint64_t{1} << bits);
    if (is_simd && value >> (bits - 1) != 0) value -= uint64_t{1} << bits;
    number = (number % scale + value * scale) % (uint64_t{1} << 32);
  }
  return static_cast<uint32_t>(number);
}

/// Every change of a number in parts of any width: it arrives, in the fewest words.
TEST(Setting, NumbersAreSetInAsFewPartsAsTheyNeed) {
  std::mt19937 random(5);
  for (const Operation kind : {Operation::kStride, Operation::kSimdStride}) {
    const Setting setting{kind, 4, 2};
    for (uint32_t bits = 4; bits <= 31; ++bits) {
      acg::WordParts parts;
      parts.stride.bits = parts.simd_stride.bits = bits;
      for (int repeat = 0; repeat < 200; ++repeat) {
        const auto to = static_cast<uint32_t>(static_cast<int32_t>(random()) >> random() % 32);
        const uint32_t below = static_cast<uint32_t>((uint64_t{1} << random() % 33) - 1);
        std::optional<uint32_t> from = (to & below) | (static_cast<uint32_t>(random()) & ~below);
        if (repeat % 5 == 0) from.reset();
        std::optional<SettingValue> now;
        if (from) now = value(*from);
        const auto words = change(setting, now, value(to), parts);
        EXPECT_EQ(after(from, words, bits), to) << bits << " bits";
        if (from) {
          EXPECT_EQ(words.empty(), *from == to);
        }
        // With a word less, the first or the last, it does not arrive.
        if (words.empty()) continue;
        EXPECT_NE(after(from, {words.begin(), words.end() - 1}, bits), to);
        const std::vector<acg::Instruction> rest{words.begin() + 1, words.end()};
        if (from) {
          EXPECT_NE(after(from, rest, bits), to);
        }
      }
    }
  }
}

TEST(Setting, LevelsOfNestsNameWhatAdvances) {
  const Setting setting{Operation::kSimdTrip, 1, 0};
  EXPECT_EQ(change(setting, std::nullopt, value(0), {}),
            std::vector{instruction(Operation::kSimdTrip, {{"level", 1}, {"last", 0}})});
  EXPECT_EQ(
      change(setting, value(0), SettingValue{4, 1, 3, 1, 2, 5, 2, 6}, {}),
      (std::vector{
          instruction(Operation::kSimdTrip, {{"level", 1}, {"last", 4}}),
          instruction(
              Operation::kSimdIndex,
              {{"dst_memory", 3}, {"dst", 1}, {"src1_memory", 2}, {"src1", 5}, {"src2_memory", 2}, {"src2", 6}})}));
}

}  // namespace
}  // namespace covenant::compiler::stream
