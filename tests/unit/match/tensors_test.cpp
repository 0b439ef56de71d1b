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

  Matched(const std::string& term, const std::map<std::string, Numbers>& shapes, const std::string& more = "")
      : facts(shapes), root(add(graph, term)) {
    const auto read = parse_rules(text_of_file("compiler/match/rules/tensors.rules") + more, "tensors.rules",
                                  tensor_conditions(facts));
    EXPECT_TRUE(read) << (read ? "" : render(read.error()));
    if (!read) return;
    saturation = saturate(graph, *read);
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
