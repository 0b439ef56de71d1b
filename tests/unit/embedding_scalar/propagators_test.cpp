/// Propagators of edges, all-different, origins and linear access are tight: they remove exactly the values that their
/// constraint excludes, compared pair by pair.
#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <set>

#include "compiler/embedding/scalar/access.h"
#include "compiler/embedding/scalar/edges.h"
#include "compiler/embedding/scalar/propagate.h"
#include "tests/support/embedding_scalar/workloads.h"

namespace covenant::compiler::embedding::scalar {
namespace {

using test::values_of;
using Values = std::vector<std::set<Tuple>>;

Values values_of(const Problem& problem, const Store& store) {
  Values values;
  for (size_t variable = 0; variable < problem.graph.variables(); ++variable) {
    values.push_back(test::values_of(store.domain(variable)));
  }
  return values;
}

/// Whether a value of a variable goes with the value of the assigned one.
using Agrees = std::function<bool(size_t variable, const Tuple& value)>;

/// After `variable = value`, the propagator leaves of all other domains exactly what agrees; if that would be nothing
/// of one, it fails.
void expect_tight(const Problem& problem, size_t variable, const Tuple& value,
                  const std::function<bool(Store&)>& propagator, const Agrees& agrees) {
  Store store(problem);
  const Values before = values_of(problem, store);
  ASSERT_TRUE(store.assign(variable, value));
  Values expected = before;
  expected[variable] = {value};
  bool is_possible = true;
  for (size_t other = 0; other < expected.size(); ++other) {
    if (other == variable) continue;
    std::erase_if(expected[other], [&](const Tuple& one) { return !agrees(other, one); });
    is_possible = is_possible && !expected[other].empty();
  }
  ASSERT_EQ(propagator(store), is_possible);
  if (is_possible) {
    EXPECT_EQ(values_of(problem, store), expected);
  }
}

/// The element that a value of a sum or an input stands for.
Tuple element(const Problem& problem, size_t variable, const Tuple& value) {
  return problem.graph.sums.contains(variable) ? output_element(problem, value) : value;
}

/// True if the graph has an edge between the operation and the other variable, and the workload has none between these.
bool breaks_an_edge(const Problem& problem, size_t operation, const Tuple& instance, size_t other, const Tuple& value) {
  const Graph& graph = problem.graph;
  const size_t place = operation - graph.operations.first;
  const Workload& workload = problem.workload;
  if (graph.sum_of[place] == other)
    return element_of(workload.output.indices, instance) != element(problem, other, value);
  for (size_t input = 0; input < graph.inputs.size(); ++input) {
    if (graph.inputs_of[place][input] != other) continue;
    return element_of(workload.inputs[input].indices, instance) != value;
  }
  return false;
}

std::vector<Problem> problems() {
  std::vector<Problem> all;
  for (const SumDomain sums : {SumDomain::kElements, SumDomain::kInstances}) {
    all.push_back(problem_of(test::product(2, 3, 2), test::matrices(1, 2, 2), {}, sums));
    all.push_back(problem_of(test::row_convolution(2, 3, 2, 2, 1), test::matrices(1, 2, 2), {}, sums));
    all.push_back(problem_of(test::row_convolution(2, 3, 1, 3, 2), test::pairs(2, 2), {}, sums));
  }
  return all;
}

/// Calls `use` with each variable and each of its values.
void for_each_assignment(const Problem& problem, const std::function<void(size_t, const Tuple&)>& use) {
  const Store store(problem);
  for (size_t variable = 0; variable < problem.graph.variables(); ++variable) {
    for (const Tuple& value : test::values_of(store.domain(variable))) use(variable, value);
  }
}

TEST(Dataflow, NeighboursKeepWhatTheRelationsConnect) {
  for (const Problem& problem : problems()) {
    for_each_assignment(problem, [&](size_t variable, const Tuple& value) {
      expect_tight(
          problem, variable, value, [&](Store& store) { return propagate_dataflow(problem, store, variable); },
          [&](size_t other, const Tuple& one) {
            if (problem.graph.operations.contains(variable))
              return !breaks_an_edge(problem, variable, value, other, one);
            if (problem.graph.operations.contains(other)) return !breaks_an_edge(problem, other, one, variable, value);
            return true;
          });
    });
  }
}

TEST(Dataflow, FunctionalRelationsAssign) {
  const Problem problem = problem_of(test::row_convolution(2, 3, 2, 2, 1), test::matrices(1, 2, 2), {});
  Store store(problem);
  const size_t operation = problem.graph.operations.first;
  ASSERT_TRUE(store.assign(operation, {1, 2, 0, 1}));
  ASSERT_TRUE(propagate_dataflow(problem, store, operation));
  EXPECT_EQ(store.value(problem.graph.sum_of[0]), (Tuple{1, 2}));
  EXPECT_EQ(store.value(problem.graph.inputs_of[0][0]), (Tuple{0, 3}));
  EXPECT_EQ(store.value(problem.graph.inputs_of[0][1]), (Tuple{1, 0, 1}));
}

TEST(Parallel, TheStarExcludesTheElementOfTheOutput) {
  for (const Problem& problem : problems()) {
    const Graph& graph = problem.graph;
    const auto output = [&](size_t variable, const Tuple& value) {
      const bool is_operation = graph.operations.contains(variable);
      return is_operation ? element_of(problem.workload.output.indices, value) : output_element(problem, value);
    };
    for_each_assignment(problem, [&](size_t variable, const Tuple& value) {
      expect_tight(
          problem, variable, value, [&](Store& store) { return propagate_parallel(problem, store, variable); },
          [&](size_t other, const Tuple& one) {
            if (variable >= graph.operations.end() || other >= graph.operations.end()) return true;
            if (graph.parallel_set_of[variable] != graph.parallel_set_of[other]) return true;
            const size_t first = graph.parallel[graph.parallel_set_of[variable]].front();
            if (variable != first && other != first) return true;
            return output(variable, value) != output(other, one);
          });
    });
  }
}

TEST(AllDifferent, OthersOfTheGroupLoseTheValue) {
  for (const Problem& problem : problems()) {
    std::vector<Nodes> groups = problem.graph.inputs;
    groups.push_back(problem.graph.sums);
    groups.push_back(problem.graph.operations);
    for_each_assignment(problem, [&](size_t variable, const Tuple& value) {
      const Nodes group = *std::ranges::find_if(groups, [&](const Nodes& nodes) { return nodes.contains(variable); });
      expect_tight(
          problem, variable, value, [&](Store& store) { return propagate_all_different(problem, store, {{variable}}); },
          [&](size_t other, const Tuple& one) { return !group.contains(other) || one != value; });
    });
  }
}

TEST(AllDifferent, SeveralAtOnceAreDifferentToo) {
  const Problem problem = problem_of(test::product(2, 3, 2), test::matrices(1, 2, 2), {});
  const size_t first = problem.graph.operations.first;
  const std::vector<size_t> both{first, first + 1};
  Store store(problem);
  ASSERT_TRUE(store.assign(first, {0, 1, 1}) && store.assign(first + 1, {1, 1, 1}));
  ASSERT_TRUE(propagate_all_different(problem, store, both));
  EXPECT_FALSE(store.domain(first + 2).contains({0, 1, 1}) || store.domain(first + 2).contains({1, 1, 1}));
  EXPECT_EQ(store.domain(first + 2).size(), 10U);
  Store same(problem);
  ASSERT_TRUE(same.assign(first, {0, 1, 1}) && same.assign(first + 1, {0, 1, 1}));
  EXPECT_FALSE(propagate_all_different(problem, same, both));
}

TEST(LinearAccess, ElementsAreAlikeInDimensionsOfStencils) {
  const Problem problem = problem_of(test::row_convolution(2, 3, 2, 2, 1), test::matrices(1, 2, 2), {});
  ASSERT_EQ(problem.shared_dimensions, (std::vector<std::vector<size_t>>{{1}, {}}));
  for (size_t input = 0; input < 2; ++input) {
    for_each_assignment(problem, [&](size_t variable, const Tuple& value) {
      if (!problem.graph.inputs[input].contains(variable)) return;
      expect_tight(
          problem, variable, value,
          [&](Store& store) { return propagate_linear_access(problem, store, input, variable); },
          [&](size_t other, const Tuple& one) {
            return input == 1 || !problem.graph.inputs[0].contains(other) || one[1] == value[1];
          });
    });
  }
}

TEST(LinearAccess, TapsOfOneElementAreNoStencil) {
  const Problem problem = problem_of(test::row_convolution(2, 3, 2, 1, 2), test::matrices(1, 2, 2), {});
  EXPECT_EQ(problem.shared_dimensions, (std::vector<std::vector<size_t>>{{}, {}}));
}

TEST(Origin, FirstElementsAreTheFirstOfTheirTensors) {
  for (const Problem& problem : problems()) {
    Store store(problem);
    Values expected = values_of(problem, store);
    ASSERT_TRUE(fix_origins(problem, store));
    expected[problem.graph.sums.first] = {*expected[problem.graph.sums.first].begin()};
    for (const Nodes& input : problem.graph.inputs) expected[input.first] = {*expected[input.first].begin()};
    EXPECT_EQ(values_of(problem, store), expected);
  }
}

/// Two variables that end up with the same value by propagation are found out.
TEST(Propagation, FailsWhereTwoOperationsMeet) {
  const Problem problem = problem_of(test::product(1, 2, 1), test::matrices(1, 2, 2), {});
  Store store(problem);
  EXPECT_FALSE(propagate_root(problem, store)) << "there is one value of k for two inner places";
}

TEST(Propagation, ASolutionOfOneNodeIsFoundAtTheRoot) {
  const Problem problem = problem_of(test::product(1, 1, 1), test::matrices(1, 1, 1), {});
  Store store(problem);
  ASSERT_TRUE(propagate_root(problem, store));
  for (size_t variable = 0; variable < problem.graph.variables(); ++variable) EXPECT_TRUE(store.is_assigned(variable));
}

}  // namespace
}  // namespace covenant::compiler::embedding::scalar
