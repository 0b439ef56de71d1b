// Facts of classes while nodes come and classes meet: drawn, and compared with what is known of the graph at the end.
#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>
#include <utility>
#include <vector>

#include "compiler/match/extract.h"
#include "tests/support/seed.h"
#include "tests/unit/match/terms.h"

namespace covenant::compiler::match {
namespace {

using testing::add;
using testing::fault;

/// Nodes of the least tree.
class Sizes : public Analysis {
 public:
  uint64_t of(Id id) const { return sizes_[id]; }

  void made(const EGraph& graph, Id node) override { sizes_.push_back(size(graph, node)); }
  std::pair<bool, bool> joined(Id into, Id from) override {
    const std::pair changed(sizes_[from] < sizes_[into], sizes_[into] < sizes_[from]);
    sizes_[into] = std::min(sizes_[into], sizes_[from]);
    return changed;
  }
  bool made_again(const EGraph& graph, Id node, Id of) override {
    const uint64_t now = size(graph, node);
    return now < sizes_[of] && std::exchange(sizes_[of], now) != now;
  }

 private:
  uint64_t size(const EGraph& graph, Id node) const {
    uint64_t sum = 1;
    for (const Id child : graph.children(node)) sum += sizes_[graph.find(child)];
    return sum;
  }

  std::vector<uint64_t> sizes_;
};

TEST(Facts, AreThoseOfTheGraphAtTheEnd) {
  const NodeCost one = [](const EGraph&, Id) { return uint64_t{1}; };
  size_t smaller = 0;
  for (uint64_t round = 0; round < 200; ++round) {
    const uint64_t seed = 1000 * test::seed() + round;
    std::mt19937_64 random(seed);
    const auto draw = [&](size_t below) { return static_cast<size_t>(random() % below); };
    Sizes sizes;
    EGraph graph(&sizes);
    std::vector<Id> ids;
    for (size_t step = 0; step < 60; ++step) {
      if (ids.size() < 3 || draw(3) != 0) {
        std::vector<Id> children(ids.empty() ? 0 : draw(3));
        for (Id& child : children) child = ids[ids.size() - 1 - draw(std::min<size_t>(ids.size(), 8))];
        ids.push_back(graph.add(graph.symbol(fmt::format("f{}", draw(6))), children));
      } else {
        graph.unite(ids[draw(ids.size())], ids[draw(ids.size())]);
      }
      if (draw(10) == 0) graph.rebuild();
    }
    std::vector<uint64_t> before;
    for (const Id id : ids) before.push_back(sizes.of(graph.find(id)));
    graph.rebuild();
    ASSERT_EQ(fault(graph), "") << "seed " << seed;
    for (size_t i = 0; i < ids.size(); ++i) {
      const uint64_t size = sizes.of(graph.find(ids[i]));
      ASSERT_EQ(size, extract_tree(graph, ids[i], one).cost) << "seed " << seed;
      smaller += size < before[i] ? 1 : 0;
    }
  }
  EXPECT_GT(smaller, 100U) << "facts that only the rebuild has told to those above";
}

TEST(Facts, ClassesThatAreLeftToTheirLeaves) {
  EGraph graph;
  const Id all = add(graph, "(f (g a))");
  for (const char* text : {"b", "(g a)", "(h c)"}) graph.unite(all, add(graph, text));
  graph.rebuild();
  EXPECT_EQ(graph.nodes(all).size(), 4U);
  graph.keep_leaves(all);
  EXPECT_FALSE(graph.is_clean());
  graph.rebuild();
  EXPECT_EQ(fault(graph), "");
  ASSERT_EQ(graph.nodes(all).size(), 1U);
  EXPECT_EQ(graph.name(graph.operation(graph.nodes(all).front())), "b");
  EXPECT_EQ(graph.node_count(), 6U) << "all are known";
  EXPECT_TRUE(testing::are_equal(graph, "(h c)", "b"));
  EXPECT_EQ(graph.find(add(graph, "(f (g a))")), graph.find(all));
  size_t found = 0;
  Pattern(graph, testing::term("(g ?x)")).search(graph, [&](Id, std::span<const Id>) { return ++found != 0; });
  EXPECT_EQ(found, 0U);
  // A node that becomes the same as one that is not looked into joins its class.
  graph.unite(add(graph, "(h d)"), add(graph, "e"));
  graph.unite(add(graph, "c"), add(graph, "d"));
  graph.rebuild();
  EXPECT_EQ(fault(graph), "");
  EXPECT_TRUE(testing::are_equal(graph, "e", "b"));
}

}  // namespace
}  // namespace covenant::compiler::match
