/// Segments are aligned and apart; they share bytes only where they are never alive together.
#include "compiler/emission/memory_plan.h"

#include <gtest/gtest.h>
#include <random>

#include "acg/lang/load.h"

namespace covenant::compiler {
namespace {

const acg::Machine& machine() {
  static const acg::Machine loaded = *acg::load_machine("genesys:16x16");
  return loaded;
}

/// For nodes that read memory directly, by whole vectors.
TEST(MemoryPlan, AfterEverySegmentAVectorMayBeRead) {
  EXPECT_EQ(segment_guard(machine()), 15U);
  EXPECT_EQ(segment_guard(*acg::load_machine("genesys:16x16", {{"bits", "4"}})), 7U);
  EXPECT_EQ(segment_guard(*acg::load_machine("genesys:16x16", {{"bits", "16"}})), 31U);
  EXPECT_EQ(segment_guard(*acg::load_machine("hvx")), 127U);
}

TEST(MemoryPlan, SegmentsAreAlignedAndApart) {
  MemoryPlan map(*acg::load_machine("genesys", {{"M", "20"}, {"axi", "512"}}));
  EXPECT_EQ(*map.add("a", acg::SegmentKind::kInput, 10), 0U);
  EXPECT_EQ(*map.add("b", acg::SegmentKind::kOutput, 60), 64U);
  EXPECT_EQ(*map.add("c", acg::SegmentKind::kConstant, 1, {7}), 192U);  // 64 + 60 + 19 bytes of guard, rounded up
  EXPECT_EQ(map.end(), 192U + 1 + 19);
}

TEST(MemoryPlan, WordsBeginOnABeatOfTheirOwnEdge) {
  MemoryPlan map(*acg::load_machine("genesys", {{"axi", "128"}, {"axi_instruction", "96"}}));
  EXPECT_EQ(*map.add("a", acg::SegmentKind::kInput, 17), 0U);
  EXPECT_EQ(*map.add("words", acg::SegmentKind::kInstructions, 24), 48U);
}

TEST(MemoryPlan, AChainNeedsTwoOfItsTensors) {
  MemoryPlan plan(machine());
  std::vector<Tenant> tenants;
  for (size_t i = 0; i < 50; ++i) tenants.push_back({"t" + std::to_string(i), 100000, {i, i + 1}});
  const Result<std::vector<uint64_t>> addresses = plan.add_shared(tenants);
  ASSERT_TRUE(addresses);
  EXPECT_LT(plan.end(), 2 * 100000U + 1000);
  EXPECT_EQ(plan.segments().size(), 50U);
}

TEST(MemoryPlan, WhatIsAliveTogetherLiesApart) {
  const uint64_t guard = segment_guard(machine());
  std::mt19937 random(3);
  for (uint32_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    MemoryPlan plan(machine());
    ASSERT_TRUE(plan.add("input", acg::SegmentKind::kInput, 100));
    const uint64_t first = plan.end();
    std::vector<Tenant> tenants;
    for (size_t i = 0; i < 12; ++i) {
      const size_t begin = random() % 20;
      tenants.push_back({"t" + std::to_string(i), 1 + random() % 5000, {begin, begin + random() % 6}});
    }
    const Result<std::vector<uint64_t>> addresses = plan.add_shared(tenants);
    ASSERT_TRUE(addresses);
    for (size_t i = 0; i < tenants.size(); ++i) {
      EXPECT_GE(addresses->at(i), first);
      EXPECT_EQ(addresses->at(i) % segment_alignment(machine()), 0U);
      EXPECT_LE(addresses->at(i) + tenants[i].size + guard, plan.end());
      for (size_t j = 0; j < i; ++j) {
        const bool together = tenants[i].lifetime.first <= tenants[j].lifetime.last &&
                              tenants[j].lifetime.first <= tenants[i].lifetime.last;
        const bool apart = addresses->at(i) + tenants[i].size + guard <= addresses->at(j) ||
                           addresses->at(j) + tenants[j].size + guard <= addresses->at(i);
        EXPECT_TRUE(!together || apart) << i << " and " << j;
      }
    }
    MemoryPlan again(machine());
    ASSERT_TRUE(again.add("input", acg::SegmentKind::kInput, 100));
    EXPECT_EQ(*again.add_shared(tenants), *addresses);
  }
}

TEST(MemoryPlan, IsFullWhereTheMemoryEnds) {
  MemoryPlan plan(machine());
  const Result<std::vector<uint64_t>> addresses =
      plan.add_shared({{"a", uint64_t{3} << 30, {0, 1}}, {"b", uint64_t{2} << 30, {1, 2}}});
  ASSERT_FALSE(addresses);
  EXPECT_EQ(addresses.error().code, "GEN0013");
}

}  // namespace
}  // namespace covenant::compiler
