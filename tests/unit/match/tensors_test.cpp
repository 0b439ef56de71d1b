// Shapes, lists, and the rules of tensors: convolutions and sums become the operations that accelerators have.
#include "compiler/match/tensors.h"

#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

#include "compiler/match/extract.h"
#include "tests/unit/match/terms.h"

namespace covenant::compiler::match {
namespace {

using testing::add;
using testing::are_equal;

std::string text_of_file(const std::string& name) {
  std::ifstream file(name);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

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
    const auto read = parse_rules(
        text_of_file("compiler/match/rules/tensors.rules") + text_of_file("compiler/match/rules/lstm.rules") + more,
        "tensors.rules", tensor_conditions(facts));
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

TEST(Tensors, ASumWithAnotherShapeIsNone) {
  Matched matched("(add (reshape (dense x w) [4,4,2]) b)", {{"x", {4, 16}}, {"w", {8, 16}}, {"b", {2}}});
  EXPECT_FALSE(are_equal(matched.graph, "(bias_add (dense x w) b [1])", "(dense x w)"));
  EXPECT_FALSE(lookup_term(matched.graph, testing::term("(bias_add (dense x w) b [1])")));
}

}  // namespace
}  // namespace covenant::compiler::match
