// Texts of behaviours that are refused: BEH0001 to BEH0015.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "acg/base/diagnostic.h"
#include "tests/support/behaviour.h"

namespace covenant::acg {
namespace {

using testing::read_commanded;

/// These statements are refused with this code because of this text, in this column of their first line.
void expect_refused(std::string_view more, const std::string& code, uint32_t column, const std::string& offending) {
  const Result<behaviour::Behaviour> read = read_commanded(more);
  ASSERT_FALSE(read) << more;
  const Diagnostic& said = read.error();
  EXPECT_EQ(said.code, code) << render(said);
  EXPECT_EQ(said.where.line, 9U) << render(said);
  EXPECT_TRUE(column == 0 || column == said.where.column) << render(said);
  EXPECT_EQ(said.offending, offending) << render(said);
  EXPECT_FALSE(said.fix.empty()) << render(said);
}

TEST(BehaviourErrors, TurnsWithoutAStepReadNoCycle) {
  const auto refused = [](std::string_view more) {
    expect_refused(more, "BEH0016", 0, "reads cycle or off-chip memory");
  };
  const auto read = [](std::string_view more) {
    const auto is_read = read_commanded(more);
    EXPECT_TRUE(is_read) << render(is_read.error());
  };
  const std::string words =
      "queue q : u8[2] { depth = 1; } instruction put on bus { fields { w : u8[2] at 0; } "
      "decode = write and address == 4; update { push(q, w); } } ";
  const std::string late = "function late(a : i16) : bool { return cycle > a; } ";
  expect_refused("process p { if cycle >= 10 { x = 1; } }", "BEH0016", 22, "reads cycle or off-chip memory");
  refused("state m : u8[4] off_chip; process p { if m[0] == 1 { x = 1; } }");
  refused("process p { if x == 1 { if cycle >= 10 { x = 1; } } else { x = 2; } }");
  refused("process p { let late = cycle > 10; if late { x = 1; } }");
  refused("process p { for i in 1..wrap(u8, cycle) { x = 1; } }");
  refused("process p { for i in 0..x { if cycle > 9 { x = 1; } } }");
  refused("process p { if cycle >= 10 { fault \"late\"; } if x == 9 { x = 1; } }");
  refused(late + "process p { if late(x) { x = 1; } }");
  const std::string timed = "instruction i on words { fields { v : u8 at 0; } decode = v == 1; update { ";
  refused(timed + "if cycle > 9 { x = 1; } } } process p { execute([k in 0..1 : 1], i); }");
  refused(timed + "if x > 9 { x = 1; } } } process p { execute([k in 0..1 : wrap(u8, cycle)], i); }");

  read("process p { wait cycle >= 10; x = 1; }");
  read("process p { if cycle >= 10 { x = 1; } else { step { } } }");
  read("process p { if cycle >= 10 { x = 1; } step { } }");
  read("process p { if x == 1 { x = wrap(i16, cycle); } }");
  read("process p { step { if cycle >= 10 { x = 1; } } }");
  read("process p { let t = cycle; for i in 0..3 { x = wrap(i16, t); } }");
  read("process p { let t = cycle; for i in x..40000 { x = wrap(i16, t); } }");
  read(words + "process p { let w = pop(q); if cycle > 10 { x = w[0]; } }");
  read(late + "process p { wait late(x); x = 1; }");
  read(timed + "step { x = wrap(i16, cycle); } } } process p { execute([k in 0..1 : wrap(u8, cycle)], i); }");
  read("instruction i on bus { decode = write and address == 4; update { if cycle > 9 { x = 1; } } }");
}

TEST(BehaviourErrors, Names) {
  expect_refused("process p { x = y; }", "BEH0001", 17, "y");
  expect_refused("process p { z = 1; }", "BEH0001", 13, "z");
  expect_refused("process p { x = twice(1); }", "BEH0001", 17, "twice");
  expect_refused("process p { let v = pop(q); }", "BEH0001", 25, "q");
  expect_refused("process p { wait items(q) > 0; x = 1; }", "BEH0001", 24, "q");
  expect_refused("table t : i8[2] = [1, 2]; process p { t[0] = x; }", "BEH0001", 39, "t");
  expect_refused("process p { execute([i in 0..1 : 0], run); }", "BEH0001", 38, "run");
  expect_refused("instruction i on bas { decode = write; }", "BEH0001", 18, "bas");
  expect_refused("instruction i on bus { decode = op == 1; }", "BEH0001", 33, "op");
  expect_refused("instruction i on bus { does { } }", "BEH0001", 24, "does");
  expect_refused("port other { width = 8; }", "BEH0001", 14, "width");
  expect_refused("stream other { address = 8; }", "BEH0001", 16, "address");
  expect_refused("process p { for i in 0..3 { } x = i; }", "BEH0001", 35, "i");
}

TEST(BehaviourErrors, Ranges) {
  expect_refused("process p { x = x + 1; }", "BEH0002", 19, "-32767..32768");
  expect_refused("process p { x = x * x; }", "BEH0002", 19, "-1073709056..1073741824");
  expect_refused("process p { x = sum(i in 0..SIZE : x); }", "BEH0002", 17, "-163840..163835");
  expect_refused("process p { x = saturate(u16, x) + 1; }", "BEH0002", 34, "1..32768");
  expect_refused("state y : i64 = 0; process p { y = y + 1; }", "BEH0003", 38, "1..1");
  expect_refused("process p { x = wrap(i16, 1 << x); }", "BEH0003", 29, "-32768..32767");
  expect_refused("process p { x = wrap(i16, 7 % x); }", "BEH0003", 29, "-32768..32767");
  expect_refused("function f(a : i64) : i64 { return sum(i in 0..1 : a); }", "BEH0003", 36,
                 "-9223372036854775808..9223372036854775807");
  expect_refused("state y : i8 = 128;", "BEH0005", 16, "128");
  expect_refused("state y : u16[4] off_chip;", "BEH0005", 18, "u16[4]");
  expect_refused("state y : u8[4][4] off_chip;", "BEH0005", 20, "u8[4][4]");
  expect_refused("state y : u8 off_chip;", "BEH0005", 14, "u8");
  expect_refused("state y : u8[4] off_chip = 0;", "ACG0002", 26, "=");
  expect_refused("process p { x = wrap(i16, 1 - 9223372036854775808); }", "ACG0012", 31, "9223372036854775808");
  expect_refused("process p { x = wrap(i16, -9223372036854775808[3:0]); }", "ACG0012", 28, "9223372036854775808");
  expect_refused("process p { x = wrap(i16, --9223372036854775808); }", "BEH0003", 27,
                 "-9223372036854775808..-9223372036854775808");
  expect_refused("table t : i8[2] = [1, 128];", "BEH0005", 23, "128");
  expect_refused("table t : i16[2] = [-1, 32767]; process p { x = t[x] + 1; }", "BEH0002", 54, "0..32768");
}

/// An expression over a from -128 to 127, b from 0 to 15, c from 3 to 7 and d from 0 to 7 can be any of these numbers,
/// and is told so where they do not fit.
void expect_range(const std::string& expression, const std::string& range) {
  const std::string begin = "function f(a : i8, b : u4, d : u3) : u1 { let c = max(d, 3); return ";
  const Result<behaviour::Behaviour> read = read_commanded(begin + expression + "; }");
  ASSERT_FALSE(read) << expression;
  EXPECT_EQ(read.error().code, "BEH0002") << render(read.error());
  EXPECT_EQ(read.error().offending, range) << expression;
}

TEST(BehaviourErrors, RangesOfOperations) {
  expect_range("(a)", "-128..127");
  expect_range("(c)", "3..7");
  expect_range("(a + b)", "-128..142");
  expect_range("(a - b)", "-143..127");
  expect_range("(b - c)", "-7..12");
  expect_range("(a * c)", "-896..889");
  expect_range("(a * a)", "-16256..16384");
  expect_range("(a / c)", "-43..42");
  expect_range("(a / b)", "-128..128");
  expect_range("(b / (a - 200))", "-1..0");
  expect_range("(a % b)", "0..14");
  expect_range("(b % c)", "0..6");
  expect_range("(b % (c + 13))", "0..15");
  expect_range("(a << d)", "-16384..16256");
  expect_range("(b << c)", "0..1920");
  expect_range("(a >> d)", "-128..127");
  expect_range("((a - 300) >> c)", "-54..-2");
  expect_range("(a & b)", "0..15");
  expect_range("(b & a)", "0..15");
  expect_range("(b & c)", "0..7");
  expect_range("(a & a)", "-128..127");
  expect_range("(d | b)", "0..15");
  expect_range("(b | d)", "0..15");
  expect_range("(a | b)", "-128..127");
  expect_range("xor(b, d)", "0..15");
  expect_range("(~b)", "-16..-1");
  expect_range("(~c)", "-8..-4");
  expect_range("(-a)", "-127..128");
  expect_range("log2(b + 5)", "2..4");
  expect_range("(a > 0 ? b : c)", "0..15");
  expect_range("(a > 0 ? c : b)", "0..15");
  expect_range("min(b, c)", "0..7");
  expect_range("max(b, c)", "3..15");
  expect_range("sum(i in 0..c : b)", "0..120");
  expect_range("sum(i in b..c : a)", "-1024..1016");
  expect_range("(a[6:4])", "0..7");
  expect_range("saturate(i4, a)", "-8..7");
  expect_range("saturate(i4, b)", "0..7");
  expect_range("wrap(i4, b)", "-8..7");
  expect_range("wrap(i8, b)", "0..15");
}

TEST(BehaviourErrors, RepliesThatAPortHasNoRoomFor) {
  const auto refused = [](const std::string& reply, const std::string& code, const std::string& offending) {
    expect_refused("instruction i on bus { decode = read and address == 9; update { reply = " + reply + "; } }", code,
                   0, offending);
  };
  refused("[k in 0..8 : 0]", "BEH0004", "9 elements");
  refused("[k in 0..7 : x]", "BEH0002", "-32768..32767");
  refused("[k in 0..2 : 65536]", "BEH0002", "65536..65536");
  refused("[k in 0..7 : 0 - 129]", "BEH0002", "-129..-129");
  EXPECT_TRUE(
      read_commanded("instruction i on bus { decode = read and address == 9; update { reply = "
                     "[k in 0..7 : x > 0 ? 255 : 0 - 128]; } }"));
  EXPECT_TRUE(
      read_commanded("instruction i on bus { decode = read and address == 9; update { reply = "
                     "cycle; } }"));
}

TEST(BehaviourErrors, ShiftsPast63Bits) {
  expect_refused("function f(a : i8, b : u6) : i64 { return a >> b + 1; }", "BEH0003", 45, "1..64");
  expect_refused("function f(a : i8) : i64 { return 1 << 64; }", "BEH0003", 37, "64..64");
  expect_refused("process p { for i in 4611686018427387903..4611686018427387904 { step { } } }", "BEH0003", 13, "");
}

TEST(BehaviourErrors, Shapes) {
  expect_refused("state y : i8[2] = 0; process p { x = y; }", "BEH0004", 38, "i8[2]");
  expect_refused("state y : i8[2] = 0; process p { x = y + 1; }", "BEH0004", 38, "i8[2]");
  expect_refused("state y : i8[2] = 0; process p { y = 1; }", "BEH0004", 38, "a number");
  expect_refused("state y : i8[2] = 0; process p { y = [i in 0..2 : 0]; }", "BEH0004", 38, "i64[3]");
  expect_refused("state y : i8[8K] = 0; process p { let z = y; }", "BEH0004", 43, "i8[8192]");
  expect_refused("state y : i8[2] = 0; process p { y[2] = 0; }", "BEH0006", 36, "2..2");
  expect_refused("table t : i8[2][3] = [1, 2];", "BEH0004", 22, "2 values");
  expect_refused("table t : i8[2];", "ACG0002", 16, ";");
  expect_refused("state y : i8[2] = 0; process p { x = y[0 - 1]; }", "BEH0006", 42, "-1..-1");
}

TEST(BehaviourErrors, Records) {
  const std::string r = "record R { a : u3 at 0 = 0; b : i9[2] at 3 = 0; } state r : R[2]; ";
  const auto refuse = [&](const std::string& text, const std::string& code, uint32_t column, const std::string& got) {
    expect_refused(r + text, code, column + static_cast<uint32_t>(r.size()), got);
  };
  expect_refused("record R { a : u3 at 0; b : u3 at 2; }", "BEH0008", 25, "bits 2 to 4");
  expect_refused("record R { a : u3 at 0; a : u3 at 4; }", "BEH0013", 25, "a");
  expect_refused("record R { a : u3 at 0 = 8; }", "BEH0005", 26, "8");
  expect_refused("record R { } state r : R;", "BEH0005", 8, "{ }");
  expect_refused("record R { a : i8 at 0; } state r : R[4G][2];", "BEH0005", 43, "2");
  refuse("process p { x = r[0].c; }", "BEH0001", 22, "c");
  refuse("process p { x = r[0]; }", "BEH0004", 17, "a record");
  refuse("process p { x = r[0] + 1; }", "BEH0004", 17, "a record");
  refuse("process p { x = r.a; }", "BEH0004", 17, "u3[2]");
  refuse("process p { x = r[0].b; }", "BEH0004", 17, "i9[2]");
  refuse("process p { x = r[2].a; }", "BEH0006", 19, "2..2");
  refuse("process p { r[0].a = x; }", "BEH0002", 22, "-32768..32767");
  refuse("process p { r[0] = x; }", "BEH0004", 20, "a number or an array");
  refuse("record S { a : u3 at 0 = 0; } state s : S; process p { s = r[0]; }", "BEH0004", 60, "R");
  refuse("instruction i on bus { fields { r : R at 0; } decode = read; }", "BEH0013", 33, "r");
  refuse("instruction i on bus { fields { q : R at 44; } decode = read; }", "BEH0008", 33, "bits 47 to 64");
}

TEST(BehaviourErrors, Formats) {
  expect_refused("format f(code : u8) { image = code; exponent = 0; }", "BEH0001", 8, "encode");
  expect_refused("format f(code : u8) { image = code; image = 1; }", "BEH0001", 37, "image");
  expect_refused("format f(code : u8) { value = code; }", "BEH0001", 23, "value");
  expect_refused("format f(code : u8[2]) { image = 1; }", "ACG0002", 24, "{");
  expect_refused("format f(code : u8, t : u4[2]) { image = 1; }", "ACG0002", 32, "{");
  expect_refused("format f(code : u8) { encode(number : i32) = number at 0; }", "BEH0002", 46,
                 "-2147483648..2147483647");
  expect_refused("format f(code : u8) { encode(number : i32) = 0; }", "ACG0002", 47, ";");
  expect_refused("format f(code : u8) { image = number; }", "BEH0001", 31, "number");
}

TEST(BehaviourErrors, WhatIsSaidTwice) {
  expect_refused("port b { address = 8; data = 8; data = 16; }", "ACG0004", 33, "data");
  expect_refused("queue q : u8 { depth = 3; depth = 3; }", "ACG0004", 27, "depth");
  expect_refused("interrupt = x == 1; interrupt = x == 1;", "ACG0004", 21, "interrupt");
  const std::string rest = "decode = write and address == 3; update { x = 1; } ";
  expect_refused("instruction i on bus { " + rest + "update { x = 2; } }", "ACG0004", 75, "update");
  expect_refused("instruction i on bus { " + rest + "decode = read; }", "ACG0004", 75, "decode");
  expect_refused("instruction i on bus { fields { } fields { } " + rest + "}", "ACG0004", 35, "fields");
}

TEST(BehaviourErrors, TextsAreUtf8) {
  EXPECT_TRUE(read_commanded("process p { fault \"caf\xc3\xa9\"; }"));
  expect_refused("process p { fault \"caf\xe9\"; }", "ACG0001", 19, "caf\xe9");
}

TEST(BehaviourErrors, AsManyTestsAsACommandHasBits) {
  const auto tested = [](int more) {
    std::string text = "instruction i on bus { decode = address == 3";
    for (int i = 0; i < more; ++i) text += " and write";
    return text + "; update { x = 1; } }";
  };
  EXPECT_TRUE(read_commanded(tested(319)));
  expect_refused(tested(320), "BEH0005", 13, "321");
  expect_refused(tested(100'000), "BEH0005", 13, "321");
}

TEST(BehaviourErrors, AsManyNamesAsAReaderLooksThrough) {
  const auto many = [](const std::string& statement, int count) {
    return fmt::format("for i in 1..{} {{ {} }} ", count, statement);
  };
  EXPECT_TRUE(read_commanded(many("process p$i { x = 1; }", 4096)));
  EXPECT_TRUE(read_commanded(many("function f$i() : u1 { return 1; }", 4096)));
  EXPECT_TRUE(read_commanded(many("state s$i : u8 = 0; process p$i { s$i = s$i; }", 4095)));
  for (const std::string kind :
       {"process z$i { x = 1; }", "function z$i() : u1 { return 1; }", "state z$i : u8 = 0;", "table z$i : u8 = [1];",
        "queue z$i : u8 { depth = 1; }", "record z$i { a : u1 at 0; }", "stream z$i { data = 8; }",
        "instruction z$i on bus { decode = read and address == 100 + i; update { reply = x; } }",
        "format z$i(code : u8) { image = code; exponent = 0; encode(n : u8) = n at 0; }"}) {
    expect_refused(many(kind, 4097), "BEH0005", 0, "4097");
  }
  expect_refused("record R { a : u1 at 0; b : u1 at 1; } " + many("state z$i : R;", 2048), "BEH0005", 0, "4097");
  const auto lets = [](int count) {
    std::string text = "process p { let z1 = x; ";
    for (int i = 2; i <= count; ++i) text += fmt::format("let z{} = z{}; ", i, i - 1);
    return text + "x = wrap(i16, z1); }";
  };
  EXPECT_TRUE(read_commanded(lets(4096)));
  expect_refused(lets(4097), "BEH0005", 0, "4097");
}

TEST(BehaviourErrors, Mnemonics) {
  const std::string word = "word = 16; ";
  const auto refuse = [&](const std::string& text, const std::string& code, uint32_t column, const std::string& got) {
    expect_refused(word + text, code, column + static_cast<uint32_t>(word.size()), got);
  };
  refuse("mnemonic A(1) { ifield(\"N\", 8); } update B on words { x = 0; }", "BEH0001", 42, "B");
  refuse("mnemonic A(1) { ifield(\"N\", 13); } update A on words { x = 0; }", "BEH0008", 17, "13 bits");
  refuse("mnemonic A(1) { ifield(\"N\", 8); } update A on bus { x = 0; }", "BEH0008", 42, "64 bits");
  refuse("mnemonic A(1) { ifield(\"x\", 8); } update A on words { x = 0; }", "BEH0013", 17, "x");
  refuse("mnemonic A(1) { ifield(\"N\", 8); } update A on words { x = 0; }", "BEH0011", 42, "A");
  expect_refused("mnemonic A(1) { ifield(\"N\", 8); } update A on words { x = 0; }", "BEH0008", 42, "16 bits");
}

TEST(BehaviourErrors, TextsThatNestTooDeeply) {
  std::string sum = "process p { x = wrap(i16, x", branches = "process p { if x == 0 { x = 1; }",
              bits = "process p { x = x";
  for (int i = 0; i < 2000; ++i) {
    sum += " + 1";
    branches += " else if x == 1 { x = 2; }";
    bits += "[7:0]";
  }
  expect_refused(sum + "); }", "ACG0002", 0, "+");
  expect_refused(branches + " }", "ACG0002", 0, "if");
  expect_refused(bits + "; }", "ACG0002", 0, "[");
}

TEST(BehaviourErrors, Constants) {
  expect_refused("state y : i65 = 0;", "BEH0005", 11, "i65");
  expect_refused("state y : u64 = 0;", "BEH0005", 11, "u64");
  expect_refused("state y : f32 = 0;", "BEH0005", 11, "f32");
  expect_refused("state y : i8[0] = 0;", "BEH0005", 14, "0");
  expect_refused("state y : i8[1G][1G] = 0;", "BEH0005", 18, "1073741824");
  expect_refused("process p { x = x[70:0]; }", "BEH0005", 19, "70");
  expect_refused("process p { x = x[0:x]; }", "BEH0005", 21, "-32768..32767");
  expect_refused("process p { let z = [i in 0..x : 0]; }", "BEH0005", 21, "0..32767");
  expect_refused("process p { let z = [i in 0 - 9223372036854775807 - 1..9223372036854775807 : 0]; }", "BEH0005", 21,
                 "-9223372036854775808..9223372036854775807");
  expect_refused("port other { data = 7; address = 8; }", "BEH0005", 6, "data = 7, address = 8");
  expect_refused("queue q : i8 { depth = 0; }", "BEH0005", 24, "0");
  expect_refused("queue q : i64[4096] { depth = 1M; }", "BEH0005", 7, "1048576 items of 4096");
}

TEST(BehaviourErrors, Commands) {
  expect_refused("instruction set2 on bus { decode = write and address in 0..7; update { x = 0; } }", "BEH0007", 13,
                 "write 0x00000001 0000000000000000");
  expect_refused("instruction all on bus { fields { v : u8 at 3; } decode = v in 5..9; update { x = 0; } }", "BEH0007",
                 13, "write 0x00000001 0000000000000028");
  expect_refused("instruction i on bus { fields { v : i16 at 49; } decode = write; }", "BEH0008", 33, "bits 49 to 64");
  expect_refused("instruction i on bus { fields { v : u8 at address + 9; } decode = write; }", "BEH0008", 33,
                 "bits 9 to 16");
}

TEST(BehaviourErrors, DecodesOfManyRanges) {
  // Both may be told apart by their last field alone: the second's has one bit more below that of the first.
  const auto decoded = [](const std::string& name, const std::string& last, const std::string& range) {
    std::string fields = "g : u10 at address + 6; last : " + last + ";", tests = "write and g in 1..1022";
    for (int i = 0; i < 3; ++i) {
      fields += fmt::format("f{} : u10 at {};", i, 10 * i);
      tests += fmt::format(" and f{} in 1..1022", i);
    }
    return fmt::format("instruction {} on bus {{ fields {{ {} }} decode = {} and last in {}; update {{ x = 0; }} }} ",
                       name, fields, tests, range);
  };
  const std::string one = decoded("a", "u30 at 31", "1..1 << 29");
  expect_refused(one + decoded("b", "u31 at 30", "(1 << 30) + 2..(2 << 30) - 2"), "BEH0007", 0, "6 tests");
  const std::string more = " instruction c on bus { decode = read and address == 9; update { x = 0; } }";
  const auto told_apart = [&](const std::string& first, const std::string& second) {
    return static_cast<bool>(
        read_commanded(decoded("a", "u30 at 31", first) + decoded("b", "u30 at 31", second) + more));
  };
  EXPECT_TRUE(told_apart("4..1 << 29", "1..3"));
  EXPECT_TRUE(told_apart("1..3", "4..1 << 29"));
}

TEST(BehaviourErrors, DecodesOfManyInstructions) {
  const std::string begin =
      "for i in 1..{} {{ instruction {}$i on bus {{ fields {{ a : u10 at address + 6; b : u10 at 0; ";
  const std::string tests = " decode = write and a in 1..1022 and b in 1..1022 and ";
  const auto many = [&](int count, const std::string& name, const std::string& fields, const std::string& ranges) {
    return fmt::format(fmt::runtime(begin), count, name) + fields + " }" + tests + ranges + "; update { x = 0; } } } ";
  };
  EXPECT_TRUE(read_commanded(many(4000, "i", "c : u16 at 10;", "c in 8 * i..8 * i + 5")));
  // Those of one kind differ in bits that all of them fix; one of each kind, as in DecodesOfManyRanges.
  const std::string one = "k : u6 at address; c : u30 at 31;", other = "k : u6 at 10; c : u31 at 30;";
  const auto both = [&](int count) {
    return many(count, "i", one, "k == i and c in 1..1 << 29") +
           many(count, "j", other, "k == i and c in (1 << 30) + 2..(2 << 30) - 2");
  };
  EXPECT_TRUE(read_commanded(both(3)));
  expect_refused(both(40), "BEH0007", 0, "5 tests");
}

TEST(BehaviourErrors, Intrinsics) {
  expect_refused("intrinsic i : exakt { computes = \"x\"; }", "BEH0001", 15, "exakt");
  expect_refused("intrinsic i : exact { does = \"x\"; }", "BEH0001", 23, "does");
  expect_refused("intrinsic i : exact { computes = \"x\"; computes = \"y\"; }", "ACG0004", 39, "computes");
  expect_refused("intrinsic i : exact { where = \"is_matrix(?x)\"; } process p { x = 1; }", "ACG0002", 50, "process");
  expect_refused("intrinsic i : exact { computes = dense; }", "ACG0002", 34, "dense");
  expect_refused("intrinsic i : real { computes = \"x\"; } intrinsic i : real { computes = \"x\"; }", "BEH0013", 50,
                 "i");
}

TEST(BehaviourErrors, Places) {
  expect_refused("process p { step { wait x == 0; } }", "BEH0009", 20, "wait");
  expect_refused("process p { step { step { } } }", "BEH0009", 20, "step");
  expect_refused("queue q : i8 { depth = 1; } process p { step { let v = pop(q); } }", "BEH0009", 48, "pop");
  expect_refused("queue q : i8 { depth = 1; } process p { step { push(q, 1); } }", "BEH0009", 48, "push");
  expect_refused("process p { reply = x; }", "BEH0009", 13, "reply");
  expect_refused("state m : u8[4] off_chip; process p { wait m[0] == 1; x = 1; }", "BEH0009", 49, "wait, interrupt");
  expect_refused("state m : u8[4] off_chip; function f() : u8 { let a = m[x]; return a; } interrupt = f() == 1;",
                 "BEH0009", 89, "wait, interrupt");
  expect_refused("instruction i on words { fields { v : u8 at 0; } decode = v == 1; update { reply = v; } }", "BEH0009",
                 76, "reply");
  expect_refused("instruction i on bus { decode = write and address == 9; update { execute(x, set); } }", "BEH0009", 66,
                 "execute");
}

TEST(BehaviourErrors, Uses) {
  expect_refused("state y : i8 = 0; process p { x = y; }", "BEH0011", 7, "y");
  expect_refused("state y : i8 = 0; process p { y = 1; }", "BEH0011", 7, "y");
  expect_refused("state y : i8[2] off_chip;", "BEH0011", 7, "y");
  expect_refused("table t : i8[2] = [1, 2];", "BEH0011", 7, "t");
  EXPECT_EQ(read_commanded("table t : i8[2] = [1, 2];").error().message, "a table that nothing reads");
  expect_refused("queue q : i8 { depth = 1; } process p { push(q, 1); }", "BEH0011", 7, "q");
  expect_refused("queue q : i8 { depth = 1; } process p { let v = pop(q); }", "BEH0011", 7, "q");
  expect_refused("instruction i on words { fields { v : u8 at 0; } decode = v == 1; update { x = 0; } }", "BEH0011", 13,
                 "i");
}

TEST(BehaviourErrors, NamesThatAreTaken) {
  expect_refused("state x : i8 = 0;", "BEH0013", 7, "x");
  expect_refused("state SIZE : i8 = 0;", "BEH0013", 7, "SIZE");
  expect_refused("process p { let x = 1; }", "BEH0013", 17, "x");
  expect_refused("process p { let y = 1; for y in 0..1 { } }", "BEH0013", 28, "y");
  expect_refused("instruction set on bus { decode = read; }", "BEH0013", 13, "set");
}

TEST(BehaviourErrors, Kinds) {
  const Result<behaviour::Behaviour> compiled = behaviour::load_behaviour("genesys");
  ASSERT_FALSE(compiled);
  EXPECT_EQ(compiled.error().code, "BEH0014");
  const Result<Machine> driven = load_machine("vta");
  ASSERT_FALSE(driven);
  EXPECT_EQ(driven.error().code, "BEH0015");
  EXPECT_EQ(driven.error().fix, "send it commands: covenant replay FILE -m vta");
}

TEST(BehaviourErrors, Forms) {
  const Result<behaviour::Behaviour> open = read_commanded("process p { if x { x = 1; ");
  ASSERT_FALSE(open);
  EXPECT_EQ(open.error().code, "ACG0002");
}

}  // namespace
}  // namespace covenant::acg
