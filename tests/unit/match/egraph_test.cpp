// Congruence: compared with a closure that looks at all pairs of terms, on drawn terms and unions.
#include "compiler/match/egraph.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <random>

#include "tests/support/seed.h"
#include "tests/unit/match/terms.h"

namespace covenant::compiler::match {
namespace {

using testing::add;
using testing::are_equal;
using testing::fault;

TEST(EGraph, EqualChildrenMakeEqualParents) {
  EGraph graph;
  add(graph, "(f (g a))");
  add(graph, "(f (g b))");
  graph.rebuild();
  EXPECT_EQ(graph.node_count(), 6U);
  EXPECT_FALSE(are_equal(graph, "(f (g a))", "(f (g b))"));
  EXPECT_TRUE(graph.unite(add(graph, "a"), add(graph, "b")));
  EXPECT_FALSE(graph.is_clean());
  graph.rebuild();
  EXPECT_TRUE(are_equal(graph, "(f (g a))", "(f (g b))"));
  EXPECT_EQ(graph.node_count(), 4U);
  EXPECT_EQ(graph.class_count(), 3U);
  EXPECT_EQ(fault(graph), "");
  EXPECT_FALSE(graph.unite(add(graph, "a"), add(graph, "b")));
}

TEST(EGraph, ATermMayBeItsOwnPart) {
  EGraph graph;
  graph.unite(add(graph, "(f a)"), add(graph, "a"));
  graph.rebuild();
  EXPECT_TRUE(are_equal(graph, "(f (f (f a)))", "a"));
  EXPECT_EQ(graph.class_count(), 1U);
  EXPECT_EQ(fault(graph), "");
}

TEST(EGraph, ChildrenOfANodeMayBeGivenToAnother) {
  EGraph graph;
  const Id node = add(graph, "(f a b c)");
  for (int i = 0; i < 100; ++i) graph.add(graph.symbol(fmt::format("g{}", i)), graph.children(node));
  graph.rebuild();
  EXPECT_TRUE(are_equal(graph, "(g99 a b c)", "(g99 a b c)"));
  EXPECT_EQ(fault(graph), "");
}

// One of two nodes that have become the same is kept. Were the other left among the parents of a child that has not
// changed, a later union of that child would put it in the place of the first.
TEST(EGraph, NodesThatAreTheSameLeaveOneBehindInAllTheirChildren) {
  EGraph graph;
  add(graph, "(f a b)");
  add(graph, "(f c b)");
  for (const char* text : {"(g d)", "(h d)", "(i d)", "(g e)", "(h e)", "(i e)", "(g a)"}) add(graph, text);
  graph.rebuild();
  for (const auto& [one, other] : {std::pair("a", "c"), std::pair("b", "d"), std::pair("a", "e")}) {
    graph.unite(add(graph, one), add(graph, other));
    graph.rebuild();
    ASSERT_EQ(fault(graph), "") << one << " = " << other;
  }
  EXPECT_TRUE(are_equal(graph, "(f a b)", "(f e d)"));
}

TEST(EGraph, WhatIsAddedIsLookedIntoAfterARebuild) {
  EGraph graph;
  add(graph, "(f a)");
  EXPECT_FALSE(graph.is_clean());
  EXPECT_EQ(graph.class_count(), 0U);
  graph.rebuild();
  EXPECT_TRUE(graph.is_clean());
  EXPECT_EQ(graph.class_count(), 2U);
}

/// Equality of nodes by looking at all pairs until nothing changes.
class Closure {
 public:
  size_t add(std::string name, std::vector<size_t> children) {
    const size_t made = nodes_.size();
    for (size_t i = 0; i < made; ++i) {
      if (nodes_[i].first == name && nodes_[i].second == children) return i;
    }
    nodes_.emplace_back(std::move(name), std::move(children));
    class_.push_back(made);
    return made;
  }
  void unite(size_t a, size_t b) {
    const size_t from = class_[a], into = class_[b];
    for (size_t& of : class_) of = of == from ? into : of;
  }
  void close() {
    for (bool changes = true; changes;) {
      changes = false;
      for (size_t a = 0; a < nodes_.size(); ++a) {
        for (size_t b = 0; b < a; ++b) {
          if (class_[a] == class_[b] || !are_congruent(a, b)) continue;
          unite(a, b);
          changes = true;
        }
      }
    }
  }
  bool are_equal(size_t a, size_t b) const { return class_[a] == class_[b]; }
  size_t size() const { return nodes_.size(); }

 private:
  bool are_congruent(size_t a, size_t b) const {
    if (nodes_[a].first != nodes_[b].first || nodes_[a].second.size() != nodes_[b].second.size()) return false;
    for (size_t i = 0; i < nodes_[a].second.size(); ++i) {
      if (class_[nodes_[a].second[i]] != class_[nodes_[b].second[i]]) return false;
    }
    return true;
  }

  std::vector<std::pair<std::string, std::vector<size_t>>> nodes_;
  std::vector<size_t> class_;
};

TEST(EGraph, DrawnUnionsAreClosedAsAllPairsAre) {
  for (uint64_t round = 0; round < 300; ++round) {
    const uint64_t seed = 1000 * test::seed() + round;
    std::mt19937_64 random(seed);
    const auto draw = [&](size_t below) { return static_cast<size_t>(random() % below); };
    EGraph graph;
    Closure closure;
    std::vector<Id> ids;
    const size_t most = 5 + draw(40), names = 1 + draw(4);
    for (size_t step = 0; step < 3 * most; ++step) {
      if (closure.size() < most && (ids.size() < 2 || draw(3) != 0)) {
        std::vector<size_t> children(ids.empty() ? 0 : draw(4));
        for (size_t& child : children) child = draw(ids.size());
        const std::string name = fmt::format("{}{}", draw(names), children.size());
        std::vector<Id> given;
        for (const size_t child : children) given.push_back(ids[child]);
        const size_t at = closure.add(name, children);
        const Id id = graph.add(graph.symbol(name), given);
        if (at == ids.size()) ids.push_back(id);
      } else if (draw(4) != 0) {
        const size_t a = draw(ids.size()), b = draw(ids.size());
        closure.unite(a, b);
        graph.unite(ids[a], ids[b]);
      } else {
        graph.rebuild();
        ASSERT_EQ(fault(graph), "") << "seed " << seed;
      }
    }
    closure.close();
    graph.rebuild();
    ASSERT_EQ(fault(graph), "") << "seed " << seed;
    for (size_t a = 0; a < ids.size(); ++a) {
      for (size_t b = 0; b < a; ++b) {
        ASSERT_EQ(graph.find(ids[a]) == graph.find(ids[b]), closure.are_equal(a, b)) << "seed " << seed;
      }
    }
  }
}

}  // namespace
}  // namespace covenant::compiler::match
