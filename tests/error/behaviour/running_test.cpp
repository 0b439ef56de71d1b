// Commands and programs that a machine refuses or that stop it: BEH0030 to BEH0037, BEH0055.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

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

TEST(CommandErrors, TheNearestFailsTheFewestTests) {
  Evaluator machine(
      with("instruction far on bus { fields { v : u8 at 0; } decode = read and address == 8 and v in 8..9;"
           "update { x = 0; } }"));
  const Status done = write_at(machine, 7, 0);
  ASSERT_FALSE(done);
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

TEST(CommandErrors, ArraysCountAsManyAsTheyHaveElements) {
  constexpr std::string_view kMost = "more than 16777216";
  const auto loop = [](const std::string& before, const std::string& inside) {
    return before + "process p { step { for i in 0..4200 { " + inside + " } } }";
  };
  const std::string memory = "state y : i16[4096] = 0; process q { step { y[0] = y[1]; } }";
  expect_stopped(loop("", "let a = [k in 0..4095 : x];"), 1, "BEH0037", std::string(kMost));
  expect_stopped(loop(memory, "let a = y;"), 1, "BEH0037", std::string(kMost));
  expect_stopped(loop(memory, "y = [k in 0..4095 : 1];"), 1, "BEH0037", std::string(kMost));
  expect_stopped(loop("", "let a = [k in 0..3 : x];"), 1, "BEH0037", "100 cycles");
  expect_stopped(loop("function f(a : i16[4096]) : i16 { return a[0]; }" + memory, "let a = f(y);"), 1, "BEH0037",
                 std::string(kMost));
  expect_stopped(
      "instruction none on words { fields { v : u8 at 0; } decode = v == 0;"
      " update { if x == 9 { let a = [k in 0..4095 : 1]; } } }"
      "process p { for i in 0..4200 { execute([k in 0..1 : 0], none); } step { } }",
      1, "BEH0037", std::string(kMost));
}

TEST(CommandErrors, LoopsToTheLargestNumberEnd) {
  Evaluator machine(
      with("state y : i64 = 0; interrupt = y == 12;"
           "process p { y = sum(i in 9223372036854775806 - wrap(u1, x)..9223372036854775807 : 4); }"));
  EXPECT_TRUE(machine.wait_for_interrupt(3));
  Evaluator each(
      with("interrupt = x == 2; process p { let a = [i in 9223372036854775806..9223372036854775807 : "
           "i[1:0]]; x = a[1] - a[0] + 1; }"));
  EXPECT_TRUE(each.wait_for_interrupt(3));
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

TEST(CommandErrors, ACommandThatWaitsForEverIsTheLast) {
  Evaluator machine(with(R"(
    queue q : i16 { depth = 1; }
    instruction put on bus { decode = write and address == 4; update { x = 1; push(q, 7); x = 2; } }
    process p { if x == 9 { let v = pop(q); } })"));
  ASSERT_TRUE(write_at(machine, 4, 0));
  const Status waits = write_at(machine, 4, 0);
  ASSERT_FALSE(waits);
  EXPECT_EQ(waits.error().code, "BEH0036");
  EXPECT_EQ(waits.error().offending, "the command at line 11 for room in q");
  const Status next = write_at(machine, 1, 9);  // would free the queue
  ASSERT_FALSE(next);
  EXPECT_EQ(next.error().offending, waits.error().offending);
  EXPECT_EQ(machine.wait_for_interrupt(9).error().code, "BEH0036");
  EXPECT_EQ(machine.elements(0).get(0), 1);
}

TEST(CommandErrors, AMachineThatWaitsForItsHostTakesTheNextCommand) {
  Evaluator machine(
      with("interrupt = x == 9; queue q : i16 { depth = 1; }"
           "instruction put on bus { decode = write and address == 4; update { push(q, 9); } }"
           "process p { let v = pop(q); x = v; }"));
  EXPECT_EQ(machine.wait_for_interrupt(9).error().code, "BEH0036");
  ASSERT_TRUE(write_at(machine, 4, 0));
  EXPECT_TRUE(machine.wait_for_interrupt(9));
}

TEST(CommandErrors, WaitsForEver) {
  const std::string queues = "queue a : i8 { depth = 1; } queue b : i8 { depth = 1; } ";
  expect_stopped(queues + "process p { let v = pop(a); push(b, 1); } process q { let v = pop(b); push(a, 1); }", 1,
                 "BEH0036", "p at line 9 for an item in a; q at line 9 for an item in b");
  expect_stopped("queue a : i8 { depth = 2; } process p { push(a, 1); } process q { if x == 9 { let v = pop(a); } }", 1,
                 "BEH0036", "p at line 9 for room in a");
}

constexpr std::string_view kLong =
    "instruction long on bus { decode = write and address == 4; update { step { cycles = 50; } step { cycles = 50; x = "
    "100; } } }";

TEST(CommandErrors, ACommandThatTakesTooManyCyclesIsGivenUp) {
  const std::vector<uint8_t> none(8);
  Evaluator machine(with(kLong));
  for (int i = 0; i < 2; ++i) {
    const auto done = machine.command("bus", {true, 4, none}, 99);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, "BEH0037");
    EXPECT_EQ(done.error().offending, "write 0x00000004 0000000000000000, 99 cycles");
    EXPECT_EQ(machine.cycles(), 99U);
  }
  EXPECT_EQ(write_at(machine, 1, 7).error().offending, "write 0x00000004 0000000000000000, 99 cycles");
  EXPECT_FALSE(*machine.run(1));
  EXPECT_EQ(*testing::read_at(machine, 2), 100);
  EXPECT_TRUE(machine.command("bus", {true, 4, none}, 100));
}

TEST(CommandErrors, ACommandIsEndedBetweenCyclesAndGoesOn) {
  Evaluator machine(
      with("instruction longer on bus { decode = write and address == 4; "
           "update { for i in 1..100000 { step { x = wrap(i16, i); } } } }"));
  bool is_wanted = false;
  machine.ask([&] { return is_wanted; });
  const Status done = write_at(machine, 4, 0);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, "BEH0055");
  EXPECT_GT(machine.cycles(), 1000U);
  EXPECT_LT(machine.cycles(), 30000U);
  EXPECT_TRUE(machine.is_busy());
  is_wanted = true;
  EXPECT_EQ(*testing::read_at(machine, 2), static_cast<int16_t>(100000 % (1 << 16)));
  EXPECT_EQ(machine.cycles(), 100002U);
}

TEST(CommandErrors, ACycleOfMuchWorkIsEndedWithinIt) {
  Evaluator machine(with("process p { step { x = wrap(i16, sum(i in 0..10000000 : i)); } }"));
  int asked = 0;
  machine.ask([&] { return ++asked < 3; });
  for (int i = 0; i < 2; ++i) {  // the cycle is half done
    const Status done = write_at(machine, 1, 0);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, "BEH0055");
    EXPECT_EQ(done.error().where.line, 9U);
    EXPECT_EQ(done.error().fix, "open it again");
  }
  EXPECT_EQ(asked, 3);
}

TEST(CommandErrors, AWaitIsEnded) {
  Evaluator machine(with("process p { x = 1; }"));
  machine.ask([] { return false; });
  EXPECT_EQ(machine.wait_for_interrupt(1000000).error().code, "BEH0055");
}

TEST(CommandErrors, NoInterrupt) { expect_stopped("process p { x = 1; }", 1, "BEH0037", "100 cycles"); }

}  // namespace
}  // namespace covenant::acg
