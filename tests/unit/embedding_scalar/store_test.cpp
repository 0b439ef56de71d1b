/// The trail restores every domain exactly, whatever was narrowed between two marks.
#include "compiler/embedding/scalar/store.h"

#include <gtest/gtest.h>
#include <random>
#include <set>

#include "tests/support/embedding_scalar/workloads.h"
#include "tests/support/seed.h"

namespace covenant::compiler::embedding::scalar {
namespace {

struct Snapshot {
  std::vector<std::set<Tuple>> values;
  std::vector<size_t> assigned;
  bool operator==(const Snapshot&) const = default;
};

Snapshot snapshot(const Store& store, size_t variables) {
  Snapshot taken;
  for (size_t variable = 0; variable < variables; ++variable) {
    taken.values.push_back(test::values_of(store.domain(variable)));
    EXPECT_EQ(store.is_assigned(variable), taken.values.back().size() == 1);
    if (store.is_assigned(variable)) {
      EXPECT_EQ(*taken.values.back().begin(), store.value(variable));
    }
  }
  taken.assigned.assign(store.assigned().begin(), store.assigned().end());
  return taken;
}

Problem small_problem() { return problem_of(test::product(3, 4, 2), test::matrices(1, 2, 2), {}); }

TEST(Store, UndoRestoresWhatWasThereAtTheMark) {
  SCOPED_TRACE("COVENANT_SEED=" + std::to_string(test::seed()));
  std::mt19937_64 random(test::seed());
  const Problem problem = small_problem();
  const Graph& graph = problem.graph;
  for (int round = 0; round < 50; ++round) {
    Store store(problem);
    std::vector<std::pair<Store::Mark, Snapshot>> marks;
    for (int step = 0; step < 40; ++step) {
      const int64_t what = test::draw(random, 0, 5);
      if (what == 0) {
        const Snapshot now = snapshot(store, graph.variables());
        marks.emplace_back(store.mark(), now);
      } else if (what == 1 && !marks.empty()) {
        store.undo(marks.back().first);
        ASSERT_EQ(snapshot(store, graph.variables()), marks.back().second);
        if (test::draw(random, 0, 1) == 0) marks.pop_back();
      } else {
        const auto variable = graph.operations.first + random() % graph.operations.count;
        const Box box = test::draw_box(random, {3, 4, 2});
        const std::set<Tuple> before = test::values_of(store.domain(variable));
        const bool is_done = what % 2 == 0 ? store.keep(variable, box) : store.remove(variable, std::vector<Box>{box});
        if (!is_done) {
          EXPECT_EQ(test::values_of(store.domain(variable)), before) << "a failure changes nothing";
        }
      }
    }
  }
}

TEST(Store, NarrowingToNothingIsRefused) {
  const Problem problem = small_problem();
  Store store(problem);
  const size_t variable = problem.graph.operations.first;
  EXPECT_FALSE(store.remove(variable, std::vector<Box>{problem.instances}));
  EXPECT_FALSE(store.assign(variable, {3, 0, 0})) << "outside of the domain";
  ASSERT_TRUE(store.assign(variable, {2, 3, 1}));
  EXPECT_TRUE(store.assign(variable, {2, 3, 1}));
  EXPECT_FALSE(store.assign(variable, {2, 3, 0}));
  EXPECT_FALSE(store.keep(variable, box_of({2, 4, 2})));
  EXPECT_EQ(store.assigned().back(), variable);
}

}  // namespace
}  // namespace covenant::compiler::embedding::scalar
