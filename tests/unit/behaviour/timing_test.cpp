// Events and their cycles: steps, state that processes share, queues, commands.
#include <gtest/gtest.h>
#include <string_view>
#include <vector>

#include "acg/base/check.h"
#include "tests/support/behaviour.h"

namespace covenant::acg {
namespace {

using behaviour::Evaluator;
using testing::read_at;
using testing::with;
using testing::write_at;

/// Number of cycles until `interrupt`.
uint64_t cycles_of(std::string_view more) {
  Evaluator machine(with(more));
  const Status done = machine.wait_for_interrupt(1000);
  check(static_cast<bool>(done), done ? "" : render(done.error()));
  return machine.cycles();
}

TEST(BehaviourTiming, AStepTakesItsCycles) {
  EXPECT_EQ(cycles_of("interrupt = x == 7; process p { x = 6; x = 7; }"), 2U);
  EXPECT_EQ(cycles_of("interrupt = x == 7; process p { step { cycles = 9; x = 7; } }"), 9U);
  EXPECT_EQ(cycles_of("interrupt = x == 7; process p { step { cycles = 0; x = 7; } }"), 1U);
  EXPECT_EQ(cycles_of("interrupt = x == 7; process p { for i in 1..4 { step { } } x = 7; }"), 5U);
  EXPECT_EQ(cycles_of("interrupt = x == 7; process p { for i in 1..0 { step { } } x = 7; }"), 1U);
  Evaluator machine(with("interrupt = x == 7; process p { step { cycles = 9; x = 7; } }"));
  EXPECT_EQ(machine.wait_for_interrupt(8).error().code, "BEH0037");
  EXPECT_TRUE(machine.wait_for_interrupt(1));
}

TEST(BehaviourTiming, AStepReadsTheStateBefore) {
  Evaluator machine(with("state y : i16 = 9; interrupt = x == 9; process p { step { x = y; y = x; } }"));
  ASSERT_TRUE(machine.wait_for_interrupt(1));
  EXPECT_EQ(machine.elements(1).get(0), 5);
}

TEST(BehaviourTiming, ProcessesExchangeStateInACycle) {
  Evaluator machine(with("state y : i16 = 9; interrupt = x == 9; process p { x = y; } process q { y = x; }"));
  ASSERT_TRUE(machine.wait_for_interrupt(1));
  EXPECT_EQ(machine.elements(1).get(0), 5);
}

TEST(BehaviourTiming, WhatIsPushedComesInTheNextCycle) {
  constexpr std::string_view kPair =
      "queue q : i16 { depth = 1; } interrupt = x == 7; process p { push(q, 7); } process r { let v = pop(q); x = v; }";
  EXPECT_EQ(cycles_of(kPair), 2U);
}

TEST(BehaviourTiming, RoomComesInTheNextCycle) {
  // One item every second cycle goes through a queue of one.
  constexpr std::string_view kOne =
      "queue q : i16 { depth = 1; } interrupt = x == 4; process p { for i in 1..9 { push(q, i); step { } } }"
      "process r { let v = pop(q); x = v; }";
  EXPECT_EQ(cycles_of(kOne), 8U);
  constexpr std::string_view kTwo =
      "queue q : i16 { depth = 2; } interrupt = x == 4; process p { for i in 1..9 { push(q, i); step { } } }"
      "process r { let v = pop(q); x = v; }";
  EXPECT_EQ(cycles_of(kTwo), 5U);
}

TEST(BehaviourTiming, ItemsAndRoomAreThoseBeforeTheCycle) {
  // Items come at the ends of cycles 1, 2 and 3; the third is seen in cycle 4.
  constexpr std::string_view kQueue =
      "queue q : i16 { depth = 4; } process p { for i in 1..3 { push(q, i); step { } } wait false; }"
      "process never { wait false; let v = pop(q); }";
  EXPECT_EQ(cycles_of(std::string(kQueue) + "interrupt = x == 7; process r { wait items(q) == 3; x = 7; }"), 4U);
  EXPECT_EQ(cycles_of(std::string(kQueue) + "interrupt = x == 7; process r { wait room(q) == 1; x = 7; }"), 4U);
}

TEST(BehaviourTiming, AConditionIsAskedBeforeEachCycle) {
  EXPECT_EQ(cycles_of("state y : i16 = 0; interrupt = x == 7; process p { step { cycles = 3; y = 1; } wait false; }"
                      "process r { wait y == 1; x = 7; }"),
            4U);
  EXPECT_EQ(cycles_of("interrupt = x == 7; process r { wait cycle >= 9; x = 7; }"), 10U);
  Evaluator machine(with("interrupt = x == 7; process r { wait x == 6; x = 7; }"));
  const Status never = machine.wait_for_interrupt(100);
  EXPECT_EQ(never.error().code, "BEH0036");
  EXPECT_EQ(never.error().offending, "r at line 9 for its condition");
}

TEST(BehaviourTiming, TablesAndInitialListsRepeatTheirInnermostDimensions) {
  Evaluator machine(
      with("table t : i8[2][3] = [1, -2, 3]; state y : i8[2][2] = [7, 8]; interrupt = x == 15;"
           "process p { step { y[0][0] = 9; x = y[0][1] * t[1][2] + y[1][0] + t[0][1]; }"
           "            step { x = y[0][0] + y[1][1] + t[0][1]; } }"));
  ASSERT_FALSE(*machine.run(1));
  EXPECT_EQ(machine.elements(0).get(0), 8 * 3 + 7 - 2);
  EXPECT_TRUE(machine.wait_for_interrupt(1));
}

TEST(BehaviourTiming, TheOrderOfProcessesDoesNotMatter) {
  const std::string before = "queue q : i16 { depth = 1; } interrupt = x == 4; ";
  const std::string gives = "process p { for i in 1..9 { push(q, i); step { } } }";
  const std::string takes = "process r { let v = pop(q); x = v; }";
  EXPECT_EQ(cycles_of(before + gives + takes), 8U);
  EXPECT_EQ(cycles_of(before + takes + gives), 8U);
}

TEST(BehaviourTiming, AStepWritesOnce) {
  Evaluator machine(with("process p { x = 6; for i in 0..9 { step { } } }"));
  ASSERT_TRUE(write_at(machine, 1, 3));  // in the same cycle as the process, which comes later in the text
  EXPECT_EQ(*read_at(machine, 2), 6);
  ASSERT_TRUE(write_at(machine, 1, 3));
  EXPECT_EQ(*read_at(machine, 2), 3);
  EXPECT_EQ(*read_at(machine, 2), 3);
}

TEST(BehaviourTiming, OneBranchIsRun) {
  const auto ends = [](const std::string& condition) {
    Evaluator machine(
        with("process p { if " + condition + " { x = 1; } else if x == 6 { x = 2; } else { x = 3; } x = x + 0; }"));
    check(machine.run(1) && machine.cycles() == 1, "a cycle");
    return machine.elements(0).get(0);
  };
  EXPECT_EQ(ends("x == 5"), 1);
  EXPECT_EQ(ends("x == 6"), 3);
  EXPECT_EQ(cycles_of("interrupt = x == 7; process p { if x == 5 { x = 6; } else { x = 9; } if x == 6 { x = 7; } }"),
            2U);
}

TEST(BehaviourTiming, FieldsAreTheirBits) {
  Evaluator machine(with(R"(
    instruction put on bus {
      fields { low : i3 at 3; far : u4 at address + 2; parts : u4[3] at 14; wide : u38 at 26; }
      decode = write and address in 0x40..0x7f and low in 2..3;
      update { x = low + 8 * far + 300 * (parts[0] + 2 * parts[1] + 3 * parts[2]) + wide[37:36]; }
    })"));
  // Bits beside the fields are ones: data 0 to 2 and 6 to 13, address 0 and 1.
  const uint64_t beside = 0b111 | 0xFFU << 6;
  const uint64_t parts = 1U << 14 | 2U << 18 | 4U << 22;
  const uint64_t data = beside | 0b010U << 3 | parts | uint64_t{2} << 62;
  ASSERT_TRUE(write_at(machine, 0b1'0011'11, static_cast<int64_t>(data)));
  EXPECT_EQ(machine.elements(0).get(0), 2 + 8 * 0b0011 + 300 * (1 + 4 + 12) + 2);
  EXPECT_EQ(write_at(machine, 0b1'0011'11, 0b001'111).error().code, "BEH0030");
  ASSERT_TRUE(write_at(machine, 0b1'0011'11, 0b011'000));
  EXPECT_EQ(write_at(machine, 0b1'0011'11, 0b100'000).error().code, "BEH0030");
}

TEST(BehaviourTiming, LargeStatesHaveTheirInitialValuesToo) {
  EXPECT_EQ(cycles_of("state y : i8[4M][4] = [7, 8, 9, 11]; interrupt = x == 7 + 11 + 9;"
                      "process p { y[1][1] = 3; x = y[1][0] + y[4194303][3] + y[1][2]; }"),
            2U);
}

TEST(BehaviourTiming, ElementsOfAReplyShareItsBytes) {
  Evaluator machine(
      with("instruction all on bus { decode = read and address == 9; update { reply = [i in 1..4 : 258 * i]; } }"
           "instruction bytes on bus { decode = read and address == 10; update { reply = [i in 1..8 : i]; } }"));
  const auto read = [&](uint64_t address) {
    return *machine.command("bus", {false, address, std::vector<uint8_t>(8)});
  };
  EXPECT_EQ(read(9), (std::vector<uint8_t>{2, 1, 4, 2, 6, 3, 8, 4}));
  EXPECT_EQ(read(10), (std::vector<uint8_t>{1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST(BehaviourTiming, MnemonicsAreInstructionsOfAStream) {
  // Bits of a word: opcode 15 to 13, FUNCTION 12 to 11, DST 10 to 9, IMM 8 to 1; bit 0 is left over.
  Evaluator machine(with(R"(
    word = 16; opcode = 3;
    for name, code in [("ADD", 1), ("SUB", 2)] {
      mnemonic $name(5) { constant("FUNCTION", 2, code); efield("DST", 2, ["A", "B", "C"]); ifield("IMM", 8) signed; }
    }
    update ADD on words { x = wrap(i16, x + IMM + 100 * DST); }
    update SUB on words { x = wrap(i16, x - IMM); }
    queue q : u8[2] { depth = 4; }
    instruction put on bus { fields { word : u8[2] at 0; } decode = write and address == 4; update { push(q, word); } }
    process p { let word = pop(q); execute(word, ADD, SUB); })"));
  const auto put = [&](int64_t word) {
    ASSERT_TRUE(write_at(machine, 4, word));
    ASSERT_TRUE(machine.tick());
  };
  put(5 << 13 | 1 << 11 | 2 << 9 | (-7 & 0xFF) << 1);
  EXPECT_EQ(*read_at(machine, 2), 5 - 7 + 200);
  put(5 << 13 | 2 << 11 | 90 << 1 | 1);
  EXPECT_EQ(*read_at(machine, 2), 198 - 90);
  ASSERT_TRUE(write_at(machine, 4, 5 << 13 | 3 << 11));
  EXPECT_EQ(machine.tick().error().code, "BEH0030");
}

TEST(BehaviourTiming, RecordsAreTheirMembers) {
  // Bits 0 to 2, 6 to 17 (signed), and two of 5 bits from 20; what lies between them is not kept.
  Evaluator machine(with(R"(
    record Setup { mode : u3 at 0 = 5; offset : i12 at 6; pair : u5[2] at 20 = [1, 2]; }
    state setup : Setup[3];
    instruction put on bus { fields { said : Setup at 0; which : u2 at address; place : u14 at address + 2; }
                             decode = write and place == 8 and which in 0..2; update { setup[which] = said; } }
    instruction ask on bus { fields { which : u2 at address; place : u14 at address + 2; }
                             decode = read and place == 8 and which in 0..2; update { reply = setup[which]; } }
    instruction more on bus { decode = write and address == 100;
                              update { let one = setup[1]; step { setup[2] = one; setup[2].pair[1] = one.mode;
                                                                  x = setup[1].offset; } } })"));
  EXPECT_EQ(machine.elements(1).get(1), 5);
  EXPECT_EQ(machine.elements(3).get(5), 2);
  const std::vector<uint8_t> ones(8, 0xFF);
  ASSERT_TRUE(machine.command("bus", {true, 33, ones}));
  EXPECT_EQ(*machine.command("bus", {false, 33, std::vector<uint8_t>(8)}),
            (std::vector<uint8_t>{0xC7, 0xFF, 0xF3, 0x3F, 0, 0, 0, 0}));
  ASSERT_TRUE(write_at(machine, 100, 0));
  EXPECT_EQ(*read_at(machine, 2), -1);
  EXPECT_EQ(*machine.command("bus", {false, 34, std::vector<uint8_t>(8)}),
            (std::vector<uint8_t>{0xC7, 0xFF, 0xF3, 0x0F, 0, 0, 0, 0}));
  // The offset of the first was never written; its mode was from the start.
  EXPECT_EQ(machine.command("bus", {false, 32, std::vector<uint8_t>(8)}).error().code, "BEH0033");
}

TEST(BehaviourTiming, ACommandTakesItsUpdateAndAtLeastACycle) {
  Evaluator machine(with(""));
  ASSERT_TRUE(write_at(machine, 1, -3));
  EXPECT_EQ(machine.cycles(), 1U);
  EXPECT_EQ(*read_at(machine, 2), -3);
  EXPECT_EQ(machine.cycles(), 2U);
}

TEST(BehaviourTiming, WordsAreExecutedByTheProcessThatTakesThem) {
  Evaluator machine(with(R"(
    instruction add on words { fields { op : u8 at 0; by : i8 at 8; } decode = op == 1;
                               update { step { x = wrap(i16, x + by); } } }
    instruction neg on words { fields { op : u8 at 0; } decode = op == 2; update { x = wrap(i16, -x); } }
    queue q : u8[2] { depth = 4; }
    instruction put on bus { fields { word : u8[2] at 0; } decode = write and address == 4; update { push(q, word); } }
    process p { let word = pop(q); execute(word, add, neg); })"));
  ASSERT_TRUE(write_at(machine, 4, 0xFD01));  // 5 - 3
  ASSERT_TRUE(write_at(machine, 4, 0x0002));
  ASSERT_TRUE(read_at(machine, 2));
  EXPECT_EQ(*read_at(machine, 2), -2);
  ASSERT_TRUE(write_at(machine, 4, 0x0003));
  EXPECT_EQ(read_at(machine, 2).error().code, "BEH0030");
}

TEST(BehaviourTiming, ACommandIsCarriedOutCycleByCycle) {
  Evaluator machine(
      with("instruction slow on bus { decode = read and address == 9; update { reply = x; step { cycles = 3; } } }"));
  EXPECT_FALSE(machine.is_busy());
  ASSERT_TRUE(machine.begin("bus", {false, 9, std::vector<uint8_t>(8)}));
  for (int cycle = 0; cycle < 3; ++cycle) {
    EXPECT_TRUE(machine.is_busy());
    ASSERT_TRUE(*machine.tick());
  }
  EXPECT_FALSE(machine.is_busy());
  EXPECT_EQ(machine.take_reply(), (std::vector<uint8_t>{5, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_TRUE(machine.take_reply().empty());
}

TEST(BehaviourTiming, ACommandThatWaitsForEverIsTheOnlyOne) {
  Evaluator machine(
      with("queue q : i8 { depth = 1; } process p { if x == 9 { let v = pop(q); } }"
           "instruction put on bus { decode = write and address == 9; update { push(q, 1); push(q, 2); } }"));
  EXPECT_EQ(write_at(machine, 9, 0).error().code, "BEH0036");
  const Status other = write_at(machine, 1, 9);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().offending, "the command at line 9 for room in q");
}

TEST(BehaviourTiming, OffChipMemoryIsStateUntilItLiesElsewhere) {
  const std::string more =
      "state in : u8[4] off_chip; state out : i8[4] off_chip;"
      "process p { step { out[x[1:0]] = wrap(i8, in[3]); } }";  // `in` is only read, `out` only written
  Evaluator own(with(more));
  EXPECT_EQ(own.tick().error().code, "BEH0033");
  Evaluator machine(with(more));
  std::vector<uint8_t> in{1, 2, 3, 250}, out(4);
  machine.use_memory(1, in.data());
  machine.use_memory(2, out.data());
  ASSERT_TRUE(machine.tick());
  EXPECT_EQ(out, (std::vector<uint8_t>{0, 250, 0, 0}));
  EXPECT_EQ(machine.elements(2).get(1), -6);
}

TEST(BehaviourTiming, AProcessThatDoesNothingEndsTheCycle) {
  Evaluator machine(with("process p { if x == 9 { step { } } }"));
  ASSERT_TRUE(write_at(machine, 1, 3));
  EXPECT_EQ(machine.wait_for_interrupt(5).error().code, "BEH0036");
}

}  // namespace
}  // namespace covenant::acg
