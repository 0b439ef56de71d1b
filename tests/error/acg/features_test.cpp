// Features that can be described, but that neither compiler nor models support: ACG0051.
#include "acg/graph/features.h"

#include <gtest/gtest.h>

#include "acg/graph/queries.h"
#include "tests/unit/acg/small_machine.h"

namespace covenant::acg {
namespace {

using testing::parsed;
using testing::with;

void expect_feature(const std::string& text, Feature feature, uint32_t line, uint32_t column,
                    const std::string& offending, const std::string& attribute) {
  const std::vector<FeatureUse> uses = features(parsed(text));
  ASSERT_EQ(uses.size(), 1U) << text;
  EXPECT_EQ(uses[0].feature, feature);
  const Diagnostic diagnostic = refusal(uses[0]);
  EXPECT_EQ(diagnostic.code, "ACG0051");
  EXPECT_EQ(diagnostic.where, (SourceLocation{"small.acg", line, column}));
  EXPECT_EQ(diagnostic.offending, offending);
  EXPECT_EQ(diagnostic.fix, "leave out " + attribute + " to run programs on this machine");
}

TEST(Features, AttributesThatNothingHonours) {
  expect_feature(with("IN { banks = M;", "IN { accesses = 2; banks = M;"), Feature::kAccesses, 8, 10, "2", "accesses");
  expect_feature(with("columns = N;", "columns = N; trigger = dataflow;"), Feature::kDataflow, 12, 11, "dataflow",
                 "trigger");
  expect_feature(with("{ latency = 2; }", "{ occupancy = 3; }"), Feature::kOccupancy, 17, 11, "3", "occupancy");
  expect_feature(with("edge IN -> SA;", "edge IN -> SA { latency = 4; }"), Feature::kEdgeLatency, 28, 8, "4",
                 "latency of an edge without transfers");
  expect_feature(with("edge IN -> SA;", "edge IN -> SA { bus = axi; }"), Feature::kBusWithoutTransfers, 28, 8, "axi",
                 "bus of an edge without transfers");
}

TEST(Features, PartsOfBytes) {
  // Scratchpads have them, and nothing else.
  EXPECT_TRUE(features(testing::genesys("01")).empty());
  EXPECT_TRUE(features(testing::genesys("03")).empty());
  Machine machine = testing::genesys("01");
  machine.memories[0].data_width = 4;
  const std::vector<FeatureUse> uses = features(machine);
  ASSERT_EQ(uses.size(), 1U);
  EXPECT_EQ(uses[0].feature, Feature::kPartsOfBytes);
  const Diagnostic diagnostic = refusal(uses[0]);
  EXPECT_EQ(diagnostic.code, "ACG0051");
  EXPECT_EQ(diagnostic.subject, "memory DRAM");
  EXPECT_EQ(diagnostic.where, machine.memories[0].where);
  EXPECT_EQ(diagnostic.offending, "data_width = 4");
  EXPECT_EQ(diagnostic.fix, "set data_width to 8 to run programs on this machine");
}

TEST(Features, WhatChangesNoCycleIsNone) {
  EXPECT_TRUE(features(parsed(with("DRAM -> IN { ", "DRAM -> IN { energy = 1.5; "))).empty());
  EXPECT_TRUE(features(parsed(with("unit = simd_array;", "unit = simd_array; port a in;"))).empty());
  EXPECT_TRUE(features(testing::genesys()).empty());
}

TEST(Features, TransfersMayShareBuses) {
  EXPECT_TRUE(features(parsed(with("DRAM -> IN { ", "DRAM -> IN { bus = axi; burst = 4; "))).empty());
  // Instructions come by an edge of their own.
  expect_feature(with("DRAM -> IMEM { ", "DRAM -> IMEM { bus = axi; "), Feature::kBusWithoutTransfers, 23, 8, "axi",
                 "bus of an edge without transfers");
}

TEST(Features, TransfersAndWordsMayTakeLonger) {
  EXPECT_TRUE(features(parsed(with("DRAM -> IN { ", "DRAM -> IN { latency = 4; "))).empty());
  EXPECT_TRUE(features(parsed(with("DRAM -> IMEM { ", "DRAM -> IMEM { latency = 4; "))).empty());
}

TEST(Features, AllInOneOrder) {
  Machine machine = parsed(with("edge IN -> SA;", "edge IN -> SA { bus = axi; latency = 1; }"));
  machine.memories[2].accesses = 2;
  machine.computes[0].trigger = Trigger::kDataflow;
  machine.memories[0].data_width = 4;
  std::vector<Feature> found;
  for (const FeatureUse& use : features(machine)) found.push_back(use.feature);
  EXPECT_EQ(found, (std::vector<Feature>{Feature::kAccesses, Feature::kDataflow, Feature::kEdgeLatency,
                                         Feature::kBusWithoutTransfers, Feature::kPartsOfBytes}));
}

}  // namespace
}  // namespace covenant::acg
