#include "compiler/srdfg/parse.h"

#include <gtest/gtest.h>

namespace covenant::compiler::srdfg {
namespace {

struct Case {
  const char* name;
  const char* text;
  uint32_t line;
  uint32_t column;
  const char* wanted;
};

class BadText : public testing::TestWithParam<Case> {};

TEST_P(BadText, IsRefusedWithItsPlace) {
  const Result<Graph> graph = parse(GetParam().text, "g.srdfg");
  ASSERT_FALSE(graph);
  const Diagnostic& diagnostic = graph.error();
  EXPECT_EQ(diagnostic.code, "ONX0018");
  EXPECT_EQ(diagnostic.where, (SourceLocation{"g.srdfg", GetParam().line, GetParam().column})) << render(diagnostic);
  ASSERT_FALSE(diagnostic.allowed.empty());
  EXPECT_NE(diagnostic.allowed[0].find(GetParam().wanted), std::string::npos) << render(diagnostic);
  EXPECT_FALSE(diagnostic.fix.empty());
}

INSTANTIATE_TEST_SUITE_P(
    All, BadText,
    testing::Values(Case{"Empty", "", 1, 1, "srdfg"}, Case{"NoBrace", "srdfg \"g\" x", 1, 11, "{"},
                    Case{"Unordered", "srdfg \"g\" {\n value %1 \"a\" u8 [] input;", 2, 10, "%0"},
                    Case{"Dtype", "srdfg \"g\" {\n value %0 \"a\" u9 [] input;", 2, 17, "a dtype"},
                    Case{"Modifier", "srdfg \"g\" {\n value %0 \"a\" u8 [] inputs;", 2, 27, "a modifier"},
                    Case{"Hexadecimal", "srdfg \"g\" {\n value %0 \"a\" u8 [1] param data=\"0g\";", 2, 35,
                         "hexadecimal"},
                    Case{"Open", "srdfg \"g\" {\n value %0 \"a", 2, 13, "\""},
                    Case{"Number", "srdfg \"g\" {\n value %0 \"a\" u8 [99999999999999999999] input;", 2, 19, "integer"},
                    Case{"Scale", "srdfg \"g\" {\n value %0 \"a\" u8 [] input scales=[x]", 2, 35, "a number"},
                    Case{"Rest", "srdfg \"g\" { inputs; outputs; } more", 1, 32, "end of text"}),
    [](const auto& entry) { return entry.param.name; });

TEST(BadGraphText, DeepNestingIsRefusedNotFollowed) {
  std::string text;
  for (int depth = 0; depth < 20000; ++depth) text += "srdfg \"g\" { inputs; outputs; node \"n\" o() -> () { } body ";
  const Result<Graph> graph = parse(text);
  ASSERT_FALSE(graph);
  EXPECT_EQ(graph.error().code, "ONX0018");
}

TEST(BadGraphText, GraphsThatAreNotWellFormedAreRefused) {
  const Result<Graph> graph = parse("srdfg \"g\" { inputs %3; outputs; }", "g.srdfg");
  ASSERT_FALSE(graph);
  EXPECT_EQ(graph.error().code, "ONX0019");
  EXPECT_EQ(graph.error().where.file, "g.srdfg");
}

}  // namespace
}  // namespace covenant::compiler::srdfg
