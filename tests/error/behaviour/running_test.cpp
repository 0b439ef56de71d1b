// Commands and programs that a machine refuses or that stop it: BEH0030 to BEH0037.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "tests/support/behaviour.h"

namespace covenant::acg {
namespace {

using behaviour::Evaluator;
using testing::with;
using testing::write_at;

/// Writing `value` at address 3 or 1, or running after that, fails so.
void expect_stopped(std::string_view more, int64_t value, const std::string& code, const std::string& offending) {
  Evaluator machine(with(more));
  Status done = write_at(machine, 1, value);
  for (int i = 0; done && i < 3; ++i) done = write_at(machine, 1, value);
  if (done) done = machine.wait_for_interrupt(100);
  ASSERT_FALSE(done) << more;
  EXPECT_EQ(done.error().code, code) << render(done.error());
  EXPECT_EQ(done.error().offending, offending) << render(done.error());
}

TEST(CommandErrors, NobodyDecodes) {
  Evaluator machine(with(""));
  const Status done = write_at(machine, 2, 7);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, "BEH0030");
  EXPECT_EQ(done.error().offending, "write 0x00000002 0000000000000007");
  EXPECT_EQ(done.error().fix, "nearest is set, whose bits 64 to 79 are 0x1");
}

TEST(CommandErrors, Widths) {
  Evaluator machine(with(""));
  Result<std::vector<uint8_t>> done = machine.command("bus", {true, 1, std::vector<uint8_t>(4)});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, "BEH0031");
  EXPECT_EQ(done.error().offending, "address 0x1, 4 bytes");
  done = machine.command("bus", {true, 0x10001, std::vector<uint8_t>(8)});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().offending, "address 0x10001, 8 bytes");
  done = machine.command("words", {true, 1, std::vector<uint8_t>(2)});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, "BEH0031");
}

TEST(CommandErrors, WhatStopsAMachine) {
  constexpr std::string_view kArray = "state y : i8[4] = 0;";
  const std::string array(kArray);
  expect_stopped(array + "process p { y[0] = 0; x = y[x]; }", 4, "BEH0032", "4");
  expect_stopped(array + "process p { y[x - 6] = y[0]; }", -1, "BEH0032", "-1");
  expect_stopped("state y : i8[6]; process p { y[0] = 0; x = y[x]; }", 3, "BEH0033", "element 3");
  expect_stopped("process p { step { let k = 7 / x; } }", 0, "BEH0034", "7 by 0");
  expect_stopped("process p { x = log2(x); }", 0, "BEH0034", "0");
  expect_stopped("process p { if x == 9 { fault \"nine\"; } step { } }", 9, "BEH0035", "");
  expect_stopped("process p { for i in 0..10000000 { for j in 0..x { let k = 1; } } step { } }", 99, "BEH0037",
                 "more than 16777216");
}

TEST(CommandErrors, FewWordsThatAskForMuch) {
  expect_stopped("process p { step { let k = sum(i in 0..x * 100000000 : 1); } }", 9, "BEH0037", "more than 16777216");
  std::string doubling = "function f0(a : i16) : i16 { return a; }";
  for (int i = 1; i < 40; ++i) {
    doubling += fmt::format("function f{0}(a : i16) : i16 {{ return max(f{1}(a), f{1}(a)); }}", i, i - 1);
  }
  expect_stopped(doubling + "process p { x = f39(x); }", 9, "BEH0037", "more than 16777216");
}

TEST(CommandErrors, AStoppedMachineStaysStopped) {
  Evaluator machine(with("process p { step { let k = 7 / x; } }"));
  ASSERT_TRUE(write_at(machine, 1, 0));
  for (int i = 0; i < 2; ++i) {
    const Status done = write_at(machine, 1, 3);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, "BEH0034");
  }
}

TEST(CommandErrors, WaitsForEver) {
  const std::string queues = "queue a : i8 { depth = 1; } queue b : i8 { depth = 1; } ";
  expect_stopped(queues + "process p { let v = pop(a); push(b, 1); } process q { let v = pop(b); push(a, 1); }", 1,
                 "BEH0036", "p at line 9 for an item in a; q at line 9 for an item in b");
  expect_stopped("queue a : i8 { depth = 2; } process p { push(a, 1); } process q { if x == 9 { let v = pop(a); } }", 1,
                 "BEH0036", "p at line 9 for room in a");
}

TEST(CommandErrors, NoInterrupt) { expect_stopped("process p { x = 1; }", 1, "BEH0037", "100 cycles"); }

}  // namespace
}  // namespace covenant::acg
