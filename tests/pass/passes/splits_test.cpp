// A loop of a layer split in two: when the cost model chooses it, the result, and that the layer means the same.
#include "compiler/schedule/splits.h"

#include <gtest/gtest.h>

#include "compiler/codelet/parse.h"
#include "compiler/families/stream/double_buffer.h"
#include "compiler/families/stream/live_ranges.h"
#include "tests/pass/passes/layers.h"
#include "tests/support/pipeline/searched.h"

namespace covenant::compiler::testing {
namespace {

std::vector<std::pair<std::string, int64_t>> sizes(int64_t rows, int64_t columns, int64_t depth) {
  return {{"M", rows},
          {"N", columns},
          {"axi", 32},
          {"input_depth", depth},
          {"weight_depth", depth},
          {"bias_depth", depth},
          {"output_depth", depth},
          {"vector_depth", depth}};
}

/// Three chunks of outputs, of which two fit the weight memory at a time.
TestLayer three_chunks() { return gemm_layer(2, 200, 10, DType::kI8); }

acg::Machine for_two_chunks(int64_t instruction_depth) {
  return genesys({{"M", 8},
                  {"N", 4},
                  {"input_depth", 24},
                  {"weight_depth", 12},
                  {"bias_depth", 2},
                  {"output_depth", 16},
                  {"vector_depth", 6},
                  {"instruction_depth", instruction_depth}});
}

Result<ScheduleSearch> search_of(const TestLayer& layer, const acg::Machine& machine, const TilingLimits& limits) {
  const Result<std::vector<Stage>> stages = all_stages(layer, machine, limits);
  if (!stages) return stages.error();
  return test::schedules((*stages)[3].second, machine, limits);
}

TEST(Parts, AreRangesOfOneLoop) {
  const acg::Machine machine = for_two_chunks(1024);
  const Result<ScheduleSearch> search = search_of(three_chunks(), machine, {.remainders = true});
  ASSERT_TRUE(search);
  const Schedule& best = search->simulated.front();
  ASSERT_TRUE(best.split);
  EXPECT_EQ(search->problem.loops[best.split->loop].variable, "o");
  EXPECT_EQ(best.split->at, 2);
  const std::vector<Part> parts = parts_of(search->problem, best);
  ASSERT_EQ(parts.size(), 2U);
  for (size_t i = 0; i < 2; ++i) {
    const TileProblem& part = parts[i].problem;
    ASSERT_EQ(part.loops.size(), search->problem.loops.size());
    for (size_t loop = 0; loop < part.loops.size(); ++loop) {
      if (part.loops[loop].variable != "o") continue;
      EXPECT_EQ(part.loops[loop].first, i == 0 ? 0 : 2);
      EXPECT_EQ(part.loops[loop].trips, i == 0 ? 2 : 1);
    }
    for (const TileBuffer& buffer : part.buffers) {
      if (buffer.reference.surrogate != "y") continue;
      EXPECT_EQ(buffer.first.at(1), i == 0 ? 0 : 8) << "chunks of four columns";
    }
  }
}

TEST(Parts, AreNoneWhereTheyCannotWin) {
  const TilingLimits limits{.remainders = true};
  const auto has_split = [&](const TestLayer& layer, const acg::Machine& machine, const TilingLimits& with) {
    const Result<ScheduleSearch> search = search_of(layer, machine, with);
    EXPECT_TRUE(search);
    return search->simulated.front().split.has_value();
  };
  EXPECT_TRUE(has_split(three_chunks(), for_two_chunks(1024), limits));
  EXPECT_FALSE(has_split(three_chunks(), for_two_chunks(1024), {})) << "only exact tiles are asked for";
  EXPECT_FALSE(has_split(three_chunks(), for_two_chunks(192), limits)) << "the words of two parts might not fit";
  TilingLimits none = limits;
  none.max_split_candidates = 0;
  EXPECT_FALSE(has_split(three_chunks(), for_two_chunks(1024), none)) << "no candidate may be looked at";
  EXPECT_FALSE(has_split(gemm_layer(2, 200, 8, DType::kI8), for_two_chunks(1024), limits)) << "two chunks fit at once";
}

TEST(Parts, OfALayerCountTheirCandidates) {
  const acg::Machine machine = for_two_chunks(1024);
  TilingLimits few{.remainders = true};
  few.max_split_candidates = 3;
  const Result<ScheduleSearch> bounded = search_of(three_chunks(), machine, few);
  const Result<ScheduleSearch> all = search_of(three_chunks(), machine, {.remainders = true});
  ASSERT_TRUE(bounded && all);
  EXPECT_EQ(bounded->stop, StopReason::kCandidateLimit);
  EXPECT_EQ(all->stop, StopReason::kComplete);
  EXPECT_LT(bounded->candidates, all->candidates);
}

/// A buffer that no loop moves is loaded by the first part, for both.
TEST(Parts, KeepWhatDoesNotMove) {
  Random random(5);
  int kept = 0;
  for (int64_t size = 5; size < 30; ++size) {
    const acg::Machine machine = genesys(sizes(4, 4, 24));
    const TestLayer layer = conv_layer({.ih = size, .iw = 3, .ic = 4, .oc = 4, .kw = 1, .pl = 0, .pr = 0}, DType::kU8);
    const Result<std::vector<Stage>> stages = all_stages(layer, machine);
    ASSERT_TRUE(stages) << render(stages.error());
    const Result<ScheduleSearch> search = test::schedules((*stages)[3].second, machine);
    ASSERT_TRUE(search);
    if (!search->simulated.front().split) continue;
    const std::vector<bool> buffers = kept_buffers(search->problem, search->simulated.front());
    for (size_t i = 0; i < buffers.size(); ++i) {
      if (!buffers[i]) continue;
      ++kept;
      const std::string& tensor = search->problem.buffers[i].reference.surrogate;
      int loads = 0;
      for (const codelet::Operation& operation : stages->back().second.body) {
        const auto* transfer = std::get_if<codelet::Transfer>(&operation.op);
        const auto* source = transfer == nullptr ? nullptr : std::get_if<codelet::Reference>(&transfer->source);
        loads += source != nullptr && source->surrogate == tensor ? 1 : 0;
      }
      EXPECT_EQ(loads, 1) << tensor;
    }
    expect_same_meaning(*stages, machine, random);
    expect_scheduled_form(stages->back().second, machine);
  }
  EXPECT_GT(kept, 0);
}

TEST(Parts, OfRandomLayersMeanTheSame) {
  Random random(7);
  int splits = 0;
  for (int i = 0; i < 250; ++i) {
    SCOPED_TRACE("seed 7, layer " + std::to_string(i));
    const acg::Machine machine = genesys(sizes(3 + i % 5, 2 + i % 4, 16 + 8 * (i % 7)));
    const TestLayer layer = random_layer(random);
    const Result<std::vector<Stage>> stages = all_stages(layer, machine);
    if (!stages) continue;  // tiles that fit no memory; other tests look at these
    const Result<ScheduleSearch> search = test::schedules((*stages)[3].second, machine);
    ASSERT_TRUE(search);
    if (!search->simulated.front().split) continue;
    ++splits;
    expect_same_meaning(*stages, machine, random);
    expect_scheduled_form(stages->back().second, machine);
  }
  EXPECT_GE(splits, 20);
}

/// A local is alive to the end of the loop that uses it, if it was made outside of that loop.
TEST(LiveRanges, ReachToTheEndOfALoop) {
  const Result<codelet::Codelet> codelet = codelet::parse(R"(cdlt c {
    x=inp([8],i8,"DRAM");
    y=out([8],i8,"DRAM");
    a=transfer(x[0],"A",[4]);
    loop i(2) {
      b=transfer(x[i],"A",[4]);
      transfer(a,y[i],[4]);
      transfer(b,y[i],[4]);
      c=transfer(x[i],"A",[4]);
      transfer(c,y[i],[4]);
    }
    d=transfer(x[4],"A",[4]);
    transfer(d,y[4],[4]);
  })",
                                                          "c");
  ASSERT_TRUE(codelet) << render(codelet.error());
  const std::map<std::string, stream::LiveRange> lives = stream::live_ranges(*codelet);
  EXPECT_TRUE(lives.at("b").is_before(lives.at("c")));
  EXPECT_FALSE(lives.at("a").is_before(lives.at("c"))) << "the next iteration reads it again";
  EXPECT_TRUE(lives.at("a").is_before(lives.at("d")));
  EXPECT_EQ(lives.at("a").filler, "DRAM->A");
  EXPECT_EQ(lives.at("a").emptier, "A->DRAM");
}

}  // namespace
}  // namespace covenant::compiler::testing
