#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <set>

#include "acg/graph/queries.h"
#include "compiler/schedule/pinned.h"
#include "compiler/schedule/search.h"
#include "tests/pass/passes/layers.h"
#include "tests/support/pipeline/searched.h"

namespace covenant::compiler::testing {
namespace {

TileProblem problem_of(const TestLayer& layer, const acg::Machine& machine) {
  const Result<std::vector<Stage>> stages = all_stages(layer, machine);
  if (!stages) throw std::runtime_error(render(stages.error()));
  const Result<TileProblem> problem = tile_problem((*stages)[3].second, machine, 0);
  if (!problem) throw std::runtime_error(render(problem.error()));
  return *problem;
}

/// Algorithm 1 once more, by brute force: every combination of tile sizes, factors or not.
std::vector<Tiling> all_that_fit(const TileProblem& problem, const acg::Machine& machine) {
  std::vector<Tiling> fitting;
  Tiling tiling(problem.loops.size(), 1);
  for (;;) {
    bool fits = true;
    std::map<uint32_t, uint64_t> bytes_in;
    for (size_t i = 0; i < tiling.size(); ++i) {
      fits = fits && problem.loops[i].trips % tiling[i] == 0 &&
             (problem.loops[i].splittable || tiling[i] == problem.loops[i].trips);
    }
    for (const TileBuffer& buffer : problem.buffers) {
      uint64_t size = bytes(buffer.dtype);
      for (const Extent& extent : buffer.extents) size *= static_cast<uint64_t>(extent.evaluate(tiling));
      for (const acg::MemoryId memory : buffer.memories) bytes_in[memory.value] += size;
    }
    for (const auto& [memory, size] : bytes_in) fits = fits && size <= machine.memories[memory].buffer_bytes();
    if (fits) fitting.push_back(tiling);
    size_t i = 0;
    while (i < tiling.size() && tiling[i] == problem.loops[i].trips) tiling[i++] = 1;
    if (i == tiling.size()) break;
    ++tiling[i];
  }
  std::sort(fitting.begin(), fitting.end());
  return fitting;
}

TEST(ValidTilings, AreAllFactorsThatFit) {
  const acg::Machine machine = genesys({{"M", 4},
                                        {"N", 4},
                                        {"input_depth", 20},
                                        {"weight_depth", 12},
                                        {"bias_depth", 1},
                                        {"output_depth", 6},
                                        {"vector_depth", 4}});
  for (const TestLayer& layer :
       {conv_layer({.ih = 4, .iw = 6, .ic = 8, .oc = 8}, DType::kU8),
        max_pool_layer({.ih = 4, .iw = 4, .ic = 8, .kh = 2, .kw = 2, .pt = 0, .pl = 0}, DType::kU8),
        add_layer(12, 12, DType::kI8), gemm_layer(4, 24, 12, DType::kI8)}) {
    SCOPED_TRACE(layer.codelet);
    const TileProblem problem = problem_of(layer, machine);
    test::ValidTilings search = test::valid_tilings(problem, machine, {});
    EXPECT_EQ(search.stop, StopReason::kComplete);
    std::sort(search.valid.begin(), search.valid.end());
    EXPECT_FALSE(search.valid.empty());
    EXPECT_EQ(search.valid, all_that_fit(problem, machine));
  }
}

/// Sums along the middle of three dimensions, or maxima.
TestLayer along(const char* codelet, int64_t length) {
  TestLayer result{codelet, {"along_layer", {}, {}}};
  result.layer.params = {{"P", int64_t{2}}, {"D", length}, {"L", int64_t{8}}};
  result.layer.dtypes = {{"x", DType::kU8}, {"y", DType::kU8}};
  if (std::string_view(codelet) == "reduce_max") return result;
  result.layer.params["TABLE"] = codelet::Constant{DType::kF32, 0, 0, std::vector<uint8_t>(1024)};
  result.layer.dtypes = {{"x", DType::kU8}, {"m", DType::kU8}, {"s", DType::kF32}};
  return result;
}

/// A sum of f32 depends on the order of its parts, a maximum does not.
TEST(ValidTilings, KeepSumsOfF32Whole) {
  const acg::Machine machine = genesys({{"M", 4}, {"N", 4}});
  const auto split_reductions = [&](const TestLayer& layer) {
    const Result<std::vector<Stage>> stages = all_stages(layer, machine);
    if (!stages) throw std::runtime_error(render(stages.error()));
    const Result<TileProblem> problem = tile_problem((*stages)[3].second, machine, 0, SplitReductions::kAll);
    if (!problem) throw std::runtime_error(render(problem.error()));
    return std::ranges::count_if(problem->loops, [](const TileLoop& loop) {
      return loop.splittable && (loop.variable == "d" || loop.variable == "f");
    });
  };
  EXPECT_EQ(split_reductions(along("reduce_max", 40)), 1);
  EXPECT_EQ(split_reductions(along("softmax_sum", 40)), 0);
}

/// The same by brute force with remainders: sizes of which `n` cover the loop with at most an eighth to spare.
TEST(ValidTilings, RemaindersAddTheSmallestSizesThatCover) {
  const acg::Machine machine = genesys({{"M", 4}, {"N", 4}});
  const TileProblem problem =
      problem_of(conv_layer({.ih = 23, .iw = 4, .ic = 4, .oc = 4, .kh = 1, .kw = 1, .pt = 0, .pl = 0, .pb = 0, .pr = 0},
                            DType::kU8),
                 machine);
  std::set<int64_t> sizes;
  for (const Tiling& tiling : test::valid_tilings(problem, machine, {.remainders = true}).valid)
    sizes.insert(tiling[2]);
  EXPECT_EQ(problem.loops[2].variable, "oh");
  EXPECT_EQ(sizes, (std::set<int64_t>{1, 2, 3, 4, 5, 6, 8, 12, 23}));
}

/// Loops of the last dimension of a tensor never overhang: no transfer could tell where the row ends.
TEST(ValidTilings, ChannelsHaveNoRemainders) {
  const acg::Machine machine = genesys({{"M", 4}, {"N", 4}});
  const TileProblem problem = problem_of(gemm_layer(7, 28, 28, DType::kI8), machine);
  for (const TileLoop& loop : problem.loops) EXPECT_EQ(loop.may_overhang, loop.variable == "n") << loop.variable;
}

/// Twenty small layers: summing up first and simulating the best of them loses next to nothing against simulating
/// every tiling in every order.
TEST(SearchSchedules, IsNearTheBestOfAll) {
  const acg::Machine machine = genesys({{"M", 4},
                                        {"N", 4},
                                        {"axi", 32},
                                        {"input_depth", 48},
                                        {"weight_depth", 12},
                                        {"output_depth", 16},
                                        {"vector_depth", 32}});
  double logarithms = 0;
  int layers = 0;
  for (int64_t size = 4; size < 14; ++size) {
    for (const TestLayer& layer : {conv_layer({.ih = size, .iw = 9, .ic = 8, .oc = 4 * (1 + size % 3)}, DType::kU8),
                                   gemm_layer(3 * size, 8 * (size - 2), 12, DType::kI8)}) {
      const TileProblem problem = problem_of(layer, machine);
      const Result<ScheduleSearch> few = test::search_schedules(problem, machine, {.remainders = true});
      TilingLimits all{.remainders = true};
      all.max_simulated = all.max_candidates;
      const Result<ScheduleSearch> every = test::search_schedules(problem, machine, all);
      ASSERT_TRUE(few && every);
      EXPECT_EQ(every->simulated.size(), every->valid);
      EXPECT_TRUE(every->simulated.front().prediction.is_simulated);
      const auto cycles = [](const ScheduleSearch& s) {
        return static_cast<double>(s.simulated.front().prediction.cycles);
      };
      logarithms += std::log(cycles(*few) / cycles(*every));
      ++layers;
    }
  }
  EXPECT_EQ(layers, 20);
  EXPECT_LE(std::exp(logarithms / layers), 1.05);
}

TEST(TileCosts, AnUntiledLayerMovesEveryByteOnce) {
  const acg::Machine machine = genesys({});
  const TileProblem problem = problem_of(
      conv_layer({.ih = 8, .iw = 8, .ic = 16, .oc = 16, .pt = 0, .pl = 0, .pb = 0, .pr = 0}, DType::kU8), machine);
  Tiling whole;
  for (const TileLoop& loop : problem.loops) whole.push_back(loop.trips);
  const stream::StreamCostModel model(machine);
  const std::unique_ptr<ProblemCosts> costs = model.costs_of(problem);
  costs->select(whole);
  uint64_t bytes = 0;
  for (const EngineCost& engine : costs->simulate({0, 1, 2, 3}, 1000).engines) {
    const uint32_t index = acg::find_engine(acg::engines(machine), engine.name).value();
    if (acg::engines(machine).at(index).edge)
      bytes += engine.work * acg::beat_bytes(machine, acg::engines(machine).at(index));
  }
  EXPECT_EQ(bytes, 8U * 8 * 16 + 9 * 256 + 16 * 4 + 16 * 4 + 6 * 6 * 16);
}

TEST(ValidTilings, TheSearchIsBounded) {
  const acg::Machine machine = genesys({});
  const TileProblem problem = problem_of(conv_layer({.ih = 8, .iw = 8, .ic = 32, .oc = 64}, DType::kU8), machine);
  const test::ValidTilings search = test::valid_tilings(problem, machine, {.max_candidates = 10});
  EXPECT_EQ(search.stop, StopReason::kCandidateLimit);
  EXPECT_EQ(search.candidates, 10U);
  const Result<ScheduleSearch> best = test::search_schedules(problem, machine, {.max_candidates = 40});
  ASSERT_TRUE(best);
  EXPECT_EQ(best->stop, StopReason::kCandidateLimit);
  EXPECT_NE(schedule_of(*best).note.find("the best of the first 40 candidates"), std::string::npos);
}

}  // namespace
}  // namespace covenant::compiler::testing
