// Sums, products, powers, derivatives and integrals: the terms that egg's tests prove, with its rules and limits
// (Willsey et al., egg, its test sets).
#include <algorithm>
#include <array>
#include <charconv>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

#include "compiler/match/extract.h"
#include "tests/unit/match/constants.h"
#include "tests/unit/match/terms.h"

namespace covenant::compiler::match {
namespace {

using testing::add;
using testing::Constants;
using testing::fault;
using testing::rules;

std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.begin(), text.end(), value);
  return error == std::errc() && end == text.end() ? std::optional(value) : std::nullopt;
}

/// Without the sign of -0.
std::string text(double value) {
  std::array<char, 40> digits{};
  return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value + 0.0).ptr};
}

std::optional<std::string> fold(const std::string& name, const std::vector<std::string>& of) {
  if (of.empty()) return number(name) ? std::optional(name) : std::nullopt;
  if (of.size() != 2) return std::nullopt;
  const double a = number(of[0]).value(), b = number(of[1]).value();
  if (name == "+") return text(a + b);
  if (name == "-") return text(a - b);
  if (name == "*") return text(a * b);
  return name == "/" && b != 0 ? std::optional(text(a / b)) : std::nullopt;
}

/// Constants are numbers, and nothing else of their classes is looked into.
struct Numbers : Constants {
  Numbers() : Constants(fold, Other::kIsHidden) {}
};

constexpr const char* kRules = R"(
  rule swap-sum     : real  (+ ?a ?b) => (+ ?b ?a);
  rule swap-product : real  (* ?a ?b) => (* ?b ?a);
  rule group-sum    : real  (+ ?a (+ ?b ?c)) => (+ (+ ?a ?b) ?c);
  rule group-product: real  (* ?a (* ?b ?c)) => (* (* ?a ?b) ?c);
  rule difference   : real  (- ?a ?b) => (+ ?a (* -1 ?b));
  rule quotient     : real  (/ ?a ?b) => (* ?a (pow ?b -1)) where is_not_zero(?b);
  rule sum-of-0     : real  (+ ?a 0) => ?a;
  rule product-of-0 : real  (* ?a 0) => 0;
  rule product-of-1 : real  (* ?a 1) => ?a;
  rule add-0        : real  ?a => (+ ?a 0);
  rule times-1      : real  ?a => (* ?a 1);
  rule less-itself  : real  (- ?a ?a) => 0;
  rule by-itself    : real  (/ ?a ?a) => 1 where is_not_zero(?a);
  rule distribute   : real  (* ?a (+ ?b ?c)) => (+ (* ?a ?b) (* ?a ?c));
  rule factor       : real  (+ (* ?a ?b) (* ?a ?c)) => (* ?a (+ ?b ?c));
  rule powers       : real  (* (pow ?a ?b) (pow ?a ?c)) => (pow ?a (+ ?b ?c));
  rule power-of-0   : real  (pow ?x 0) => 1 where is_not_zero(?x);
  rule power-of-1   : real  (pow ?x 1) => ?x;
  rule power-of-2   : real  (pow ?x 2) => (* ?x ?x);
  rule reciprocal   : real  (pow ?x -1) => (/ 1 ?x) where is_not_zero(?x);
  rule by-reciprocal: real  (* ?x (/ 1 ?x)) => 1 where is_not_zero(?x);
  rule d-itself     : real  (d ?x ?x) => 1 where is_name(?x);
  rule d-other      : real  (d ?x ?c) => 0 where is_name(?x), is_constant_for(?c, ?x);
  rule d-sum        : real  (d ?x (+ ?a ?b)) => (+ (d ?x ?a) (d ?x ?b));
  rule d-product    : real  (d ?x (* ?a ?b)) => (+ (* ?a (d ?x ?b)) (* ?b (d ?x ?a)));
  rule d-sin        : real  (d ?x (sin ?x)) => (cos ?x);
  rule d-cos        : real  (d ?x (cos ?x)) => (* -1 (sin ?x));
  rule d-ln         : real  (d ?x (ln ?x)) => (/ 1 ?x) where is_not_zero(?x);
  rule d-power      : real  (d ?x (pow ?f ?g)) => (* (pow ?f ?g) (+ (* (d ?x ?f) (/ ?g ?f)) (* (d ?x ?g) (ln ?f))))
                            where is_not_zero(?f), is_not_zero(?g);
  rule i-1          : real  (i 1 ?x) => ?x;
  rule i-power      : real  (i (pow ?x ?c) ?x) => (/ (pow ?x (+ ?c 1)) (+ ?c 1)) where is_number(?c);
  rule i-cos        : real  (i (cos ?x) ?x) => (sin ?x);
  rule i-sin        : real  (i (sin ?x) ?x) => (* -1 (cos ?x));
  rule i-sum        : real  (i (+ ?f ?g) ?x) => (+ (i ?f ?x) (i ?g ?x));
  rule i-difference : real  (i (- ?f ?g) ?x) => (- (i ?f ?x) (i ?g ?x));
  rule i-parts      : real  (i (* ?a ?b) ?x) => (- (* ?a (i ?b ?x)) (i (* (d ?x ?a) (i ?b ?x)) ?x));
)";

