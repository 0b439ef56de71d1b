// Expressions, ranges of parameters, loops and includes: ACG0002, ACG0013, ACG0040 to ACG0045.
#include <map>

#include "acg/lang/include.h"
#include "tests/error/acg/refused.h"
#include "tests/unit/acg/small_machine.h"

namespace covenant::acg {
namespace {

using testing::expect_refused;
using testing::with;

TEST(ExpressionErrors, Functions) {
  expect_refused(with("M * 2", "clog3(M)"), {"ACG0003", 3, 13, "clog3", "did you mean \"clog2\"?"});
  expect_refused(with("M * 2", "ceil_div(M)"), {"ACG0043", 3, 13, "1", "give it 2"});
  expect_refused(with("M * 2", "clog2(M, 2)"), {"ACG0043", 3, 13, "2", "give it 1"});
  expect_refused(with("M * 2", "max()"), {"ACG0043", 3, 13, "0", "give it 1 or more"});
  expect_refused(with("M * 2", "clog2(M - 4)"), {"ACG0044", 3, 13, "clog2(0)", "give it a value of 1 or more"});
  expect_refused(with("M * 2", "2 ^ -M"), {"ACG0044", 3, 15, "2 ^ -4", "give it an exponent of 0 or more"});
}

TEST(ExpressionErrors, Overflow) {
  expect_refused(with("M * 2", "2 ^ 63"), {"ACG0010", 3, 15, "2 ^ 63", "use smaller parameters"});
  expect_refused(with("M * 2", "(-3) ^ 41"), {"ACG0010", 3, 18, "-3 ^ 41", "use smaller parameters"});
  expect_refused(with("M * 2", "M % 0"), {"ACG0011", 3, 15, "4 % 0", "divide by something else"});
  expect_refused(with("M * 2", "ceil_div(M, M - 4)"), {"ACG0011", 3, 13, "4 / 0", "divide by something else"});
}

TEST(ExpressionErrors, Forms) {
  expect_refused(with("M * 2", "M ? 2"), {"ACG0002", 3, 18, ";", "write : before ;"});
  expect_refused(with("M * 2", "1 < M < 9"), {"ACG0002", 3, 19, "<", "write ; before <"});
  expect_refused(with("M * 2", "M ! 2"), {"ACG0001", 3, 15, "!", "remove it; comments start with #"});
  expect_refused(with("M * 2", "min(M, 2"), {"ACG0002", 3, 21, ";", "write ) before ;"});
  expect_refused(with("M * 2", "1.0e999"),
                 {"ACG0012", 3, 13, "1.0e999", "write whole numbers, and decimals only for the clock"});
}

TEST(ParameterErrors, Ranges) {
  const std::string ranged = with("param M = 4;", "param M : int in 1..16 = 4;");
  expect_refused(ranged, {"ACG0013", 1, 1, "17", "use a value in 1..16"}, "", {{"M", "17"}});
  expect_refused(ranged, {"ACG0013", 1, 1, "0", "use a value in 1..16"}, "", {{"M", "0"}});
  expect_refused(with("param M = 4;", "param M in 1..16 = 64;"), {"ACG0013", 2, 22, "64", "use a value in 1..16"});
  expect_refused(with("N = M * 2;", "N in 1..8 = M * 2;"), {"ACG0013", 4, 23, "16", "use a value in 1..8"}, "wide");
  expect_refused(with("param M = 4;", "param M in [4, 8] = 5;"),
                 {"ACG0013", 2, 23, "5", "use one of the values listed"});
  expect_refused(with("param M = 4;", "param M : bool = 2;"), {"ACG0013", 2, 20, "2", "use true or false"});
  expect_refused(with("param M = 4;", "param M : boolean = 2;"),
                 {"ACG0003", 2, 13, "boolean", "use one of the allowed words"});
  expect_refused(with("param M = 4;", "param M in 1 = 4;"), {"ACG0002", 2, 16, "=", "write .. before ="});
}

TEST(ParameterErrors, Names) {
  const std::string named = with("param M = 4;", "param M = 4; param mode : name in [slow, fast] = slow;");
  expect_refused(named, {"ACG0013", 1, 1, "fats", "did you mean \"fast\"?"}, "", {{"mode", "fats"}});
  expect_refused(named, {"ACG0013", 1, 1, "1", "use one of the allowed words"}, "", {{"mode", "1"}});
  expect_refused(named, {"ACG0013", 1, 1, "an expression", "use one of the allowed words"}, "", {{"mode", "-fast"}});
  expect_refused(with("param M = 4;", "param mode : name in [slow, fast] = quick;"),
                 {"ACG0013", 2, 39, "quick", "use one of the allowed words"});
  expect_refused(with("param M = 4;", "param mode : name = slow;"),
                 {"ACG0002", 2, 21, "=", "say the names that it may have: `in [A, B]`"});
  expect_refused(with("param M = 4;", "param mode : name in [slow, slow] = slow;"),
                 {"ACG0004", 2, 31, "slow", "keep one of the two"});
  expect_refused(with("param M = 4;", "param mode : name in [slow, fast] = slow; param M = mode;"),
                 {"ACG0009", 2, 55, "mode", "use one of the allowed words"});
}

TEST(LoopErrors, Forms) {
  expect_refused("acg m {\n  for i in 1 { }\n}", {"ACG0002", 2, 14, "{", "write .. before {"});
  expect_refused("acg m {\n  for i of 1..2 { }\n}", {"ACG0002", 2, 9, "of", "write in before of"});
  expect_refused("acg m {\n  for i in 1..2 { param x = 1; }\n}",
                 {"ACG0003", 2, 19, "param", "use one of the allowed words"});
  expect_refused("acg m {\n  for i in 1..0 { param x = 1; }\n}",
                 {"ACG0003", 2, 19, "param", "use one of the allowed words"});
  expect_refused("acg m {\n  for i, j in 1..2 { }\n}", {"ACG0045", 2, 15, "1", "write the values of a turn as (A, B)"});
  expect_refused("acg m {\n  for i, j in [(1, 2), (3, 4, 5)] { }\n}",
                 {"ACG0045", 2, 24, "3", "write the values of a turn as (A, B)"});
}

TEST(LoopErrors, Variables) {
  expect_refused("acg m {\n  for i in 1..2 { memory A$j { } }\n}",
                 {"ACG0042", 2, 26, "A$j", "use one of the allowed words"});
  expect_refused("acg m {\n  for i in 1..2 { memory A$(i { } }\n}", {"ACG0042", 2, 26, "A$(i", "did you mean \"i\"?"});
  expect_refused("acg m {\n  memory A$i { }\n}",
                 {"ACG0042", 2, 10, "A$i", "use $NAME inside of `for NAME in ... { }`"});
  expect_refused("acg m {\n  for i in 1..2 { memory A { } }\n}",
                 {"ACG0004", 2, 26, "A", "give one of the two another name"});
  expect_refused("acg m {\n  for i in 1..k { memory A$i { } }\n}",
                 {"ACG0009", 2, 15, "k", "write a number: nothing is declared before it"});
}

TEST(LoopErrors, TooLarge) {
  const std::string fewer = "let loops run over fewer values";
  expect_refused("acg m {\n  for i in 1..20000 { memory A$i { } }\n}", {"ACG0041", 2, 12, "1..20000", fewer});
  expect_refused("acg m {\n  for i in 1..999 { for j in 1..999 { } }\n}",
                 {"ACG0041", 2, 3, "more than 10000 turns of loops", fewer});
  std::string deep = "acg m { ";
  for (int i = 0; i < 100; ++i) deep += "for i in 1..1 { ";
  const Result<Machine> loops = parse_machine(deep, "deep.acg");
  ASSERT_FALSE(loops);
  EXPECT_EQ(loops.error().fix, "nest at most 16 levels deep");
  std::string nodes = "acg m { ";
  for (int i = 0; i < 100; ++i) nodes += "compute A { ";
  EXPECT_EQ(parse_machine(nodes, "deep.acg").error().fix, "nest at most 16 levels deep");
}

/// Files that are there for one test only.
lang::ReadInclude files(std::map<std::string, std::string> texts) {
  return [texts = std::move(texts)](const std::string& from, const std::string& written) -> Result<lang::IncludedText> {
    const auto found = texts.find(written);
    if (found == texts.end()) return lang::no_includes(from, written);
    return lang::IncludedText{written, found->second};
  };
}

Diagnostic refused_with(std::string_view text, std::map<std::string, std::string> texts) {
  const Result<Machine> machine = parse_machine(text, "main.acg", {}, {}, files(std::move(texts)));
  if (!machine) return machine.error();
  ADD_FAILURE() << "accepted";
  return {};
}

TEST(IncludeErrors, Circles) {
  const Diagnostic said =
      refused_with("acg m {\n  include \"a.acg\"; }",
                   {{"a.acg", "memory A { }\ninclude \"b.acg\";"}, {"b.acg", " include \"a.acg\";"}});
  EXPECT_EQ(said.code, "ACG0040");
  EXPECT_EQ(said.where, (SourceLocation{"b.acg", 1, 10}));
  EXPECT_EQ(said.offending, "main.acg -> a.acg -> b.acg -> a.acg");
  EXPECT_EQ(said.fix, "move what both need into a third file");
}

TEST(IncludeErrors, MissingFile) {
  const Diagnostic said = refused_with("acg m {\n  include \"a.acg\"; }", {});
  EXPECT_EQ(said.code, "ACG0008");
  EXPECT_EQ(said.where, (SourceLocation{"main.acg", 2, 11}));
  EXPECT_EQ(said.fix, "check that the path names a readable file");
  expect_refused("acg m {\n  include \"nonesuch.acg\"; }",
                 {"ACG0008", 2, 11, "nonesuch.acg", "check that the path names a readable file"});
}

TEST(IncludeErrors, MistakesInTheFile) {
  const Diagnostic said = refused_with("acg m {\n  include \"a.acg\"; }", {{"a.acg", "\nmemry A { }"}});
  EXPECT_EQ(said.code, "ACG0003");
  EXPECT_EQ(said.where, (SourceLocation{"a.acg", 2, 1}));
  expect_refused("acg m {\n  include a; }", {"ACG0002", 2, 3, "include", "write `include \"FILE.acg\";`"});
}

TEST(IncludeErrors, TooLarge) {
  std::map<std::string, std::string> texts{{"f9.acg", ""}};
  for (int i = 0; i < 9; ++i) {
    for (int j = 0; j < 3; ++j)
      texts["f" + std::to_string(i) + ".acg"] += "include \"f" + std::to_string(i + 1) + ".acg\";";
  }
  const Diagnostic said = refused_with("acg m { include \"f0.acg\"; }", texts);
  EXPECT_EQ(said.code, "ACG0041");
  EXPECT_EQ(said.offending, "more than 1000 files");
  EXPECT_EQ(said.fix, "include fewer and smaller files");
}

}  // namespace
}  // namespace covenant::acg
