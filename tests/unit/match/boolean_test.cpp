// Statements that are proven of others, with rules and limits of egg's tests (Willsey et al., egg, its test sets).
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

#include "tests/unit/match/constants.h"
#include "tests/unit/match/terms.h"

namespace covenant::compiler::match {
namespace {

using testing::add;
using testing::fault;

std::optional<std::string> fold(const std::string& name, const std::vector<std::string>& of) {
  const auto is_true = [&](size_t i) { return of[i] == "true"; };
  const auto text = [](bool value) { return std::string(value ? "true" : "false"); };
  if (of.empty()) return name == "true" || name == "false" ? std::optional(name) : std::nullopt;
  if (name == "~") return text(!is_true(0));
  if (name == "&") return text(is_true(0) && is_true(1));
  if (name == "|") return text(is_true(0) || is_true(1));
  return name == "->" ? std::optional(text(!is_true(0) || is_true(1))) : std::nullopt;
}

struct Truth : testing::Constants {
  Truth() : Constants(fold, Other::kIsKept) {}
};

constexpr const char* kContrapositive = R"(
  rule imply : exact  (-> ?a ?b) <=> (| (~ ?a) ?b);
  rule twice : exact  ?a => (~ (~ ?a));
  rule or    : exact  (| ?a ?b) => (| ?b ?a);
)";
constexpr const char* kChain = R"(
  rule and   : exact  (& ?a ?b) => (& ?b ?a);
  rule either: exact  (& (-> ?a ?b) (-> (~ ?a) ?c)) => (| ?b ?c);  # if the left side is true
)";

/// Rules of which the last, `either`, asks whether its left side is true: egg has two patterns there, one of them
/// without variables, of the same class.
std::vector<Rule> rules_of_chain() {
  std::vector<Rule> all = testing::rules(std::string(kContrapositive) + kChain);
  all.back().makes = [](EGraph& graph, Id of, std::span<const Id> variables) -> std::optional<Id> {
    if (graph.lookup(graph.symbol("true"), {}) != graph.find(of)) return std::nullopt;
    return graph.add(graph.symbol("|"), std::vector<Id>{variables[1], variables[2]});
  };
  return all;
}

/// Which of the goals are not equal to the statement, which is said to be true, after the limits of egg's tests.
std::vector<std::string> unproven(const char* statement, const std::vector<Rule>& by,
                                  const std::vector<std::string>& goals, bool is_said = true) {
  Truth truth;
  EGraph graph(&truth);
  const Id root = add(graph, statement);
  if (is_said) graph.unite(root, add(graph, "true"));
  saturate(graph, by, {.iterations = 20, .nodes = 5'000, .is_done = [](const EGraph& now) {
                         EXPECT_EQ(fault(now), "");
                         return false;
                       }});
  std::vector<std::string> left;
  for (const std::string& goal : goals) {
    if (lookup_term(graph, testing::term(goal)) != graph.find(root)) left.push_back(goal);
  }
  return left;
}

TEST(Boolean, Contrapositive) {
  EXPECT_EQ(unproven("(-> x y)", testing::rules(kContrapositive),
                     {"(-> x y)", "(| (~ x) y)", "(| (~ x) (~ (~ y)))", "(| (~ (~ y)) (~ x))", "(-> (~ y) (~ x))"}),
            std::vector<std::string>{});
}

TEST(Boolean, Chain) {
  const char* const statement = "(& (-> x y) (-> y z))";
  EXPECT_EQ(unproven(statement, rules_of_chain(),
                     {statement, "(& (-> (~ y) (~ x)) (-> y z))", "(& (-> y z) (-> (~ y) (~ x)))", "(| z (~ x))",
                      "(| (~ x) z)", "(-> x z)"}),
            std::vector<std::string>{});
}

// `(-> x z)` follows from the statement; it is not equal to it.
TEST(Boolean, WhatIsNotSaidToBeTrueImpliesNothing) {
  const std::vector<std::string> goals{"(-> x z)", "(| (~ x) z)"};
  EXPECT_EQ(unproven("(& (-> x y) (-> y z))", rules_of_chain(), goals, false), goals);
}

TEST(Boolean, ConstantsAreFolded) {
  Truth truth;
  EGraph graph(&truth);
  add(graph, "(| (& false true) (& true false))");
  graph.rebuild();
  EXPECT_TRUE(testing::are_equal(graph, "(| (& false true) (& true false))", "false"));
}

}  // namespace
}  // namespace covenant::compiler::match
