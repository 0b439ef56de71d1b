// Rules and terms as text: what is read, what is said of what cannot be, and hostile texts.
#include "compiler/match/rules.h"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

#include "tests/support/seed.h"
#include "tests/unit/match/terms.h"

namespace covenant::compiler::match {
namespace {

using testing::rules;
using testing::term;

Conditions known() {
  const auto always = [](const EGraph&, std::span<const Id>) { return true; };
  return {{"is_matrix", {always}}, {"are_two", {always, 2}}};
}

TEST(Rules, AreRead) {
  const std::vector<Rule> read = rules(
      "# of matrices\n"
      "rule split: exact (conv ?x ?w) => (dense (rows ?x) ?w)\n"
      "  where is_matrix(?w), are_two(?x, ?w);  # and so on\n"
      "rule turn:real(mul ?a ?b)<=>(mul ?b ?a);",
      known());
  ASSERT_EQ(read.size(), 3U);
  EXPECT_EQ(read[0].name, "split");
  EXPECT_EQ(read[0].exactness, Exactness::kExact);
  EXPECT_EQ(text_of(read[0].left), "(conv ?x ?w)");
  EXPECT_EQ(text_of(read[0].right), "(dense (rows ?x) ?w)");
  ASSERT_EQ(read[0].conditions.size(), 2U);
  EXPECT_EQ(read[0].conditions[0].variables, std::vector<std::string>{"w"});
  EXPECT_EQ(read[0].conditions[1].variables, (std::vector<std::string>{"x", "w"}));
  EXPECT_EQ(read[0].where, (SourceLocation{"test.rules", 2, 6}));
  EXPECT_EQ(read[1].name, "turn");
  EXPECT_EQ(read[1].exactness, Exactness::kReal);
  EXPECT_EQ(read[2].name, "turn, back");
  EXPECT_EQ(text_of(read[2].left), "(mul ?b ?a)");
  EXPECT_EQ(text_of(read[2].right), "(mul ?a ?b)");
  EXPECT_TRUE(rules(" # nothing").empty());
}

// Both directions apply, each under the condition.
TEST(Rules, BothDirectionsHaveTheCondition) {
  const Conditions is_a{{"is_a", {[](const EGraph& graph, std::span<const Id> of) {
                           return lookup_term(graph, term("a")) == graph.find(of[0]);
                         }}}};
  const std::vector<Rule> both = rules("rule r: exact (f ?x) <=> (g ?x) where is_a(?x);", is_a);
  EGraph graph;
  for (const char* text : {"(f a)", "(f b)", "(g a)", "(g b)", "(h (g a))"}) testing::add(graph, text);
  EXPECT_EQ(saturate(graph, both).stop, Stop::kSaturated);
  EXPECT_TRUE(testing::are_equal(graph, "(f a)", "(g a)"));
  EXPECT_FALSE(testing::are_equal(graph, "(f b)", "(g b)"));
  EXPECT_TRUE(testing::are_equal(graph, "(h (f a))", "(h (g a))"));
}

TEST(Terms, RoundTrips) {
  std::mt19937_64 random(test::seed());
  const auto draw = [&](size_t below) { return static_cast<size_t>(random() % below); };
  for (int round = 0; round < 200; ++round) {
    std::vector<std::string> texts;
    for (size_t i = 0; i < 1 + draw(30); ++i) {
      std::string operands;
      for (size_t child = texts.empty() ? 0 : draw(4); child > 0; --child) operands += " " + texts[draw(texts.size())];
      const std::string name = fmt::format("{}{}", std::vector{"f", "+", "->", "is.it", "-1"}[draw(5)], draw(9));
      texts.push_back(!operands.empty() ? fmt::format("({}{})", name, operands) : draw(2) == 0 ? name : "?" + name);
      if (texts.back().size() > 5'000) break;
    }
    ASSERT_EQ(text_of(term(texts.back())), texts.back());
  }
  EXPECT_EQ(term(" ( f\t?x # here\n(g)) "), term("(f ?x g)"));
}

/// All that is said of a text that is no rules.
void refused(std::string_view text, const Diagnostic& wanted) {
  const Result<std::vector<Rule>> read = parse_rules(text, "test.rules", known());
  ASSERT_FALSE(read) << text.substr(0, 200);
  EXPECT_EQ(read.error().code, wanted.code);
  EXPECT_TRUE(read.error() == wanted) << render(read.error()) << "\nwanted\n" << render(wanted);
}

SourceLocation at(uint32_t line, uint32_t column) { return {"test.rules", line, column}; }

constexpr const char* kRule = "write `rule NAME : exact LEFT => RIGHT;`";
constexpr const char* kTerm = "write `name`, `?variable` or `(name term ...)`";
constexpr const char* kName = "use up to 200 printable characters of ASCII";
constexpr const char* kEnd = "the end of the text";
constexpr const char* kNoName = "the name of an operation is expected";

TEST(Rules, WhatIsNotWrittenSo) {
  const std::string other = "something else is expected";
  refused("\n  rules", {"MAT0001", at(2, 3), "", other, "rules", {"rule"}, kRule});
  refused("rule : exact a => b;", {"MAT0001", at(1, 6), "", "the name of a rule is expected", ":", {}, kRule});
  refused("rule", {"MAT0001", at(1, 5), "", "the name of a rule is expected", kEnd, {}, kRule});
  const std::string exact = "say whether it is exact or real: `rule NAME : exact ...`";
  refused("rule r a", {"MAT0001", at(1, 8), "", other, "a", {":"}, exact});
  refused("rule r: a", {"MAT0001",
                        at(1, 9),
                        "",
                        "it is to be said what is equal",
                        "a",
                        {"exact", "real"},
                        "all bits: `exact`, or real numbers"});
  refused("rule r: exact => b;", {"MAT0001", at(1, 15), "", kNoName, "=>", {}, kTerm});
  refused("rule r: exact a b;",
          {"MAT0001", at(1, 17), "", "the right side is expected", "b", {"=>", "<=>"}, "write LEFT => RIGHT"});
  refused("rule r: exact a => b", {"MAT0001", at(1, 21), "", other, kEnd, {";"}, "end the rule"});
  refused("rule r: exact a => (f (g b);", {"MAT0001", at(1, 28), "", kNoName, ";", {}, kTerm});
  refused("rule r: exact a => (f\n(g b)",
          {"MAT0001", at(2, 6), "", "a `(` is not closed", kEnd, {}, "close the one at line 1, column 20"});
  refused("rule r: exact );", {"MAT0001", at(1, 15), "", kNoName, ")", {}, kTerm});
  refused("rule r: exact ?;", {"MAT0001", at(1, 15), "", kNoName, "?", {}, kTerm});
  refused("rule r: exact (?f a) => a;", {"MAT0001", at(1, 16), "", "a variable has no operands", "?f", {}, kTerm});
  refused("rule r: exact () => a;", {"MAT0001", at(1, 16), "", kNoName, ")", {}, kTerm});
  const std::string begin = "rule r: exact (f ?a) => ?a where ";
  refused(begin + ";",
          {"MAT0001", at(1, 34), "", "the name of a condition is expected", ";", {}, "name one after `where`"});
  refused(begin + "is_matrix;",
          {"MAT0001", at(1, 43), "", other, ";", {"("}, "give the variables that it is about: `is_matrix(?w)`"});
  refused(begin + "is_matrix(?a;", {"MAT0001", at(1, 46), "", other, ";", {")"}, "close the variables"});
}

TEST(Rules, VariablesThatThereAreNot) {
  const std::string one_side = "a variable that the side before does not have";
  const std::string use = "use variables of the side before";
  refused("rule r: exact (f ?a ?c) => (g ?a ?b);", {"MAT0002", at(1, 25), "r", one_side, "?b", {"?a", "?c"}, use});
  refused("rule r: exact (f ?a ?c) <=> (g ?a);", {"MAT0002", at(1, 25), "r", one_side, "?c", {"?a"}, use});
  const std::string about = "a condition about what is no variable of the left side";
  refused("rule r: exact (f ?a) => a where is_matrix(?b);",
          {"MAT0002", at(1, 43), "r", about, "?b", {"?a"}, "name one of its variables"});
  refused("rule r: exact (f ?a) => a where is_matrix(a);",
          {"MAT0002", at(1, 43), "r", about, "a", {"?a"}, "name one of its variables"});
  const std::string give = "give those that the condition is about";
  for (const auto& [text, word] : {std::pair("is_matrix(", kEnd), std::pair("is_matrix()", ")")}) {
    refused(std::string("rule r: exact (f ?a) => a where ") + text,
            {"MAT0001", at(1, 43), "", "the name of a variable is expected", word, {}, give});
  }
}

TEST(Rules, ConditionsThatThereAreNot) {
  refused("rule r: exact (f ?a) => a where is_new(?a);",
          {"MAT0003", at(1, 33), "r", "no such condition", "is_new", {"are_two", "is_matrix"}, "name one of those"});
  refused("rule r: exact (f ?a) => a where are_two(?a);", {"MAT0003",
                                                           at(1, 33),
                                                           "r",
                                                           "a condition about another number of variables",
                                                           "are_two of 1",
                                                           {"2"},
                                                           "give it as many"});
}

TEST(Rules, NamesThatAreTaken) {
  refused("rule r: exact a => b;\nrule r: exact b => c;",
          {"MAT0004", at(2, 6), "r", "two rules of one name", "r", {}, "give it another name"});
}

TEST(Rules, HostileTexts) {
  const std::string begin = "rule r: exact ";
  refused(begin + std::string(100'000, '('), {"MAT0001", at(1, 16), "", kNoName, "(", {}, kTerm});
  refused(begin + std::string(100'000, ')'), {"MAT0001", at(1, 15), "", kNoName, ")", {}, kTerm});
  std::string deep = begin;
  for (int i = 0; i < 100'000; ++i) deep += "(f ";
  refused(deep, {"MAT0001", at(1, 30'015), "", "a term has more than 10000 nodes", "(", {}, "divide it"});
  std::string wide = begin + "(f";
  for (int i = 0; i < 100'000; ++i) wide += " a";
  refused(wide, {"MAT0001", at(1, 20'016), "", "a term has more than 10000 nodes", "a", {}, "divide it"});
  refused(begin + std::string(201, 'n') + " => a;",
          {"MAT0001", at(1, 15), "", "not a name", std::string(60, 'n'), {}, kName});
  refused("rule " + std::string(1'000'000, 'n') + ": exact a => b;",
          {"MAT0001", at(1, 6), "", "not a name", std::string(60, 'n'), {}, kName});
  refused(begin + std::string("a\0b => c;", 9), {"MAT0001", at(1, 15), "", "not a name", "byte 0x00", {}, kName});
  refused(begin + "(f \xff);", {"MAT0001", at(1, 18), "", "not a name", "byte 0xff", {}, kName});
  refused(begin + "\x7f", {"MAT0001", at(1, 15), "", "not a name", "byte 0x7f", {}, kName});
  refused(std::string(3, '\0'), {"MAT0001", at(1, 1), "", "something else is expected", "byte 0x00", {"rule"}, kRule});
  EXPECT_EQ(rules(begin + std::string(200, 'n') + " => a;").size(), 1U);
}

// Bytes of rules that are exchanged, left out, doubled: what is read is whole, what is refused has a place in the text.
TEST(Rules, ChangedTexts) {
  const std::string whole =
      "rule split: exact (conv ?x ?w) => (dense (rows ?x) ?w) where is_matrix(?w), are_two(?x, ?w);\n"
      "rule turn: real (mul ?a ?b) <=> (mul ?b ?a);\n# the end";
  std::mt19937_64 random(test::seed());
  const auto draw = [&](size_t below) { return static_cast<size_t>(random() % below); };
  size_t read_count = 0, refused_count = 0;
  for (int round = 0; round < 5'000; ++round) {
    std::string text = whole;
    for (size_t change = 1 + draw(3); change > 0; --change) {
      const size_t place = draw(text.size()), length = 1 + draw(8);
      if (draw(3) == 0) text[place] = "()?:;,#<=> \n\0\xffx"[draw(15)];
      if (draw(3) == 0) text.erase(place, length);
      if (draw(3) == 0) text.insert(draw(text.size() + 1), text.substr(std::min(place, text.size()), length));
    }
    const Result<std::vector<Rule>> read = parse_rules(text, "test.rules", known());
    if (read) {
      for (const Rule& rule : *read) {
        EXPECT_EQ(term(text_of(rule.left)), rule.left);
        EXPECT_EQ(term(text_of(rule.right)), rule.right);
      }
      ++read_count;
      continue;
    }
    ++refused_count;
    const Diagnostic& error = read.error();
    EXPECT_TRUE(error.code.starts_with("MAT000")) << text;
    EXPECT_TRUE(error.where.line >= 1 && error.where.line <= 1 + std::ranges::count(text, '\n')) << text;
    EXPECT_TRUE(error.where.column >= 1 && error.where.column <= text.size() + 1) << text;
    EXPECT_FALSE(error.offending.empty() || error.fix.empty()) << text;
  }
  EXPECT_GT(read_count, 100U);
  EXPECT_GT(refused_count, 1'000U);
}

// A pattern of as many nodes as may be, in a row and in each other, with variables, each once and one in all places.
TEST(Rules, LargePatternsAreFound) {
  for (const bool is_deep : {true, false}) {
    for (const bool has_one : {true, false}) {
      std::string pattern = is_deep ? "?x" : "(f", found = is_deep ? "a" : "(f";
      for (int i = 0; i < 4'999; ++i) {
        if (is_deep) {
          pattern = fmt::format("(f {} {})", pattern, has_one ? "?x" : "b");
          found = fmt::format("(f {} {})", found, has_one ? "a" : "b");
        } else {
          pattern += has_one ? " ?x b" : fmt::format(" ?x{} b", i);
          found += " a b";
        }
      }
      EGraph graph;
      const Id root = testing::add(graph, is_deep ? found : found + ")");
      graph.rebuild();
      size_t count = 0;
      const Pattern compiled(graph, term(is_deep ? pattern : pattern + ")"));
      compiled.search(graph, [&](Id of, std::span<const Id>) {
        EXPECT_EQ(of, root);
        return ++count != 0;
      });
      EXPECT_EQ(count, 1U) << is_deep << has_one;
    }
  }
}

TEST(Terms, WhatIsNone) {
  const auto of = [](std::string_view text) { return parse_term(text).error(); };
  EXPECT_EQ(of("").code, "MAT0001");
  EXPECT_EQ(of("").offending, kEnd);
  EXPECT_EQ(of("a b"), (Diagnostic{"MAT0001", {"", 1, 3}, "", "a term has ended before", "b", {}, "write one term"}));
  EXPECT_EQ(of("(f a)).").where.column, 6U);
}

}  // namespace
}  // namespace covenant::compiler::match
