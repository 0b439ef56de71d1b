/// Searches: what strategies find and prove, what they count, and where they stop.
#include "compiler/embedding/scalar/portfolio.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

#include "acg/base/check.h"
#include "compiler/embedding/scalar/verify.h"
#include "tests/support/embedding_scalar/workloads.h"

namespace covenant::compiler::embedding::scalar {
namespace {

Problem convolution_problem(const ScalarRules& rules = {}) {
  return problem_of(test::row_convolution(4, 3, 4, 3, 1), test::matrices(1, 2, 2), rules);
}

TEST(Assets, TheirNumberIsThatOfEquation12) {
  Workload workload = test::row_convolution(4, 3, 4, 3, 1);  // two spatial axes, two that are summed over
  const AxisOrder order = plain_order(workload);
  EXPECT_EQ(assets_of(workload, test::matrices(1, 2, 2), order).size(), 2U * 2U);
  EXPECT_EQ(assets_of(workload, test::matrices(2, 2, 2), order).size(), 2U * 2U) << "2! / 0! * 2! / 1!";
  EXPECT_EQ(assets_of(workload, test::pairs(4, 1), order).size(), 2U) << "sums over one element need no order";
  workload.axes.insert(workload.axes.begin(), {{"n", 1, false}, {"p", 5, false}});
  EXPECT_EQ(assets_of(workload, test::matrices(2, 2, 2), plain_order(workload)).size(), 12U * 2U);
}

TEST(Assets, ChosenAxesAreFastest) {
  const Workload workload = test::row_convolution(4, 3, 4, 3, 1);
  const std::vector<AxisOrder> assets = assets_of(workload, test::matrices(1, 2, 2), {1, 0, 3, 2});
  EXPECT_EQ(assets, (std::vector<AxisOrder>{{1, 3, 2, 0}, {1, 2, 3, 0}, {0, 3, 2, 1}, {0, 2, 3, 1}}));
}

TEST(Strategies, AllFindAnEmbedding) {
  const Problem problem = convolution_problem();
  for (const Strategy strategy : kStrategies) {
    const ScalarSearch search = search_scalars(problem, strategy, plain_order(problem.workload));
    ASSERT_TRUE(search.solution) << name_of(strategy);
    EXPECT_EQ(search.stop, Stop::kSolution);
    EXPECT_FALSE(search.is_complete);
    // Two channels of the output by two of the input, at the origin.
    EXPECT_EQ(search.solution->operations,
              (std::vector<Tuple>{{0, 0, 0, 0}, {0, 0, 1, 0}, {1, 0, 0, 0}, {1, 0, 1, 0}}));
  }
}

TEST(Strategies, AProofThatThereIsNoneNeedsWholeDomains) {
  // Channels of the input are too few, and taps are a stencil.
  const Problem problem = problem_of(test::row_convolution(4, 3, 1, 3, 1), test::matrices(1, 2, 2), {});
  for (const Strategy strategy : kStrategies) {
    const ScalarSearch search = search_scalars(problem, strategy, plain_order(problem.workload));
    EXPECT_FALSE(search.solution);
    EXPECT_EQ(search.stop, Stop::kExhausted);
    const bool is_cut = strategy == Strategy::kBounds || strategy == Strategy::kAssetsAndBounds;
    EXPECT_EQ(search.is_complete, !is_cut) << name_of(strategy);
  }
}

TEST(Strategies, BoundsThatCutNothingProveToo) {
  const Problem problem = problem_of(test::product(2, 2, 1), test::matrices(1, 2, 2), {});
  EXPECT_TRUE(search_scalars(problem, Strategy::kBounds, plain_order(problem.workload)).is_complete);
}

TEST(Strategies, BoundsLoseSolutionsOutside) {
  // Without fixed origins and beyond the bound: domains are those of Equation 11.
  const Problem cut = bounded(convolution_problem(), 2);
  EXPECT_EQ(cut.instances, box_of({2, 2, 2, 2}));
  EXPECT_EQ(cut.output, box_of({2, 2}));
  EXPECT_EQ(cut.inputs, (std::vector<Box>{box_of({2, 2}), box_of({2, 2, 2})}));
  const Problem strided = bounded(problem_of(test::row_convolution(4, 9, 4, 3, 2), test::matrices(1, 2, 2), {}), 2);
  EXPECT_EQ(strided.inputs.front(), box_of({2, 4})) << "times the stride";
}

TEST(Budgets, AreNodes) {
  const Problem problem = convolution_problem();
  const AxisOrder order = plain_order(problem.workload);
  const ScalarSearch whole = search_scalars(problem, Strategy::kNone, order);
  ASSERT_GT(whole.effort.nodes, 2U);
  const ScalarSearch cut = search_scalars(problem, Strategy::kNone, order, {.most_nodes = whole.effort.nodes - 1});
  EXPECT_EQ(cut.stop, Stop::kNodes);
  EXPECT_FALSE(cut.solution);
  EXPECT_FALSE(cut.is_complete);
  EXPECT_EQ(cut.effort.nodes, whole.effort.nodes - 1);
  EXPECT_EQ(search_scalars(problem, Strategy::kNone, order, {.most_nodes = whole.effort.nodes}).effort, whole.effort);
  const ScalarSearch assets = search_scalars(problem, Strategy::kAssets, order, {.most_nodes = 3});
  EXPECT_EQ(assets.effort.nodes, 3U);
  EXPECT_EQ(assets.stop, Stop::kNodes);
  EXPECT_EQ(assets.assets, 4U);
}

TEST(Budgets, AllSolutionsSayWhetherTheyAre) {
  const Problem problem = convolution_problem({.has_fixed_origin = false});
  const AllSolutions all = all_solutions(problem);
  EXPECT_TRUE(all.is_complete);
  const AllSolutions some = all_solutions(problem, all.effort.nodes / 2);
  EXPECT_FALSE(some.is_complete);
  EXPECT_LT(some.solutions.size(), all.solutions.size());
  EXPECT_TRUE(std::ranges::includes(all.solutions, some.solutions));
}

TEST(Budgets, SlicesOfNodesMakeTheSameStepsInOtherTurns) {
  const Problem problem = convolution_problem();
  const AxisOrder order = plain_order(problem.workload);
  const ScalarSearch one = search_scalars(problem, Strategy::kAssets, order, {.slice = 1});
  const ScalarSearch many = search_scalars(problem, Strategy::kAssets, order, {.slice = 1000});
  ASSERT_TRUE(one.solution && many.solution);
  EXPECT_NE(one.effort.nodes, many.effort.nodes);
  EXPECT_EQ(one.solution->operations, many.solution->operations);
}

TEST(Search, GoesOnWhereItStopped) {
  const Problem problem = convolution_problem({.has_fixed_origin = false});
  Search whole(problem, plain_order(problem.workload));
  Search sliced(problem, plain_order(problem.workload));
  const auto next = [](Search& search, uint64_t nodes) {
    SearchState state = SearchState::kOpen;
    while (state == SearchState::kOpen) state = search.run(nodes);
    return state;
  };
  while (true) {
    const SearchState state = next(whole, 1'000'000);
    ASSERT_EQ(next(sliced, 1), state);
    EXPECT_EQ(whole.effort(), sliced.effort());
    if (state == SearchState::kExhausted) break;
    EXPECT_EQ(whole.solution(), sliced.solution());
  }
  EXPECT_EQ(whole.run(1), SearchState::kExhausted);
}

TEST(Search, SumsOfElementsAndOfInstancesHaveTheSameSolutions) {
  const Workload workload = test::row_convolution(2, 2, 2, 2, 1);
  const Instruction instruction = test::matrices(1, 2, 2);
  const AllSolutions elements = all_solutions(problem_of(workload, instruction, {}, SumDomain::kElements));
  const AllSolutions both = all_solutions(problem_of(workload, instruction, {}, SumDomain::kInstances));
  EXPECT_TRUE(elements.is_complete && both.is_complete);
  EXPECT_EQ(elements.solutions, both.solutions);
  EXPECT_LT(elements.effort.nodes, both.effort.nodes);
}

TEST(Search, ExtentsBeyond31Bits) {
  const int64_t far = int64_t{1} << 40;
  const Problem problem = problem_of(test::product(far, 64, 1024), test::matrices(1, 4, 4), {});
  const ScalarSearch search = search_scalars(problem, Strategy::kNone, plain_order(problem.workload));
  ASSERT_TRUE(search.solution);
  EXPECT_EQ(search.solution->operations.back(), (Tuple{0, 3, 3}));
}

TEST(Verify, FindsWhatIsNoSolution) {
  const Problem problem = convolution_problem();
  const Solution right = *search_scalars(problem, Strategy::kNone, plain_order(problem.workload)).solution;
  EXPECT_NO_THROW(verify(problem, right));
  Solution wrong = right;
  wrong.operations[1] = wrong.operations[0];
  EXPECT_THROW(verify(problem, wrong), InternalError);
  wrong = right;
  wrong.operations[3][3] = 1;
  EXPECT_THROW(verify(problem, wrong), InternalError);
  wrong = right;
  std::ranges::swap(wrong.output[0], wrong.output[1]);
  EXPECT_THROW(verify(problem, wrong), InternalError);
}

TEST(Names, OfStrategiesAreThePapers) {
  for (const Strategy strategy : kStrategies) EXPECT_EQ(strategy_named(name_of(strategy)), strategy);
  EXPECT_EQ(strategy_named("C"), std::nullopt);
}

}  // namespace
}  // namespace covenant::compiler::embedding::scalar