Conditions conditions(const Constants& constants) {
  const auto is_number = [&constants](Id of) { return constants.of(of).has_value(); };
  const auto is_name = [](const EGraph& graph, Id of) {
    return std::ranges::any_of(graph.nodes(of), [&](Id node) {
      return graph.children(node).empty() && !number(graph.name(graph.operation(node)));
    });
  };
  return {{"is_number", {[=](const EGraph&, std::span<const Id> of) { return is_number(of[0]); }}},
          {"is_not_zero", {[&](const EGraph&, std::span<const Id> of) { return constants.of(of[0]) != "0"; }}},
          {"is_name", {[=](const EGraph& graph, std::span<const Id> of) { return is_name(graph, of[0]); }}},
          {"is_constant_for",
           {[=](const EGraph& graph, std::span<const Id> of) {
              return of[0] != of[1] && (is_number(of[0]) || is_name(graph, of[0]));
            },
            2}}};
}

struct Case {
  const char* name;
  const char* from;
  const char* to;
  Limits limits = {};
  const char* also = nullptr;  ///< a term to begin with, too
  bool is_proven = true;
};

class Mathematics : public ::testing::TestWithParam<Case> {};

TEST_P(Mathematics, IsProven) {
  Numbers constants;
  const std::vector<Rule> all = rules(kRules, conditions(constants));
  ASSERT_EQ(all.size(), 36U);
  EXPECT_EQ(testing::proves(GetParam().from, GetParam().to, all, &constants, GetParam().limits, GetParam().also),
            GetParam().is_proven);
}

const std::vector<Case> kCases{
    {"Fail", "(+ x y)", "(/ x y)", {}, nullptr, false},
    {"Add", "(+ x (+ x (+ x x)))", "(* 4 x)"},
    {"Powers", "(* (pow 2 x) (pow 2 y))", "(pow 2 (+ x y))"},
    {"Constant", "(+ 1 (- a (* (- 2 1) a)))", "1"},
    {"Root", "(/ 1 (- (/ (+ 1 (sqrt five)) 2) (/ (- 1 (sqrt five)) 2)))", "(/ 1 (sqrt five))", {.nodes = 75'000}},
    {"Factor", "(* (+ x 3) (+ x 1))", "(+ (+ (* x x) (* 4 x)) 3)"},
    {"DerivativeSame", "(d x x)", "1"},
    {"DerivativeDifferent", "(d x y)", "0"},
    {"DerivativeSimple1", "(d x (+ 1 (* 2 x)))", "2"},
    {"DerivativeSimple2", "(d x (+ 1 (* y x)))", "y"},
    {"DerivativeLogarithm", "(d x (ln x))", "(/ 1 x)"},
    {"PowerSimple", "(d x (pow x 3))", "(* 3 (pow x 2))"},
    {"PowerHarder",
     "(d x (- (pow x 3) (* 7 (pow x 2))))",
     "(* x (- (* 3 x) 14))",
     {.iterations = 60, .nodes = 100'000},
     "(* x (- (* 3 x) 14))"},
    {"IntegralOne", "(i 1 x)", "x"},
    {"IntegralCosine", "(i (cos x) x)", "(sin x)"},
    {"IntegralX", "(i (pow x 1) x)", "(/ (pow x 2) 2)"},
    {"IntegralPart1", "(i (* x (cos x)) x)", "(+ (* x (sin x)) (cos x))"},
    {"IntegralPart2", "(i (* (cos x) x) x)", "(+ (* x (sin x)) (cos x))"},
    {"IntegralPart3", "(i (ln x) x)", "(- (* x (ln x)) x)"},
};
INSTANTIATE_TEST_SUITE_P(Egg, Mathematics, ::testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

// All sums of seven terms: a class for each set of them that is not empty, whatever has been added in between.
TEST(Mathematics, SumsOfSevenHave127Classes) {
  EGraph graph;
  const Id root = add(graph, "(+ 1 (+ 2 (+ 3 (+ 4 (+ 5 (+ 6 7))))))");
  const std::vector<Rule> two = rules(
      "rule swap : real (+ ?a ?b) => (+ ?b ?a);\n"
      "rule group: real (+ ?a (+ ?b ?c)) => (+ (+ ?a ?b) ?c);");
  saturate(graph, two, {.iterations = 7, .matches = 0});
  EXPECT_EQ(fault(graph), "");
  EXPECT_EQ(graph.class_count(), 127U);
  EXPECT_EQ(lookup_term(graph, testing::term("(+ 7 (+ 6 (+ 5 (+ 4 (+ 3 (+ 2 1))))))")), graph.find(root));
}

TEST(Mathematics, AProductWithOneSaturates) {
  Numbers constants;
  EGraph graph(&constants);
  add(graph, "(* x 1)");
  EXPECT_EQ(saturate(graph, rules(kRules, conditions(constants)), {.iterations = 3}).stop, Stop::kSaturated);
}

// The least tree of `(pow (+ x (+ x x)) (+ x x))` is not its least term with shared parts.
TEST(Mathematics, SharedPartsOfAPower) {
  Numbers constants;
  EGraph graph(&constants);
  const Id root = add(graph, "(pow (+ x (+ x x)) (+ x x))");
  saturate(graph, rules(kRules, conditions(constants)), {.iterations = 3});
  const NodeCost one = [](const EGraph&, Id) { return uint64_t{1}; };
  const Extraction shared = extract_shared(graph, std::span(&root, 1), one);
  EXPECT_EQ(shared.cost, 4U);
  EXPECT_TRUE(shared.is_least());
  EXPECT_EQ(term_of(graph, shared, root).nodes.size(), 4U);
}

}  // namespace
}  // namespace covenant::compiler::match
