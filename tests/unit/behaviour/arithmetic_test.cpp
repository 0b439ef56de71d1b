// Values of expressions, one by one, and the ranges that the text gives them.
#include <gtest/gtest.h>
#include <string>

#include "acg/base/check.h"
#include "tests/support/behaviour.h"

namespace covenant::acg {
namespace {

using behaviour::Evaluator;
using testing::read_at;
using testing::with;
using testing::write_at;

/// The value of an expression over x.
int64_t value_of(const std::string& expression, int64_t x) {
  const std::string more = "function f(a : i16) : i16 { let b = a; return " + expression + "; }" +
                           "instruction try on bus { decode = read and address == 3; update { reply = f(x); } }";
  Evaluator machine(with(more));
  check(static_cast<bool>(write_at(machine, 1, x)), "a write");
  const Result<int64_t> got = read_at(machine, 3);
  check(static_cast<bool>(got), got ? "" : render(got.error()));
  return *got;
}

TEST(BehaviourArithmetic, Operators) {
  EXPECT_EQ(value_of("wrap(i16, a + 7)", 32767), -32762);
  EXPECT_EQ(value_of("saturate(i16, a + 7)", 32767), 32767);
  EXPECT_EQ(value_of("saturate(i8, a)", -300), -128);
  EXPECT_EQ(value_of("saturate(u8, a)", -300), 0);
  EXPECT_EQ(value_of("wrap(i16, a / 4)", -7), -2);
  EXPECT_EQ(value_of("wrap(i16, 7 / b)", -4), -2);
  EXPECT_EQ(value_of("a % 4", -7), 1);
  EXPECT_EQ(value_of("a >> 2", -7), -2);
  EXPECT_EQ(value_of("wrap(i16, a << 2)", -7), -28);
  EXPECT_EQ(value_of("a & 12", -7), 8);
  EXPECT_EQ(value_of("wrap(i16, a | 12)", -7), -3);
  EXPECT_EQ(value_of("wrap(i16, xor(a, 12))", -7), -11);
  EXPECT_EQ(value_of("~a", -7), 6);
  EXPECT_EQ(value_of("wrap(i16, -a)", -7), 7);
  EXPECT_EQ(value_of("a[3:1]", -7), 4);
  EXPECT_EQ(value_of("a > 0 ? log2(a) : 0", 1025), 10);
  EXPECT_EQ(value_of("a > 0 ? log2(a) : 0", -3), 0);
  EXPECT_EQ(value_of("min(a, 3, 5)", 4), 3);
  EXPECT_EQ(value_of("max(a, 3, 5)", 4), 5);
}

TEST(BehaviourArithmetic, Precedence) {
  EXPECT_EQ(value_of("wrap(i16, 1 + 2 * 3 << 1)", 0), 14);
  EXPECT_EQ(value_of("1 | 6 & 3 == 2", 0), 0);  // a comparison binds less
  EXPECT_EQ(value_of("not a == 1 and a == 2 or a == 1", 1), 1);
  EXPECT_EQ(value_of("not a == 1 and a == 2 or a == 1", 2), 1);
  EXPECT_EQ(value_of("a == 1 and a < 3", 2), 0);
  EXPECT_EQ(value_of("a < 3 and a == 1", 2), 0);
  EXPECT_EQ(value_of("a == 2 and a < 3", 2), 1);
  EXPECT_EQ(value_of("not (a == 1 or a == 2)", 2), 0);
  EXPECT_EQ(value_of("a == 1 ? 2 : a == 2 ? 3 : 4", 2), 3);
  EXPECT_EQ(value_of("a != 1", 2) + value_of("a < 2", 2) + value_of("a <= 2", 2) + value_of("a >= 3", 2), 2);
}

/// Elements of arrays: of one that is made, of parts of states and of those that single writes have filled.
TEST(BehaviourArithmetic, Elements) {
  const auto ends = [](const std::string& write, const std::string& read) {
    const std::string part = "function part(a : i8[3]) : i16 { return 100 * a[0] + 10 * a[1] + a[2]; }";
    Evaluator machine(with(part + "state y : i8[2][3]; process p { step { " + write + " } x = " + read + "; }"));
    const Result<bool> done = machine.run(2);
    check(static_cast<bool>(done), done ? "" : render(done.error()));
    return machine.elements(0).get(0);
  };
  EXPECT_EQ(ends("y[0] = [i in 5..7 : 10 * i]; y[1] = [i in 1..3 : i];", "y[0][2] + y[1][2]"), 73);
  EXPECT_EQ(ends("y[1] = [i in 1..3 : i];", "y[1][0]"), 1);
  EXPECT_EQ(ends("for i in 0..1 { for j in 0..2 { y[i][j] = 10 * i + j; } }", "y[1][1] + y[0][2]"), 13);
  EXPECT_EQ(ends("for i in 0..2 { y[1][i] = 5 - i; }", "sum(k in 0..2 : y[1][k])"), 12);
  EXPECT_EQ(ends("for i in 0..2 { y[1][i] = 5 - i; } y[0][0] = 1;", "part(y[1])"), 543);
}

TEST(BehaviourArithmetic, Loops) {
  EXPECT_EQ(value_of("sum(i in 1..4 : i * i)", 0), 30);
  EXPECT_EQ(value_of("sum(i in 1..0 : i)", 0), 0);
  EXPECT_EQ(value_of("wrap(i16, sum(i in 0..a[3:0] : sum(j in 0..i : j)))", 4), 20);
}

}  // namespace
}  // namespace covenant::acg
