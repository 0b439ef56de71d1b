#include "acg/isa/word_limits.h"

#include <gtest/gtest.h>

#include "acg/lang/load.h"
#include "acg/lang/print.h"

namespace covenant::acg {
namespace {

TEST(WordLimits, OfTheBuiltinMachinesAreThoseOfTheUnits) {
  const WordLimits limits = word_limits(*load_machine("genesys"));
  EXPECT_EQ(limits.tile_trips, 65536);
  EXPECT_EQ(limits.walk_trips, 65536);
  EXPECT_EQ(limits.nest_trips, 65536);
  EXPECT_EQ(limits.run_bytes, 65536);
  EXPECT_EQ(limits.axis_length, 65535);
}

TEST(WordLimits, TheNarrowestFieldCounts) {
  std::string text = print(*load_machine("genesys:8x8"));
  const size_t at = text.find("RUN_LAST\", 16", text.find("mnemonic STORE"));
  ASSERT_NE(at, std::string::npos);
  text.replace(at, 13, "RUN_LAST\", 9");
  const Result<Machine> machine = parse_machine(text, "narrow.acg");
  ASSERT_TRUE(machine) << render(machine.error());
  EXPECT_EQ(word_limits(*machine).run_bytes, 512);
  EXPECT_EQ(word_limits(*machine).tile_trips, 65536);
}

TEST(WordLimits, NumbersAreSetInParts) {
  const Machine genesys = *load_machine("genesys:8x8");
  const ValueParts halves{.bits = 16, .count = 2};
  for (const ValueParts& parts : {word_parts(genesys).base, word_parts(genesys).stride, word_parts(genesys).simd_base,
                                  word_parts(genesys).simd_stride, word_parts(genesys).immediate}) {
    EXPECT_EQ(parts, halves);
  }
  std::string text = print(genesys);
  const auto edit = [&text](const std::string& mnemonic, const std::string& from, const std::string& to) {
    const size_t at = text.find(from, text.find("mnemonic " + mnemonic + "("));
    ASSERT_NE(at, std::string::npos) << mnemonic;
    text.replace(at, from.size(), to);
  };
  edit("SET_BASE_ADDR", "\"HALF\", 1, [\"LOW\",\"HIGH\"]", "\"HALF\", 2, [\"HIGH_1\", \"LOW\", \"HIGH\"]");
  edit("SET_BASE_ADDR", "\"ADDRESS\", 16", "\"ADDRESS\", 12");
  edit("IMM_HIGH", "ifield(\"VALUE\", 16)", "ifield(\"PART\", 2) = part; ifield(\"VALUE\", 9)");
  const Result<Machine> machine = parse_machine(text, "parts.acg");
  ASSERT_TRUE(machine) << render(machine.error());
  EXPECT_EQ(word_parts(*machine).base, (ValueParts{.bits = 12, .count = 3}));
  EXPECT_EQ(word_parts(*machine).immediate, (ValueParts{.bits = 9, .count = 5}));
  EXPECT_EQ(word_parts(*machine).stride, halves);
}

TEST(WordLimits, WhatNoWordSaysIsLimitedByTheUnits) {
  EXPECT_EQ(word_limits(*load_machine("paper_fig8")).run_bytes, 65536);
}

}  // namespace
}  // namespace covenant::acg
