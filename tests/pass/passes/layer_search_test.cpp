#include "compiler/schedule/layer_search.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "compiler/codelet/print.h"
#include "compiler/codelet/rewrite.h"
#include "compiler/schedule/orders.h"
#include "compiler/schedule/pinned.h"
#include "compiler/schedule/print.h"
#include "compiler/schedule/problem_key.h"
#include "tests/pass/passes/layers.h"
#include "tests/support/pipeline/searched.h"

namespace covenant::compiler::testing {
namespace {

using codelet::Codelet;

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

Codelet packed(const TestLayer& layer, const acg::Machine& machine) {
  const Result<std::vector<Stage>> stages = all_stages(layer, machine);
  if (!stages) throw std::runtime_error(render(stages.error()));
  return (*stages)[3].second;
}

/// The stream family's, counted: how many problems were asked about.
class CountedModel final : public CostModel {
 public:
  explicit CountedModel(const acg::Machine& machine) : CostModel(machine), model_(machine) {}
  std::unique_ptr<ProblemCosts> costs_of(const TileProblem& problem) const override {
    ++asked;
    return model_.costs_of(problem);
  }
  bool holds_two_parts() const override { return model_.holds_two_parts(); }
  Prediction simulate_parts(const TiledProblem& first, const TiledProblem& second,
                            const std::vector<bool>& kept) const override {
    return model_.simulate_parts(first, second, kept);
  }
  Status check_emittable(const Codelet& tiled) const override { return model_.check_emittable(tiled); }

  mutable int asked = 0;

