// Extraction: drawn graphs against all choices of nodes, and what remains when the steps are used up.
#include "compiler/match/extract.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <optional>
#include <random>

#include "tests/support/seed.h"
#include "tests/unit/match/terms.h"

namespace covenant::compiler::match {
namespace {

using testing::add;

/// The last character of a node's name.
uint64_t last_digit(const EGraph& graph, Id node) {
  const std::string& name = graph.name(graph.operation(node));
  return static_cast<uint64_t>(name.back() - '0');
}

TEST(Extraction, SharedPartsCostOnce) {
  EGraph graph;
  const Id root = add(graph, "(f1 (g5 x1) (g5 x1))");
  graph.unite(root, add(graph, "(h1 (i4 y1) (j3 z1))"));
  graph.rebuild();
  const Extraction tree = extract_tree(graph, root, last_digit);
  EXPECT_EQ(tree.cost, 10U);
  EXPECT_EQ(text_of(term_of(graph, tree, root)), "(h1 (i4 y1) (j3 z1))");
  const Extraction shared = extract_shared(graph, std::span(&root, 1), last_digit);
  EXPECT_EQ(shared.cost, 7U);
  EXPECT_EQ(extract_shared(graph, std::span(&root, 1), last_digit, 0).cost, 7U);  // found class by class
  EXPECT_TRUE(shared.is_least());
  EXPECT_EQ(text_of(term_of(graph, shared, root)), "(f1 (g5 x1) (g5 x1))");
  EXPECT_EQ(term_of(graph, shared, root).nodes.size(), 3U);
}

TEST(Extraction, AClassMayHaveNoTerm) {
  EGraph graph;
  const Id root = add(graph, "(f1 (g1 x1))");
  graph.unite(add(graph, "(g1 x1)"), add(graph, "(h1 (g1 x1))"));
  graph.rebuild();
  const NodeCost no_leaves = [](const EGraph& of, Id node) { return of.children(node).empty() ? kNever : 1; };
  EXPECT_EQ(extract_tree(graph, root, no_leaves).cost, kNever);
  EXPECT_EQ(extract_shared(graph, std::span(&root, 1), no_leaves).cost, kNever);
}

/// The least cost over all choices of a node for each class, without circles; each class that the root needs costs
/// once.
std::optional<uint64_t> least_of_all(const EGraph& graph, std::span<const Id> roots) {
  const std::span<const Id> classes = graph.classes();
  std::vector<size_t> choice(classes.size());
  std::optional<uint64_t> least;
  const auto at = [&](Id of) {
    return static_cast<size_t>(std::ranges::lower_bound(classes, graph.find(of)) - classes.begin());
  };
  while (true) {
    std::vector<int> state(classes.size());
    uint64_t cost = 0;
    const auto visit = [&](const auto& self, size_t of) -> bool {
      if (state[of] == 2) return true;
      if (std::exchange(state[of], 1) == 1) return false;
      const Id node = graph.nodes(classes[of])[choice[of]];
      cost += last_digit(graph, node);
      for (const Id child : graph.children(node)) {
        if (!self(self, at(child))) return false;
      }
      state[of] = 2;
      return true;
    };
    const bool is_tree = std::ranges::all_of(roots, [&](Id root) { return visit(visit, at(root)); });
    if (is_tree && (!least || cost < *least)) least = cost;
    size_t next = 0;
    while (next < classes.size() && ++choice[next] == graph.nodes(classes[next]).size()) choice[next++] = 0;
    if (next == classes.size()) return least;
  }
}

TEST(Extraction, DrawnGraphsGiveTheLeastOfAllChoices) {
  size_t shared_less = 0, cut = 0;
  for (uint64_t round = 0; round < 200; ++round) {
    const uint64_t seed = 1000 * test::seed() + round;
    std::mt19937_64 random(seed);
    const auto draw = [&](size_t below) { return static_cast<size_t>(random() % below); };
    EGraph graph;
    std::vector<Id> ids;
    for (size_t i = 0; i < 14; ++i) {
      std::vector<Id> children(ids.size() < 2 ? 0 : draw(4));
      for (Id& child : children) child = ids[draw(ids.size())];
      ids.push_back(graph.add(graph.symbol(fmt::format("{}n{}", i, draw(10))), children));
    }
    for (size_t i = 0; i < 6; ++i) graph.unite(ids[draw(ids.size())], ids[draw(ids.size())]);
    graph.rebuild();
    const std::vector<Id> roots{ids.back(), ids[draw(ids.size())]};
    const std::optional<uint64_t> least = least_of_all(graph, roots);
    ASSERT_TRUE(least);
    const Extraction found = extract_shared(graph, roots, last_digit);
    EXPECT_EQ(found.cost, *least) << "seed " << seed;
    EXPECT_TRUE(found.is_least()) << "seed " << seed;
    for (const uint64_t steps : {0U, 1U, 3U, 10U}) {
      const Extraction some = extract_shared(graph, roots, last_digit, steps);
      EXPECT_LE(some.at_least, *least) << "seed " << seed;
      EXPECT_GE(some.cost, *least) << "seed " << seed;
      cut += some.is_least() ? 0 : 1;
    }
    shared_less += extract_shared(graph, roots, last_digit, 0).cost > found.cost ? 1 : 0;
  }
  EXPECT_GT(shared_less, 5U);
  EXPECT_GT(cut, 5U);
}

TEST(Extraction, CostsThatPass64BitsAreNotChosen) {
  EGraph graph;
  const Id root = add(graph, "(f a b)");
  graph.unite(add(graph, "b"), add(graph, "c"));
  graph.rebuild();
  const uint64_t half = uint64_t{1} << 63U;
  const NodeCost cost = [&](const EGraph& of, Id node) -> uint64_t {
    const std::string& name = of.name(of.operation(node));
    return name == "a" ? half : name == "c" ? half + 7 : 5;
  };
  const Extraction found = extract_shared(graph, std::span(&root, 1), cost);
  EXPECT_EQ(found.cost, half + 10);
  EXPECT_TRUE(found.is_least());
  EXPECT_EQ(text_of(term_of(graph, found, root)), "(f a b)");
}

/// `(f (f ... ) (f ... ))` of this depth, in which each class has a dearer node, too.
Id doubled(EGraph& graph, size_t depth) {
  Id of = add(graph, "x1");
  for (size_t i = 0; i < depth; ++i) {
    const Id below = of;
    of = graph.add(graph.symbol("f1"), std::vector<Id>{below, below});
    graph.unite(of, graph.add(graph.symbol("g2"), std::vector<Id>{below, below}));
  }
  graph.rebuild();
  return of;
}

TEST(Extraction, AsManyClassesAsAreSearched) {
  EGraph graph;
  const Id root = doubled(graph, 60);
  EXPECT_EQ(extract_shared(graph, std::span(&root, 1), last_digit, 0).at_least, 61U);
  EGraph deep;
  const Id bottom = doubled(deep, 40);
  Id top = bottom;
  for (size_t i = 0; i < kMostSearched - 41; ++i) top = deep.add(deep.symbol("h1"), std::span(&top, 1));
  deep.rebuild();
  ASSERT_EQ(deep.class_count(), kMostSearched);
  const Extraction found = extract_shared(deep, std::span(&top, 1), last_digit);
  EXPECT_EQ(found.cost, kMostSearched);
  EXPECT_TRUE(found.is_least());
}

// A tree of that depth costs more than 64 bits hold, by far; with shared parts it costs little.
TEST(Extraction, TreesMayBeLargerThanAnyNumber) {
  for (const size_t depth : {100U, 1'000U, 4'000U}) {
    EGraph graph;
    const Id root = doubled(graph, depth);
    EXPECT_EQ(extract_tree(graph, root, last_digit).cost, kNever);
    const Extraction found = extract_shared(graph, std::span(&root, 1), last_digit);
    EXPECT_EQ(found.cost, depth + 1);
    EXPECT_TRUE(found.is_least());
    EXPECT_EQ(extract_shared(graph, std::span(&root, 1), last_digit, 0).at_least, depth + 1);
  }
}

TEST(Extraction, OfMoreClassesTheLeastTreesAndABound) {
  EGraph graph;
  Id of = add(graph, "(c1 (d5 (d5 x5)) y1)");
  graph.unite(of, add(graph, "(c9 (d5 (d5 x5)) z0)"));
  for (size_t i = 0; i < kMostSearched; ++i) of = graph.add(graph.symbol("h1"), std::span(&of, 1));
  graph.rebuild();
  const Extraction found = extract_shared(graph, std::span(&of, 1), last_digit);
  EXPECT_EQ(found.cost, kMostSearched + 17);
  EXPECT_EQ(found.at_least, kMostSearched + 16) << "all but y1";
  EXPECT_FALSE(found.is_least());
}

TEST(Extraction, TheTextOfSharedPartsEnds) {
  EGraph graph;
  const Id root = doubled(graph, 40);
  const Term term = term_of(graph, extract_shared(graph, std::span(&root, 1), last_digit), root);
  EXPECT_EQ(term.nodes.size(), 41U);
  const std::string text = text_of(term);
  EXPECT_LE(text.size(), kMostTermText + 10);
  EXPECT_TRUE(text.ends_with(" ...")) << text.size();
}

}  // namespace
}  // namespace covenant::compiler::match
