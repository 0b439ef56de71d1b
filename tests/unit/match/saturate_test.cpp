// Saturation: the same graph each time, limits that end it where they say, rules that are left out.
#include "compiler/match/saturate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <string>
#include <tuple>
#include <vector>

#include "compiler/match/extract.h"
#include "tests/unit/match/terms.h"

namespace covenant::compiler::match {
namespace {

using testing::add;
using testing::are_equal;
using testing::fault;
using testing::rules;

constexpr const char* kSums = R"(
  rule swap : real (+ ?a ?b) => (+ ?b ?a);
  rule group: real (+ ?a (+ ?b ?c)) <=> (+ (+ ?a ?b) ?c);
)";

/// The whole graph: classes, their nodes in order, children.
std::string picture(const EGraph& graph) {
  std::string text;
  for (const Id of : graph.classes()) {
    text += fmt::format("{}:", of);
    for (const Id node : graph.nodes(of)) {
      text += fmt::format(" {} {}(", node, graph.name(graph.operation(node)));
      for (const Id child : graph.children(node)) text += fmt::format("{},", child);
      text += ')';
    }
    for (const Id parent : graph.parents(of)) text += fmt::format(" ^{}", parent);
    text += '\n';
  }
  return text;
}

TEST(Saturation, TheSameGraphEachTime) {
  std::vector<std::string> pictures;
  for (int i = 0; i < 2; ++i) {
    EGraph graph;
    add(graph, "(+ 1 (+ 2 (+ 3 (+ 4 (+ 5 6)))))");
    EXPECT_EQ(saturate(graph, rules(kSums)).stop, Stop::kSaturated);
    EXPECT_EQ(fault(graph), "");
    pictures.push_back(picture(graph));
  }
  EXPECT_EQ(pictures[0], pictures[1]);
  EXPECT_GT(pictures[0].size(), 1'000U);
}

// Ids differ then, but nothing else.
TEST(Saturation, UnrelatedTermsChangeNothing) {
  std::vector<std::string> texts;
  for (const bool is_first : {true, false}) {
    EGraph graph;
    if (is_first) add(graph, "(g (h b c) d)");
    const Id root = add(graph, "(+ 1 (+ 2 (+ 3 (+ 4 5))))");
    if (!is_first) add(graph, "(g (h b c) d)");
    const Saturation done = saturate(graph, rules(kSums));
    const NodeCost cost = [](const EGraph& of, Id node) -> uint64_t {
      const std::string& name = of.name(of.operation(node));
      return name == "+" ? 1 + of.children(node).size() : 1;
    };
    std::string text = text_of(term_of(graph, extract_tree(graph, root, cost), root));
    for (const Iteration& one : done.iterations) {
      text += fmt::format(" {} {} ({})", one.nodes, one.classes, fmt::join(one.united, " "));
    }
    texts.push_back(std::move(text));
  }
  EXPECT_EQ(texts[0], texts[1]);
}

/// Each iteration adds two nodes to two; the fourth finds `(f (f (f (f a))))`.
std::pair<Stop, size_t> longer(Limits limits) {
  EGraph graph;
  add(graph, "(g a)");
  limits.is_done = [](const EGraph& now) { return lookup_term(now, testing::term("(f (f (f (f a))))")).has_value(); };
  const Saturation done = saturate(graph, rules("rule longer: exact (g ?x) => (g (f ?x));"), limits);
  EXPECT_EQ(fault(graph), "");
  return {done.stop, done.iterations.size()};
}

TEST(Saturation, EndsAtItsLimits) {
  for (size_t limit = 0; limit < 12; ++limit) {
    const std::pair by_iterations(limit < 4 ? Stop::kIterations : Stop::kDone, std::min<size_t>(limit, 4));
    EXPECT_EQ(longer({.iterations = limit}), by_iterations) << limit;
    // With eight nodes there is the fourth iteration, of which the application that passes the limit finds the term.
    EXPECT_EQ(longer({.nodes = limit}).first, limit < 8 ? Stop::kNodes : Stop::kDone) << limit;
  }
}

// Each application adds two nodes to the eight.
TEST(Saturation, TheLimitOfNodesIsPassedByOneApplication) {
  const std::vector<Rule> two = rules("rule longer: exact (h ?x) => (h (f ?x));\nrule last: exact (f e) => e;");
  for (size_t limit = 0; limit < 16; ++limit) {
    EGraph graph;
    for (const char* text : {"(h a)", "(h b)", "(h c)", "(f d)"}) add(graph, text);
    const Saturation done = saturate(graph, two, {.iterations = 1, .nodes = limit});
    EXPECT_EQ(done.iterations[0].nodes, limit < 8 ? 10 : limit < 14 ? limit / 2 * 2 + 2 : 14) << limit;
    EXPECT_EQ(done.stop, limit < 14 ? Stop::kNodes : Stop::kIterations) << limit;
    EXPECT_EQ(done.iterations[0].united.size(), 2U);
  }
}

// `all` is found in more places than there may be, more in each iteration; `down` goes on meanwhile.
TEST(Saturation, ARuleThatExplodesKeepsNoOtherFromItsWork) {
  const std::string explodes =
      "rule swap: real (+ ?a ?b) => (+ ?b ?a);\nrule group: real (+ ?a (+ ?b ?c)) => (+ (+ ?a ?b) ?c);\n";
  const std::string down = "rule down: exact (s ?x) => ?x;\n";
  std::string sum = "1", tower = "e";
  for (int i = 2; i < 14; ++i) sum = fmt::format("(+ {} {})", i, sum);
  for (int i = 0; i < 3; ++i) tower = fmt::format("(s {})", tower);
  const auto run = [&](size_t matches) {
    EGraph graph;
    add(graph, fmt::format("(pair {} {})", sum, tower));
    const Saturation done =
        saturate(graph, rules(explodes + down), {.iterations = 8, .nodes = 3'000, .matches = matches});
    EXPECT_EQ(fault(graph), "");
    return std::tuple(done.stop, are_equal(graph, tower, "e"), done.iterations.back().nodes);
  };
  const auto [stop, is_down, nodes] = run(20);
  EXPECT_EQ(stop, Stop::kIterations);
  EXPECT_TRUE(is_down);
  EXPECT_LT(nodes, 1'000U);
  EXPECT_EQ(std::get<0>(run(0)), Stop::kNodes);
}

TEST(Saturation, IsSaidOnlyOfRulesThatWereNotLeftOut) {
  const std::vector<Rule> all = rules("rule all: exact (f ?x) => (g ?x);");
  for (const size_t left_out : {0U, 1U, 5U}) {
    EGraph graph;
    for (int i = 0; i < 40; ++i) add(graph, fmt::format("(f {})", i));
    const Saturation done = saturate(graph, all, {.matches = 10, .left_out = left_out});
    EXPECT_EQ(done.stop, Stop::kSaturated);
    // 40 places are more than 10 and 20, not more than 40: nothing in two iterations, then all, then nothing new.
    ASSERT_EQ(done.iterations.size(), 4U) << left_out;
    EXPECT_EQ(done.iterations[1].united[0], 0U);
    EXPECT_EQ(done.iterations[2].united[0], 40U);
    EXPECT_TRUE(are_equal(graph, "(f 39)", "(g 39)"));
  }
  EGraph graph;
  for (int i = 0; i < 40; ++i) add(graph, fmt::format("(f {})", i));
  EXPECT_EQ(saturate(graph, all, {.iterations = 2, .matches = 10}).stop, Stop::kIterations);
}

// One that is left out for long does not hold up others, which go on for as many iterations.
TEST(Saturation, IsLeftOutAsLongAsItIsSaid) {
  const std::vector<Rule> two = rules("rule all: exact (f ?x) => ?x;\nrule longer: exact (h ?x) => (h (i ?x));");
  EGraph graph;
  for (int i = 0; i < 15; ++i) add(graph, fmt::format("(f {})", i));
  add(graph, "(h a)");
  const Saturation done = saturate(graph, two, {.iterations = 7, .matches = 10, .left_out = 5});
  for (size_t i = 0; i < 7; ++i) EXPECT_EQ(done.iterations[i].united[0], i == 5 ? 15U : 0U) << i;
}

// Conditions are asked in the places that count: a rule that holds nowhere can be left out, too.
TEST(Saturation, PlacesCountWhetherOrNotTheConditionHolds) {
  size_t asked = 0;
  const Conditions never{{"never", {[&](const EGraph&, std::span<const Id>) { return ++asked == 0; }}}};
  EGraph graph;
  for (int i = 0; i < 40; ++i) add(graph, fmt::format("(f {})", i));
  const Saturation done =
      saturate(graph, rules("rule r: exact (f ?x) => ?x where never(?x);", never), {.iterations = 1, .matches = 10});
  EXPECT_EQ(asked, 10U);
  EXPECT_EQ(done.stop, Stop::kIterations);
}

// More places than are kept, though no rule is ever to be left out: memory has a limit, too.
TEST(Saturation, PlacesHaveALimit) {
  EGraph graph;
  const Id all = add(graph, "all");
  const size_t size = 2'001;
  for (size_t i = 0; i < size; ++i) graph.unite(all, add(graph, fmt::format("(s {})", i)));
  add(graph, "(pair all all)");
  ASSERT_GT(size * size, kMostMatches);
  const std::vector<Rule> pairs = rules("rule r: exact (pair (s ?x) (s ?y)) => ?x;");
  const Saturation done = saturate(graph, pairs, {.iterations = 1, .matches = 0});
  EXPECT_EQ(done.iterations[0].united[0], 0U);
  EXPECT_EQ(done.stop, Stop::kIterations);
}

TEST(Saturation, GoesOnAsLongAsItMay) {
  const std::vector<Rule> two = rules("rule a: exact (f ?x) => (f (g ?x));\nrule b: exact (g ?x) => (h ?x);");
  for (const size_t most : {0U, 1U, 2U, 3U, 4U, 7U}) {
    EGraph graph;
    add(graph, "(f (g e))");
    size_t left = most;
    const Saturation done = saturate(graph, two, {.goes_on = [&] { return left-- > 0; }});
    EXPECT_EQ(done.stop, Stop::kEnded);
    // Asked before an iteration and after each of its two rules.
    EXPECT_EQ(done.iterations.size(), (most + 2) / 3);
    EXPECT_EQ(fault(graph), "");
    EXPECT_EQ(lookup_term(graph, testing::term("(f (g (g e)))")).has_value(), most > 0);
    EXPECT_EQ(are_equal(graph, "(g e)", "(h e)"), most > 1);
  }
}

/// Has `(k a)` and `(k b)` united when `new` comes: a graph may change and have as many nodes as before, with no class
/// united by a rule.
class NamesAreOne : public Analysis {
 public:
  void made(const EGraph&, Id) override {}
  std::pair<bool, bool> joined(Id, Id) override { return {false, false}; }
  bool made_again(const EGraph&, Id, Id) override { return false; }
  void modify(EGraph& graph, Id of) override {
    if (graph.name(graph.operation(of)) == "new") graph.unite(add(graph, "(k a)"), add(graph, "(k b)"));
  }
};

TEST(Saturation, IsNotSaidWhileAnAnalysisUnites) {
  NamesAreOne analysis;
  EGraph graph(&analysis);
  for (const char* text : {"(k a)", "(k b)", "(l (k a))", "(l (k b))", "(m a)"}) add(graph, text);
  graph.rebuild();
  std::vector<Rule> all = rules("rule r: exact (m ?x) => ?x;\nrule s: exact (p (l (k a)) (l (k b))) => done;");
  all[0].makes = [](EGraph& of, Id, std::span<const Id>) -> std::optional<Id> {
    add(of, "new");
    return std::nullopt;
  };
  const size_t nodes = graph.node_count();
  const Saturation done = saturate(graph, all);
  ASSERT_EQ(done.iterations.size(), 2U);
  EXPECT_EQ(done.iterations[0].nodes, nodes) << "one more, and two that are one";
  EXPECT_EQ(done.stop, Stop::kSaturated);
}

}  // namespace
}  // namespace covenant::compiler::match
