/// Comparing records one by one: what differs is found, and the first of several.
#include "runtime/lockstep/comparison.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <stdexcept>

#include "acg/graph/queries.h"
#include "acg/lang/load.h"

namespace covenant::runtime {
namespace {

using acg::RetireRecord;

acg::Program program() {
  auto machine = acg::load_machine("genesys", {});
  if (!machine) throw std::runtime_error(render(machine.error()));
  acg::Program made;
  made.machine = *machine;
  made.blocks.resize(1);
  made.blocks[0].layer = "conv1";
  return made;
}

/// Ten commands each of two engines, interleaved in time.
std::vector<RetireRecord> records() {
  std::vector<RetireRecord> made;
  for (uint64_t k = 0; k < 10; ++k) {
    for (uint32_t engine = 0; engine < 2; ++engine) {
      RetireRecord record;
      record.engine = engine;
      record.word_index = static_cast<uint32_t>(k);
      record.sequence = k;
      record.issue = record.first_port = record.last_port = 10 * k + engine;
      record.retire = record.issue + 3;
      record.digest = 1000 + k;
      made.push_back(record);
    }
  }
  return made;
}

struct Verdict {
  uint64_t differences = 0;
  std::optional<Difference> first;
};

Verdict compare(const std::vector<RetireRecord>& rtl, uint64_t reached = UINT64_MAX) {
  const acg::Program one = program();
  Comparison comparison(one, records());
  for (const RetireRecord& record : rtl) comparison.add(record);
  comparison.finish(reached);
  return {comparison.differences(), comparison.first()};
}

TEST(Comparison, EqualRecordsInAnyOrderOfEngines) {
  auto rtl = records();
  std::stable_sort(rtl.begin(), rtl.end(), [](const auto& a, const auto& b) { return a.engine < b.engine; });
  EXPECT_EQ(compare(rtl).differences, 0U);
  EXPECT_FALSE(compare(rtl).first);
}

TEST(Comparison, EveryFieldCounts) {
  const auto changed = [](auto change) {
    auto rtl = records();
    change(rtl[7]);
    return compare(rtl);
  };
  const auto expect = [](const Verdict& verdict, const std::string& field) {
    ASSERT_EQ(verdict.differences, 1U) << field;
    ASSERT_TRUE(verdict.first) << field;
    ASSERT_EQ(verdict.first->fields.size(), 1U) << field;
    EXPECT_EQ(verdict.first->fields[0].name, field);
    EXPECT_EQ(verdict.first->word_index, 3U);
    EXPECT_EQ(verdict.first->layer, "conv1");
  };
  expect(changed([](RetireRecord& r) { ++r.issue; }), "issue");
  expect(changed([](RetireRecord& r) { ++r.retire; }), "retire");
  expect(changed([](RetireRecord& r) { ++r.first_port; }), "first_port");
  expect(changed([](RetireRecord& r) { --r.last_port; }), "last_port");
  expect(changed([](RetireRecord& r) { ++r.stall; }), "stall");
  expect(changed([](RetireRecord& r) { r.digest ^= 1; }), "digest");
  expect(changed([](RetireRecord& r) { r.word ^= 1; }), "word");
  const Verdict block = changed([](RetireRecord& r) { ++r.block; });
  EXPECT_EQ(block.differences, 1U);
  EXPECT_EQ(changed([](RetireRecord& r) { ++r.word_index; }).differences, 1U);
}

TEST(Comparison, WhatIsDoneComesBeforeWhenItIsDone) {
  const auto names = [](auto change) {
    auto rtl = records();
    change(rtl[7]);
    ++rtl[7].retire;
    std::vector<std::string> made;
    const Verdict verdict = compare(rtl);
    for (const DifferentField& field : verdict.first->fields) made.push_back(field.name);
    return made;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names([](RetireRecord& r) { ++r.block; }), (Names{"block", "retire"}));
  EXPECT_EQ(names([](RetireRecord& r) { ++r.word_index; }), (Names{"word_index", "retire"}));
  EXPECT_EQ(names([](RetireRecord& r) { r.word ^= 1; }), (Names{"word", "retire"}));
}

TEST(Comparison, CommandsPartInTheFirstCycleInWhichOneDoesWhatTheOtherDoesNot) {
  const auto parting = [](auto change) {
    auto rtl = records();
    change(rtl[7]);  // issues and moves data in cycle 31, retires in 34
    return compare(rtl).first->cycle;
  };
  EXPECT_EQ(parting([](RetireRecord& r) { r.issue = 29; }), 29U);
  EXPECT_EQ(parting([](RetireRecord& r) { r.issue = 33; }), 31U);
  EXPECT_EQ(parting([](RetireRecord& r) { ++r.stall; }), 31U);
  EXPECT_EQ(parting([](RetireRecord& r) { r.word ^= 1; }), 31U);
  EXPECT_EQ(parting([](RetireRecord& r) { r.first_port = 32; }), 31U);
  EXPECT_EQ(parting([](RetireRecord& r) { r.last_port = 33; }), 31U);
  EXPECT_EQ(parting([](RetireRecord& r) { r.retire = 33; }), 33U);
  EXPECT_EQ(parting([](RetireRecord& r) { r.digest ^= 1; }), 34U);
}

TEST(Comparison, OfTwoInOneCycleTheFirstToRetireIsShown) {
  auto rtl = records();
  rtl[6].retire = 33;  // engine 0: 33 is what was said
  rtl[6].digest ^= 1;
  rtl[7].retire = 33;
  const Verdict verdict = compare(rtl);
  EXPECT_EQ(verdict.differences, 2U);
  EXPECT_EQ(verdict.first->cycle, 33U);
  EXPECT_EQ(verdict.first->engine, acg::engines(program().machine)[0].name);
}

TEST(Comparison, IsDecidedPastWhatPipelinesHoldBack) {
  const acg::Program one = program();
  Comparison comparison(one, records());
  RetireRecord further = records()[0];
  further.sequence = 10;
  comparison.add(further);
  for (int k = 0; k < 256; ++k) {
    EXPECT_FALSE(comparison.is_decided()) << k;
    comparison.add(further);
  }
  EXPECT_TRUE(comparison.is_decided());
}

TEST(Comparison, KnowsHowFarTheRtlHasCome) {
  const acg::Program one = program();
  Comparison comparison(one, records());
  EXPECT_EQ(comparison.last_retire(), 0U);
  comparison.add(records()[7]);
  EXPECT_EQ(comparison.last_retire(), 34U);
  comparison.add(records()[0]);
  EXPECT_EQ(comparison.last_retire(), 34U);
  EXPECT_EQ(comparison.compared(), 2U);
}

TEST(Comparison, TheFirstInTimeIsShownNotTheFirstToRetire) {
  auto rtl = records();
  rtl[18].issue -= 1;  // engine 0, sequence 9: parts in cycle 89
  rtl[11].digest = 0;  // engine 1, sequence 5: parts when it retires, in cycle 54
  std::swap(rtl[11], rtl[18]);
  const Verdict verdict = compare(rtl);
  EXPECT_EQ(verdict.differences, 2U);
  ASSERT_TRUE(verdict.first);
  EXPECT_EQ(verdict.first->cycle, 54U);
  EXPECT_EQ(verdict.first->engine, acg::engines(program().machine)[1].name);
}

TEST(Comparison, NeighboursOfBothSides) {
  auto rtl = records();
  rtl[8].retire += 2;  // engine 0, sequence 4
  const Verdict verdict = compare(rtl);
  ASSERT_TRUE(verdict.first);
  ASSERT_EQ(verdict.first->around_systemc.size(), 7U);
  ASSERT_EQ(verdict.first->around_rtl.size(), 7U);
  EXPECT_EQ(verdict.first->around_systemc.front().record.sequence, 1U);
  EXPECT_EQ(verdict.first->around_rtl.back().record.sequence, 7U);
  EXPECT_EQ(verdict.first->around_rtl[3].record.retire, verdict.first->around_systemc[3].record.retire + 2);
}

TEST(Comparison, MissingAndAdditionalRecords) {
  auto rtl = records();
  rtl.resize(17);
  Verdict verdict = compare(rtl);
  EXPECT_EQ(verdict.differences, 3U);
  ASSERT_TRUE(verdict.first);
  EXPECT_EQ(verdict.first->kind, DifferenceKind::kMissing);
  EXPECT_EQ(verdict.first->fields[0].rtl, "never");
  EXPECT_EQ(verdict.first->cycle, 84U);
  EXPECT_EQ(compare(rtl, 84).differences, 0U) << "what happens from there on is not asked for";

  rtl = records();
  rtl.push_back(rtl[3]);  // once more
  RetireRecord further = rtl[18];
  further.sequence = 10;
  rtl.push_back(further);
  verdict = compare(rtl);
  EXPECT_EQ(verdict.differences, 2U);
  ASSERT_TRUE(verdict.first);
  EXPECT_EQ(verdict.first->fields[0].systemc, "never");
}

}  // namespace
}  // namespace covenant::runtime
