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

TEST(WordLimits, WhatNoWordSaysIsLimitedByTheUnits) {
  EXPECT_EQ(word_limits(*load_machine("paper_fig8")).run_bytes, 65536);
}

}  // namespace
}  // namespace covenant::acg
