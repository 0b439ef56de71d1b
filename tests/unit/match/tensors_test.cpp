// Shapes, lists, and the rules of tensors: convolutions and sums become the operations that accelerators have.
#include "compiler/match/tensors.h"

#include <gtest/gtest.h>

#include "compiler/match/extract.h"
#include "compiler/match/rule_texts.h"
#include "tests/unit/match/terms.h"

namespace covenant::compiler::match {
namespace {

using testing::add;
using testing::are_equal;

/// A graph with the rules of tensors, saturated.
struct Matched {
  TensorFacts facts;
  EGraph graph{&facts};
  Id root;
  Saturation saturation;

  Matched(const std::string& text, const std::map<std::string, Numbers>& shapes, const std::string& more = "")
      : Matched(testing::term(text), shapes, more) {}
  Matched(const Term& term, const std::map<std::string, Numbers>& shapes, const std::string& more = "")
      : facts(shapes), root(add_term(graph, term)) {
    std::string all;
    for (const SourceText& file : rule_texts()) all += file.text;
    const auto read = parse_rules(all + more, "all.rules", tensor_conditions(facts));
    EXPECT_TRUE(read) << (read ? "" : render(read.error()));
    if (!read) return;
    saturation = saturate(graph, *read, {.iterations = 100});
    EXPECT_EQ(testing::fault(graph), "");
    EXPECT_EQ(facts.fault().value_or(""), "");
  }
  std::string best(const std::string& cheap) {
    const NodeCost cost = [&](const EGraph& of, Id node) -> uint64_t {
      const std::string& name = of.name(of.operation(node));
      if (of.children(node).empty()) return 1;
      return name == cheap                                                                    ? 1
             : name == "reshape" || name == "transpose" || name == "windows" || name == "pad" ? 10
             : name == "zeros"                                                                ? 5
             : list_of(name)                                                                  ? 1
                                                                                              : 1000;
    };
    return text_of(term_of(graph, extract_shared(graph, std::span(&root, 1), cost), root));
  }
};

TEST(Tensors, AConvolutionIsALinearLayerOfWindows) {
  Matched matched("(conv x w [1,1] [1,1,1,1] [1])", {{"x", {1, 3, 8, 8}}, {"w", {16, 3, 3, 3}}},
                  "rule linear : exact (bias_add (dense ?x ?w) ?b [1]) => (linear ?x ?w ?b);");
  EXPECT_EQ(matched.saturation.stop, Stop::kSaturated);
  EXPECT_EQ(matched.facts.of(matched.graph, matched.root).shape, (Numbers{1, 16, 8, 8}));
  EXPECT_EQ(matched.best("linear"),
            "(transpose (reshape (linear (reshape (windows (pad x [1,1,1,1]) [3,3,3] [1,1,1]) [64,27]) "
            "(reshape w [16,27]) (zeros [16])) [1,8,8,16]) [0,3,1,2])");
}

/// A layer of so many steps, as it is written out.
Term lstm_of(int64_t steps, const std::string& wrong = "") {
  Term term;
  const auto leaf = [&](const std::string& name) {
    term.nodes.push_back({name, {}, false});
    return static_cast<uint32_t>(term.nodes.size() - 1);
  };
  const auto node = [&](const std::string& name, std::vector<uint32_t> children) {
    term.nodes.push_back({name, std::move(children), false});
    return static_cast<uint32_t>(term.nodes.size() - 1);
  };
  const uint32_t x = leaf("x"), wx = leaf("wx"), wh = leaf("wh"), bx = leaf("bx"), bh = leaf("bh");
  uint32_t h = leaf("h"), c = leaf("c");
  std::vector<uint32_t> hidden;
  for (int64_t i = 0; i < steps; ++i) {
    const uint32_t part = node("part", {x, leaf(word_of({0, steps, i}))});
    const uint32_t row = node("reshape", {part, leaf("[1,8]")});
    const uint32_t product = node("dense", {node("join", {leaf("[1]"), row, h}), node("join", {leaf("[1]"), wx, wh})});
    const uint32_t gates = node("add", {node("add", {product, bx}), bh});
    const auto gate = [&](const char* name, int64_t index) {
      return node(wrong == "gates" && i == 1 && index < 2 ? "tanh" : name,
                  {node("part", {gates, leaf(word_of({1, 4, index}))})});
    };
    const uint32_t kept = node("mul", {gate("sigmoid", 1), c});
    c = node("add", {kept, node("mul", {gate("sigmoid", 0), gate("tanh", 2)})});
    h = node("mul", {gate("sigmoid", 3), node("tanh", {c})});
    hidden.push_back(h);
  }
  uint32_t list = leaf("nil");
  for (size_t i = hidden.size(); i-- > 0;) list = node("cons", {hidden[i], list});
  node("stack", {list});
  return term;
}

std::map<std::string, Numbers> lstm_shapes(int64_t steps) {
  return {{"x", {steps, 1, 8}}, {"wx", {16, 8}}, {"wh", {16, 4}}, {"bx", {16}},
          {"bh", {16}},         {"h", {1, 4}},   {"c", {1, 4}}};
}

TEST(Tensors, StepsOfAnLstmAreOneLayerHoweverMany) {
  for (const int64_t steps : {1, 2, 5, 35}) {
    Matched matched(lstm_of(steps), lstm_shapes(steps));
    EXPECT_EQ(matched.saturation.stop, Stop::kSaturated) << steps;
    EXPECT_TRUE(are_equal(matched.graph, "(lstm x h c wx wh bx bh)", "(lstm x h c wx wh bx bh)")) << steps;
    EXPECT_EQ(matched.best("lstm"), "(lstm x h c wx wh bx bh)") << steps;
  }
  Matched other(lstm_of(5, "gates"), lstm_shapes(5));
  EXPECT_FALSE(lookup_term(other.graph, testing::term("(lstm x h c wx wh bx bh)")));
}

TEST(Tensors, ASumBehindAReshapeIsABias) {
  Matched matched("(add (reshape (dense x w) [2,2,8]) b)", {{"x", {4, 16}}, {"w", {8, 16}}, {"b", {8}}},
                  "rule linear : exact (bias_add (dense ?x ?w) ?b [1]) => (linear ?x ?w ?b);");
  EXPECT_EQ(matched.best("linear"), "(reshape (linear x w b) [2,2,8])");
}

// Tensors of these shapes broadcast, or are steps in another order: what looks like an LSTM is none.
TEST(Tensors, StepsThatOnlyLookLikeAnLstmAreNone) {
  const std::vector<std::pair<std::string, Numbers>> others{
      {"x", {5, 2, 4}}, {"bx", {1, 16}}, {"bx", {1}}, {"bh", {1, 1}}, {"c", {1, 1}}, {"c", {4}}, {"x", {5, 8, 1}}};
  for (const auto& [name, shape] : others) {
    std::map<std::string, Numbers> shapes = lstm_shapes(5);
    shapes[name] = shape;
    Matched matched(lstm_of(5), shapes);
    EXPECT_FALSE(lookup_term(matched.graph, testing::term("(lstm x h c wx wh bx bh)"))) << name << word_of(shape);
  }
}

/// Pairs of rows, so often, of what is within.
std::string pairs(int times, const std::string& begin, const std::string& of, const std::string& end) {
  std::string text = of;
  for (int i = 0; i < times; ++i) text = begin + text + end;
  return text;
}

// Huang, Lyubomirsky et al., Figure 7: a pool of windows 4 x 4 by steps of 2 becomes four of pairs of rows.
TEST(Tensors, APoolIsPairsOfRowsFourTimes) {
  const std::string transfers =
      "rule pool : real (reduce_max [2] (windows ?x [2,1] [2,1])) => (m.load (m.pool (m.store ?x)));";
  const std::string rows = "(transpose (reshape (windows x [4,4] [2,2]) [3969,16]) [1,0])";
  const std::string c = pairs(4, "(reduce_max [2] (windows ", rows, " [2,1] [2,1]))");
  const std::string d = pairs(4, "(m.load (m.pool (m.store ", rows, ")))");
  const std::string f = "(m.load " + pairs(4, "(m.pool ", "(m.store " + rows + ")", ")") + ")";
  const auto whole = [](const std::string& of) { return "(reshape (transpose " + of + " [1,0]) [63,63])"; };
  const std::map<std::string, Numbers> shapes{{"x", {128, 128}}};
  Matched apart("(reduce_max [2] (windows x [4,4] [2,2]))", shapes, transfers);
  EXPECT_EQ(apart.saturation.stop, Stop::kSaturated);
  for (const std::string& text : {c, d}) {
    const auto found = lookup_term(apart.graph, testing::term(whole(text)));
    ASSERT_TRUE(found) << text;
    EXPECT_EQ(*found, apart.graph.find(apart.root)) << text;
  }
  EXPECT_FALSE(lookup_term(apart.graph, testing::term(f)));
  Matched stays("(reduce_max [2] (windows x [4,4] [2,2]))", shapes,
                transfers + "rule stays : exact (m.store (m.load ?x)) => ?x;");
  const auto found = lookup_term(stays.graph, testing::term(whole(f)));
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, stays.graph.find(stays.root));
}

TEST(Tensors, RowsOfOddNumbersAreNoPairs) {
  Matched matched("(reduce_max [2] (windows x [3,2] [2,2]))", {{"x", {9, 8}}});
  EXPECT_EQ(matched.saturation.stop, Stop::kSaturated);
  const std::string six = "(transpose (reshape (windows x [3,2] [2,2]) [16,6]) [1,0])";
  const std::string three = "(reduce_max [2] (windows " + six + " [2,1] [2,1]))";
  EXPECT_TRUE(lookup_term(matched.graph, testing::term(three)));
  EXPECT_FALSE(lookup_term(matched.graph, testing::term("(windows " + three + " [2,1] [2,1])")));
}

TEST(Tensors, ASumWithOneNumberIsNoBias) {
  Matched matched("(add (dense x w) b)", {{"x", {4, 16}}, {"w", {8, 16}}, {"b", {1}}});
  EXPECT_FALSE(lookup_term(matched.graph, testing::term("(bias_add (dense x w) b [1])")));
}

TEST(Tensors, ASumWithAnotherShapeIsNone) {
  Matched matched("(add (reshape (dense x w) [4,4,2]) b)", {{"x", {4, 16}}, {"w", {8, 16}}, {"b", {2}}});
  EXPECT_FALSE(are_equal(matched.graph, "(bias_add (dense x w) b [1])", "(dense x w)"));
  EXPECT_FALSE(lookup_term(matched.graph, testing::term("(bias_add (dense x w) b [1])")));
}

}  // namespace
}  // namespace covenant::compiler::match