 private:
  stream::StreamCostModel model_;
};

std::string text_of(const ScheduleSearch& search) {
  std::string text = std::to_string(search.valid) + " of " + std::to_string(search.candidates) + "\n";
  for (const Schedule& schedule : search.simulated) {
    ScheduleSearch one = search;
    one.simulated = {schedule};
    text += print_schedules("", {schedule_of(one)});
  }
  return text;
}

/// The same codelet under another name, with other numbers in its computes.
Codelet renamed(const Codelet& codelet) {
  Codelet result = codelet;
  result.name = "another";
  for_each_operation(result.body, [](codelet::Operation& operation) {
    auto* compute = std::get_if<codelet::Compute>(&operation.op);
    if (compute == nullptr) return;
    for (auto& operand : compute->operands) {
      if (auto* constant = std::get_if<codelet::Constant>(&operand)) constant->integer += 1;
    }
  });
  return result;
}

TEST(LayerSearch, SearchesEqualLayersOnce) {
  const acg::Machine machine = genesys(sizes(8, 4, 24));
  for (const TestLayer& layer : {gemm_layer(2, 200, 10, DType::kI8), conv_layer({.ih = 9, .oc = 12}, DType::kU8),
                                 clip_layer(23, 12, DType::kU8)}) {
    const CountedModel model(machine);
    LayerSearch search(model);
    const Codelet first = packed(layer, machine);
    const Codelet second = renamed(first);
    const Result<ScheduleSearch> found = search.search(first);
    ASSERT_TRUE(found);
    const int asked = model.asked;
    EXPECT_GT(asked, 0);
    const Result<ScheduleSearch> again = search.search(second);
    ASSERT_TRUE(again);
    EXPECT_EQ(model.asked, asked) << "an equal layer was searched again";
    EXPECT_EQ(again->problem.name, "another");
    const Result<ScheduleSearch> alone = test::schedules(second, machine);
    ASSERT_TRUE(alone);
    EXPECT_EQ(text_of(*again), text_of(*alone));
    // Written down, the layer has numbers of its own.
    EXPECT_EQ(print(test::tile_as(second, machine, *again)), print(test::tile_as(second, machine, *alone)));
    EXPECT_TRUE(search.search(packed(gemm_layer(3, 200, 10, DType::kI8), machine)));
    EXPECT_GT(model.asked, asked) << "another layer was not searched";
  }
}

TEST(LayerSearch, TellsWhyEqualLayersCannotBeDone) {
  const Codelet pool = packed(global_average_pool_layer(1, 16, 16, 8, DType::kU8), genesys({}));
  const acg::Machine small = genesys({{"vector_depth", 1}});
  const stream::StreamCostModel model(small);
  LayerSearch search(model);
  const Result<ScheduleSearch> first = search.search(pool);
  const Result<ScheduleSearch> second = search.search(renamed(pool));
  ASSERT_FALSE(first);
  ASSERT_FALSE(second);
  EXPECT_EQ(first.error().code, second.error().code);
  EXPECT_EQ(first.error().message, second.error().message);
  EXPECT_EQ(first.error().subject, pool.name);
  EXPECT_EQ(second.error().subject, "another");
}

TEST(LayerSearch, FindsTheSameOnAnyNumberOfThreads) {
  const acg::Machine machine = genesys(sizes(8, 4, 24));
  Random random(3);
  std::vector<Codelet> layers;
  for (int i = 0; i < 12; ++i) {
    const Result<std::vector<Stage>> stages = all_stages(random_layer(random), machine);
    if (stages) layers.push_back((*stages)[3].second);
  }
  layers.push_back(packed(gemm_layer(2, 200, 10, DType::kI8), machine));
  ASSERT_GT(layers.size(), 5U);
  const stream::StreamCostModel model(machine);
  LayerSearch one(model, {.remainders = true}, 1);
  LayerSearch four(model, {.remainders = true}, 4);
  one.search_all(layers);
  four.search_all(layers);
  for (const Codelet& layer : layers) {
    const Result<ScheduleSearch> of_one = one.search(layer);
    const Result<ScheduleSearch> of_four = four.search(layer);
    ASSERT_TRUE(of_one && of_four);
    EXPECT_EQ(text_of(*of_one), text_of(*of_four));
    EXPECT_EQ(text_of(*of_one), text_of(*test::schedules(layer, machine)));
  }
}

/// Among all permutations of the loops with several tiles, the first one with the best sum.
std::vector<size_t> best_of_all(const ProblemCosts& costs, const TileProblem& problem, const Tiling& tiling) {
  std::vector<size_t> places;
  for (size_t i = 0; i < problem.shared; ++i) {
    if (problem.loops[i].tiles(tiling[i]) > 1) places.push_back(i);
  }
  std::vector<size_t> loops = places;
  std::vector<size_t> best;
  do {
    std::vector<size_t> order(problem.shared);
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    for (size_t i = 0; i < places.size(); ++i) order[places[i]] = loops[i];
    EXPECT_GE(costs.sum(order), costs.least_sum());
    if (best.empty() || costs.sum(order) < costs.sum(best)) best = order;
  } while (std::next_permutation(loops.begin(), loops.end()));
  return best;
}

TEST(LoopOrders, HaveTheBestOfAllPermutations) {
  const acg::Machine machine = genesys(sizes(4, 4, 32));
  Random random(11);
  uint64_t all = 0;
  uint64_t kept = 0;
  for (int i = 0; i < 60; ++i) {
    SCOPED_TRACE("seed 11, layer " + std::to_string(i));
    const Result<std::vector<Stage>> stages = all_stages(random_layer(random), machine);
    if (!stages) continue;
    const Result<TileProblem> problem = tile_problem((*stages)[3].second, machine, 0);
    ASSERT_TRUE(problem);
    const stream::StreamCostModel model(machine);
    const std::unique_ptr<ProblemCosts> costs = model.costs_of(*problem);
    LoopOrders orders(*problem);
    for (const Tiling& tiling : test::valid_tilings(*problem, machine, {.max_candidates = 300}).valid) {
      costs->select(tiling);
      std::vector<size_t> best;
      for (const std::vector<size_t>& order : orders.of(tiling)) {
        ++kept;
        if (best.empty() || costs->sum(order) < costs->sum(best)) best = order;
      }
      EXPECT_EQ(best, best_of_all(*costs, *problem, tiling));
      uint64_t permutations = 1;
      uint64_t turning = 0;
      for (size_t loop = 0; loop < problem->shared; ++loop) {
        if (problem->loops[loop].tiles(tiling[loop]) > 1) permutations *= ++turning;
      }
      all += permutations;
    }
  }
  EXPECT_LT(kept, all);
}

TEST(LoopOrders, KeepTheOrderOfLoopsThatWriteOverOneAnother) {
  TileProblem problem;
  for (const char* variable : {"a", "b", "c"}) problem.loops.push_back({.variable = variable, .trips = 4});
  problem.shared = 3;
  TileBuffer one, other;
  one.loops = {0};
  other.loops = {1};
  problem.buffers = {one, other};
  const auto turns_around = [](const std::vector<size_t>& order, size_t outer, size_t inner) {
    return std::ranges::find(order, outer) < std::ranges::find(order, inner);
  };
  const auto orders = LoopOrders(problem).of({1, 1, 1});
  EXPECT_TRUE(std::ranges::any_of(orders, [&](const auto& order) { return turns_around(order, 1, 0); }));
  problem.loops[0].in_order = problem.loops[1].in_order = true;
  const auto kept = LoopOrders(problem).of({1, 1, 1});
  EXPECT_FALSE(kept.empty());
  EXPECT_TRUE(std::ranges::all_of(kept, [&](const auto& order) { return turns_around(order, 0, 1); }));
}

/// Whatever the cost model reads of a problem is part of its key.
TEST(ProblemKey, TellsProblemsApart) {
  const acg::Machine machine = genesys({});
  const Result<TileProblem> read = tile_problem(packed(conv_layer({}, DType::kU8), machine), machine, 0);
  ASSERT_TRUE(read);
  const TileProblem& problem = *read;
  const std::string key = problem_key(problem, {}, {});
  const auto changed = [&](const auto& change) {
    TileProblem other = problem;
    change(other);
    return problem_key(other, {}, {}) != key;
  };
  EXPECT_FALSE(changed([](TileProblem& p) { p.name = "another"; }));
  EXPECT_FALSE(changed([](TileProblem& p) { p.nests[0].where = {"file", 1, 1}; }));
  EXPECT_TRUE(changed([](TileProblem& p) { ++p.shared; }));
  EXPECT_TRUE(changed([](TileProblem& p) { ++p.loops[0].trips; }));
  EXPECT_TRUE(changed([](TileProblem& p) { ++p.loops[0].first; }));
  EXPECT_TRUE(changed([](TileProblem& p) { p.loops[0].splittable = !p.loops[0].splittable; }));
  EXPECT_TRUE(changed([](TileProblem& p) { p.loops[0].may_overhang = !p.loops[0].may_overhang; }));
  EXPECT_TRUE(changed([](TileProblem& p) { p.nests[0].compute.location = "SIMD2"; }));
  EXPECT_TRUE(changed([](TileProblem& p) { p.nests[0].compute.capability = "MUL"; }));
  EXPECT_TRUE(changed([](TileProblem& p) { p.nests[0].loops.pop_back(); }));
  EXPECT_TRUE(changed([](TileProblem& p) { ++p.nests[0].destination; }));
  EXPECT_TRUE(changed([](TileProblem& p) { p.buffers[0].role = TileRole::kIntermediate; }));
  EXPECT_TRUE(changed([](TileProblem& p) { p.buffers[0].dtype = DType::kI32; }));
  EXPECT_TRUE(changed([](TileProblem& p) { ++p.buffers[0].memories[0].value; }));
  EXPECT_TRUE(changed([](TileProblem& p) { ++p.buffers[0].vector_shape[0]; }));
  EXPECT_TRUE(changed([](TileProblem& p) { ++p.buffers[0].extents[0].base; }));
  EXPECT_TRUE(changed([](TileProblem& p) { p.buffers[0].extents[1].factors.clear(); }));
  EXPECT_TRUE(changed([](TileProblem& p) { ++p.buffers[0].tensor_shape[0]; }));
  EXPECT_TRUE(changed([](TileProblem& p) { ++p.buffers[0].tensor_strides[0]; }));
  EXPECT_TRUE(changed([](TileProblem& p) { ++p.buffers[0].first[0]; }));
  EXPECT_NE(problem_key(problem, {problem}, {}), key);
  EXPECT_NE(problem_key(problem, {}, {Tiling(problem.loops.size(), 1), {}}), key);
  EXPECT_NE(problem_key(problem, {}, {{}, {1, 0}}), key);
}

}  // namespace
}  // namespace covenant::compiler::testing
