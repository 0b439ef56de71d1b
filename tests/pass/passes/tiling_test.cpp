#include "compiler/passes/tiling.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "acg/graph/queries.h"
#include "tests/pass/passes/layers.h"

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
    for (const auto& [memory, size] : bytes_in) fits = fits && size <= machine.memories[memory].half_bytes();
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
    TilingSearch search = valid_tilings(problem, machine, {});
    EXPECT_EQ(search.stop, StopReason::kComplete);
    std::sort(search.valid.begin(), search.valid.end());
    EXPECT_FALSE(search.valid.empty());
    EXPECT_EQ(search.valid, all_that_fit(problem, machine));
  }
}

TEST(ValidTilings, TheChosenOneCostsLeast) {
  const acg::Machine machine = genesys({{"input_depth", 32}, {"weight_depth", 18}, {"output_depth", 8}});
  const TileProblem problem = problem_of(conv_layer({.ih = 8, .iw = 8, .ic = 32, .oc = 64}, DType::kU8), machine);
  const Result<Tiling> chosen = choose_tiling(problem, machine, {});
  ASSERT_TRUE(chosen);
  const OffchipCost cost = offchip_cost(problem, machine, *chosen, {});
  for (const Tiling& other : valid_tilings(problem, machine, {}).valid) {
    EXPECT_LE(cost.beats, offchip_cost(problem, machine, other, {}).beats);
  }
}

TEST(ValidTilings, AnUntiledLayerMovesEveryByteOnce) {
  const acg::Machine machine = genesys({});
  const TileProblem problem = problem_of(
      conv_layer({.ih = 8, .iw = 8, .ic = 16, .oc = 16, .pt = 0, .pl = 0, .pb = 0, .pr = 0}, DType::kU8), machine);
  const Result<Tiling> chosen = choose_tiling(problem, machine, {});
  ASSERT_TRUE(chosen);
  EXPECT_EQ(offchip_cost(problem, machine, *chosen, {}).bytes, 8U * 8 * 16 + 9 * 256 + 16 * 4 + 16 * 4 + 6 * 6 * 16);
}

TEST(ValidTilings, TheSearchIsBounded) {
  const acg::Machine machine = genesys({});
  const TileProblem problem = problem_of(conv_layer({.ih = 8, .iw = 8, .ic = 32, .oc = 64}, DType::kU8), machine);
  const TilingSearch search = valid_tilings(problem, machine, {.max_candidates = 10});
  EXPECT_EQ(search.stop, StopReason::kCandidateLimit);
  EXPECT_EQ(search.candidates, 10U);
}

}  // namespace
}  // namespace covenant::compiler::testing
