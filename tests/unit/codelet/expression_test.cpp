#include "compiler/codelet/expression.h"

#include <gtest/gtest.h>

#include "acg/base/check.h"

namespace covenant::compiler::codelet {
namespace {

Expression v(const char* name) { return Expression::variable(name); }

TEST(Expression, IsCanonical) {
  EXPECT_EQ(v("a") * 2 + 1 - v("a"), v("a") + 1);
  EXPECT_EQ(v("a") * v("b"), v("b") * v("a"));
  EXPECT_EQ(v("a") - v("a"), Expression(0));
  EXPECT_TRUE((v("a") - v("a")).terms().empty());
  EXPECT_EQ((v("a") + 2) * (v("a") - 2), v("a") * v("a") - 4);
}

TEST(Expression, PrintsConstantsLast) {
  EXPECT_EQ((v("oh") * 2 + v("kh") - 1).print(), "kh + oh*2 - 1");
  EXPECT_EQ(Expression(0).print(), "0");
  EXPECT_EQ((Expression(-3) * v("a")).print(), "-a*3");
  EXPECT_EQ((v("n") * v("m") * 4).print(), "m*n*4");
  EXPECT_EQ(Expression(-7).print(), "-7");
}

TEST(Expression, EvaluatesAndSubstitutes) {
  const Expression e = v("oh") * v("S") + v("kh") - 1;
  EXPECT_EQ(e.evaluate({{"oh", 3}, {"S", 2}, {"kh", 1}}), 6);
  EXPECT_EQ(e.substitute("S", 2), v("oh") * 2 + v("kh") - 1);
  EXPECT_EQ(e.substitute("oh", v("t") * 4 + v("i")), v("t") * v("S") * 4 + v("i") * v("S") + v("kh") - 1);
  EXPECT_THROW(static_cast<void>(e.evaluate({{"oh", 3}})), InternalError);
}

TEST(Expression, GivesAffineParts) {
  const Expression e = v("oh") * 2 + v("kh") - 5;
  EXPECT_EQ(e.coefficient("oh"), 2);
  EXPECT_EQ(e.coefficient("ow"), 0);
  EXPECT_EQ(e.offset(), -5);
  EXPECT_TRUE(e.mentions("kh"));
  EXPECT_FALSE(e.mentions("k"));
  EXPECT_FALSE(e.constant());
  EXPECT_EQ(Expression(4).constant(), 4);
  EXPECT_EQ(Expression().constant(), 0);
}

TEST(Expression, DoesNotOverflowSilently) {
  const Expression large(int64_t{1} << 40);
  EXPECT_THROW(large * large, InternalError);
}

}  // namespace
}  // namespace covenant::compiler::codelet
