// The text itself is wrong: ACG0001 to ACG0006, ACG0009 to ACG0012.
#include "tests/error/acg/refused.h"
#include "tests/unit/acg/small_machine.h"

namespace covenant::acg {
namespace {

using testing::expect_refused;
using testing::kSmallMachine;
using testing::with;

TEST(LanguageErrors, Characters) {
  expect_refused(with("param M = 4;", "param M = 4;\n  @"), {"ACG0001", 3, 3, "@", "remove it; comments start with #"});
  expect_refused("acg m {\n\x01", {"ACG0001", 2, 1, "byte 0x01", "remove it; comments start with #"});
  expect_refused("acg m {\n\xc3\xa9", {"ACG0001", 2, 1, "byte 0xc3", "remove it; comments start with #"});
  expect_refused(with("\"wide\"", "\"wi\xe9\""),
                 {"ACG0001", 4, 10, "wi\xe9", "write it in ASCII, or save the file as UTF-8"});
  expect_refused(with("\"wide\"", "\"wide"), {"ACG0001", 4, 10, "\"wide { N = 16; }", "close it with \""});
}

TEST(LanguageErrors, Syntax) {
  expect_refused("", {"ACG0002", 1, 1, "end of text", "start the file with `acg NAME {`"});
  expect_refused("machine m { }", {"ACG0002", 1, 1, "machine", "start the file with `acg NAME {`"});
  expect_refused("acg m {", {"ACG0002", 1, 8, "end of text", "close the block with }"});
  expect_refused("acg m { } }", {"ACG0002", 1, 11, "}", "one file describes one machine"});
  expect_refused(with("param M = 4;", "param M = 4"), {"ACG0002", 3, 3, "param", "write ; before param"});
  expect_refused(with("param M = 4;", "param M = ;"), {"ACG0002", 2, 13, ";", "write a number or a name before ;"});
  expect_refused(with("DRAM -> IN ", "DRAM = IN "), {"ACG0002", 24, 13, "=", "write -> or <-> before ="});
  expect_refused(with("500 MHz", "fast"), {"ACG0002", 5, 11, "fast", "write a number before fast"});
  expect_refused(with("\"wide\"", "wide"),
                 {"ACG0002", 4, 10, "wide", "write the name of the preset in quotes before wide"});
  expect_refused(with("does = dma.fill;", "does = fill;"), {"ACG0002", 41, 85, ";", "write . before ;"});
}

TEST(LanguageErrors, NestingIsBounded) {
  const std::string deep(100'000, '(');
  const Result<Machine> parentheses = parse_machine("acg m { param M = " + deep, "deep.acg");
  ASSERT_FALSE(parentheses);
  EXPECT_EQ(parentheses.error().code, "ACG0002");
  EXPECT_EQ(parentheses.error().fix, "use at most 100 levels and 1000 operators");
  std::string sum = "1";
  for (int i = 0; i < 100'000; ++i) sum += "+1";
  const Result<Machine> operators = parse_machine("acg m { param M = " + sum + "; }", "wide.acg");
  ASSERT_FALSE(operators);
  EXPECT_EQ(operators.error().code, "ACG0002");
  const Result<Machine> minus = parse_machine("acg m { param M = " + std::string(100'000, '-'), "minus.acg");
  ASSERT_FALSE(minus);
  EXPECT_EQ(minus.error().code, "ACG0002");
}

TEST(LanguageErrors, UnknownWords) {
  expect_refused(with("memory DRAM", "memry DRAM"), {"ACG0003", 6, 3, "memry", "did you mean \"memory\"?"});
  expect_refused(with("kind = offchip", "kind = offchp"), {"ACG0003", 6, 24, "offchp", "did you mean \"offchip\"?"});
  expect_refused(with("kind = offchip", "kind = 3"), {"ACG0003", 6, 24, "an expression", "write `kind = WORD;`"});
  expect_refused(with("latency = 40", "latncy = 40"), {"ACG0003", 6, 45, "latncy", "did you mean \"latency\"?"});
  expect_refused(with("unit = systolic_array", "unit = sistolic_array"),
                 {"ACG0003", 13, 12, "sistolic_array", "did you mean \"systolic_array\"?"});
  expect_refused(with("rows = M", "row = M"), {"ACG0003", 13, 28, "row", "did you mean \"rows\"?"});
  expect_refused(with("((i8,M)", "((i9,M)"), {"ACG0003", 15, 21, "i9", "did you mean \"i8\"?"});
  expect_refused(with("{ latency = 2; }", "{ cost = 2; }"),
                 {"ACG0003", 19, 38, "cost", "use one of the allowed words"});
  expect_refused(with("{ bandwidth = 64; }", "{ bandwith = 64; }"),
                 {"ACG0003", 23, 23, "bandwith", "did you mean \"bandwidth\"?"});
  expect_refused(with("500 MHz", "500 Mhz"), {"ACG0003", 5, 15, "Mhz", "did you mean \"MHz\"?"});
  expect_refused(with("ifield(\"COUNT\"", "field(\"COUNT\""), {"ACG0003", 31, 73, "field", "did you mean \"ifield\"?"});
  expect_refused(with("dma.fill", "dma.fil"), {"ACG0003", 41, 81, "dma.fil", "did you mean \"dma.fill\"?"});
}

TEST(LanguageErrors, AllowedWordsAreListed) {
  const Result<Machine> machine = parse_machine(with("dma.fill", "dma.dance"), "small.acg");
  ASSERT_FALSE(machine);
  EXPECT_EQ(machine.error().allowed, (std::vector<std::string>{"dma.limit", "dma.fill", "dma.load", "dma.store"}));
  EXPECT_EQ(machine.error().subject, "mnemonic FILL");
}

TEST(LanguageErrors, SaidTwice) {
  const std::string rename = "give one of the two another name", keep = "keep one of the two";
  expect_refused(with("memory IN {", "memory DRAM {"), {"ACG0004", 8, 10, "DRAM", rename});
  expect_refused(with("compute SA {", "compute IN {"), {"ACG0004", 12, 11, "IN", rename});
  expect_refused(with("mnemonic FILL", "mnemonic LIMIT"), {"ACG0004", 41, 12, "LIMIT", rename});
  expect_refused(with("param N = M * 2;", "param N = M * 2; param M = 1;"), {"ACG0004", 3, 26, "M", keep});
  expect_refused(with("N = 16;", "N = 16; N = 17;"), {"ACG0004", 4, 27, "N", keep});
  expect_refused(with("clock", "preset \"wide\" { } clock"), {"ACG0004", 5, 10, "wide", keep});
  expect_refused(with("clock", "clock = 1 GHz; clock"), {"ACG0004", 5, 18, "clock", keep});
  expect_refused(with("clock", "word = 32; word = 32; clock"), {"ACG0004", 5, 14, "word", keep});
  expect_refused(with("clock", "preset = \"wide\"; preset = \"wide\"; clock"), {"ACG0004", 5, 20, "preset =", keep});
  expect_refused(with("depth = 1M;", "depth = 1M; depth = 2M;"), {"ACG0004", 6, 45, "depth", keep});
  expect_refused(with("edge DRAM -> W ", "edge DRAM -> IN "), {"ACG0004", 25, 8, "edge DRAM -> IN", keep});
  expect_refused(with("\"ROW\",\"COLUMN\"", "\"ROW\",\"ROW\""), {"ACG0004", 40, 48, "ROW", keep});
  expect_refused(with("does = dma.fill;", "does = dma.fill; does = dma.load;"), {"ACG0004", 41, 91, "does", keep});
}

TEST(LanguageErrors, Parameters) {
  expect_refused(kSmallMachine, {"ACG0005", 0, 0, "K", "use one of the allowed words"}, "", {{"K", "1"}});
  expect_refused(with("N = 16;", "Nx = 16;"), {"ACG0005", 4, 19, "Nx", "use one of the allowed words"});
  const Result<Machine> machine = parse_machine(kSmallMachine, "small.acg", "", {{"K", "1"}});
  EXPECT_EQ(machine.error().where.file, "<set>");
  EXPECT_EQ(machine.error().subject, "--set K=1");
  EXPECT_EQ(machine.error().allowed, (std::vector<std::string>{"M", "N"}));
}

TEST(LanguageErrors, Presets) {
  expect_refused(kSmallMachine, {"ACG0006", 1, 5, "wid", "did you mean \"wide\"?"}, "wid");
  expect_refused(with("clock", "preset = \"wild\"; clock"), {"ACG0006", 5, 12, "wild", "use one of the allowed words"});
}

TEST(LanguageErrors, Arithmetic) {
  expect_refused(with("M * 2", "Mx * 2"), {"ACG0009", 3, 13, "Mx", "use one of the allowed words"});
  expect_refused(with("param M = 4", "param M = N"),
                 {"ACG0009", 2, 13, "N", "write a number: nothing is declared before it"});
  expect_refused(with("M * 2", "M * 4G * 4G"),
                 {"ACG0010", 3, 20, "17179869184 * 4294967296", "use smaller parameters"});
  expect_refused(with("M * 2", "9223372036854775807 + M"),
                 {"ACG0010", 3, 33, "9223372036854775807 + 4", "use smaller parameters"});
  expect_refused(with("M * 2", "-9223372036854775807 - M"),
                 {"ACG0010", 3, 34, "-9223372036854775807 - 4", "use smaller parameters"});
  expect_refused(with("M * 2", "(-9223372036854775807 - 1) / -1"),
                 {"ACG0010", 3, 40, "-9223372036854775808 / -1", "use smaller parameters"});
  expect_refused(with("M * 2", "-(-9223372036854775807 - 1)"),
                 {"ACG0010", 3, 13, "-(-9223372036854775808)", "use smaller parameters"});
  expect_refused(with("M * 2", "M / (M - 4)"), {"ACG0011", 3, 15, "4 / 0", "divide by something else"});
}

TEST(LanguageErrors, ValuesOfSettings) {
  expect_refused(kSmallMachine, {"ACG0011", 1, 2, "8 / 0", "divide by something else"}, "", {{"M", "8/0"}});
  expect_refused(kSmallMachine, {"ACG0002", 1, 1, "end of text", "write a number or a name before the end"}, "",
                 {{"M", ""}});
  expect_refused(kSmallMachine, {"ACG0002", 1, 3, "9", "give one number or expression"}, "", {{"M", "8 9"}});
  const Result<Machine> machine = parse_machine(kSmallMachine, "small.acg", "", {{"M", "8/0"}});
  EXPECT_EQ(machine.error().subject, "--set M=8/0");
}

TEST(LanguageErrors, Numbers) {
  const std::string write = "write whole numbers, and decimals only for the clock";
  expect_refused(with("depth = 1M", "depth = 1Q"), {"ACG0012", 6, 41, "1Q", write});
  expect_refused(with("depth = 1M", "depth = 1MB"), {"ACG0012", 6, 41, "1MB", write});
  expect_refused(with("depth = 1M", "depth = 0xZZ"), {"ACG0012", 6, 41, "ZZ", write});
  expect_refused(with("depth = 1M", "depth = 0x"), {"ACG0012", 6, 41, "0x", write});
  expect_refused(with("depth = 1M", "depth = 1.5M"), {"ACG0012", 6, 41, "1.5M", write});
  expect_refused(with("depth = 1M", "depth = 1.5"),
                 {"ACG0012", 6, 41, "1.5", "only the clock and energies may have decimals"});
  expect_refused(with("depth = 1M", "depth = 9223372036854775808"),
                 {"ACG0012", 6, 41, "9223372036854775808", "use a number below 8192 * 1G * 1M"});
  for (const char* text : {"1 - 9223372036854775808", "-(9223372036854775808)", "-9223372036854775808 ^ 1"}) {
    const auto at = static_cast<uint32_t>(41 + std::string_view(text).find('9'));
    expect_refused(with("depth = 1M", std::string("depth = ") + text),
                   {"ACG0012", 6, at, "9223372036854775808", "use a number below 8192 * 1G * 1M"});
  }
  expect_refused(with("depth = 1M", "depth = -9223372036854775809"),
                 {"ACG0012", 6, 42, "9223372036854775809", "use a number below 8192 * 1G * 1M"});
  expect_refused(with("depth = 1M", "depth = 8589934592G"),
                 {"ACG0012", 6, 41, "8589934592", "use a number below 8192 * 1G * 1M"});
}

}  // namespace
}  // namespace covenant::acg
