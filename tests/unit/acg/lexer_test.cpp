#include "acg/lang/lexer.h"

#include <gtest/gtest.h>

namespace covenant::acg::lang {
namespace {

TEST(Lexer, KindsAndPlaces) {
  const std::vector<LexedToken> tokens = tokenize("acg m {  # rest\n\t\"a b\" <-> -> 12 }", "f");
  ASSERT_EQ(tokens.size(), 9U);
  EXPECT_EQ(tokens[0].kind, TokenKind::kWord);
  EXPECT_EQ(tokens[0].where, (SourceLocation{"f", 1, 1}));
  EXPECT_EQ(tokens[2].text, "{");
  EXPECT_EQ(tokens[2].where, (SourceLocation{"f", 1, 7}));
  EXPECT_EQ(tokens[3].kind, TokenKind::kString);
  EXPECT_EQ(tokens[3].text, "a b");
  EXPECT_EQ(tokens[3].where, (SourceLocation{"f", 2, 2}));
  EXPECT_EQ(tokens[4].text, "<->");
  EXPECT_EQ(tokens[5].text, "->");
  EXPECT_EQ(tokens[6].integer, 12);
  EXPECT_EQ(tokens[8].kind, TokenKind::kEnd);
}

TEST(Lexer, Numbers) {
  const auto integer = [](std::string_view text) { return tokenize(text, "f").at(0).integer; };
  EXPECT_EQ(integer("0"), 0);
  EXPECT_EQ(integer("3K"), 3 * 1024);
  EXPECT_EQ(integer("2M"), 2 * 1024 * 1024);
  EXPECT_EQ(integer("4G"), int64_t{4} * 1024 * 1024 * 1024);
  EXPECT_EQ(integer("0x1f"), 31);
  EXPECT_EQ(integer("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(tokenize("- 0x8000000000000000", "f").at(1).integer, INT64_MIN) << "which only a sign makes a number";
  EXPECT_TRUE(is_lowest(tokenize("-8589934592G", "f").at(1)));
  EXPECT_FALSE(is_lowest(tokenize("-8589934591G", "f").at(1)));
}

TEST(Lexer, DecimalsAndUnits) {
  const std::vector<LexedToken> tokens = tokenize("1.25 GHz 800MHz", "f");
  EXPECT_EQ(tokens[0].kind, TokenKind::kDecimal);
  EXPECT_EQ(tokens[0].decimal, 1.25);
  EXPECT_EQ(tokens[1].text, "GHz");
  EXPECT_EQ(tokens[2].decimal, 800.0);
  EXPECT_EQ(tokens[3].text, "MHz") << "a unit may follow its number without a space";
}

TEST(Lexer, EmptyText) {
  const std::vector<LexedToken> tokens = tokenize("", "f");
  ASSERT_EQ(tokens.size(), 1U);
  EXPECT_EQ(tokens[0].where, (SourceLocation{"f", 1, 1}));
}

}  // namespace
}  // namespace covenant::acg::lang
