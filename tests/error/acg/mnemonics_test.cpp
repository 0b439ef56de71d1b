// Mnemonics that no codec could be built for: ACG0013, ACG0020 to ACG0026.
#include "tests/error/acg/refused.h"
#include "tests/unit/acg/small_machine.h"

namespace covenant::acg {
namespace {

using testing::expect_refused;
using testing::with;

TEST(MnemonicErrors, Ranges) {
  expect_refused(with("FILL(14)", "FILL(16)"), {"ACG0013", 41, 17, "16", "use a smaller opcode"});
  expect_refused(with("ifield(\"BYTE\", 8)", "ifield(\"BYTE\", 0)"),
                 {"ACG0013", 41, 47, "0", "give its number of bits"});
  expect_refused(with("ifield(\"BYTE\", 8)", "ifield(\"BYTE\", 32)"),
                 {"ACG0013", 41, 47, "32", "give its number of bits"});
  expect_refused(with("constant(\"KIND\", 4, 3)", "constant(\"KIND\", 4, 16)"),
                 {"ACG0013", 41, 23, "16", "make the field wider or the constant smaller"});
  expect_refused(with("ifield(\"BYTE\"", "ifield(\"\""), {"ACG0013", 41, 47, "", "choose another name"});
}

TEST(MnemonicErrors, WiderThanTheWord) {
  expect_refused(with("ifield(\"BYTE\", 8)", "ifield(\"BYTE\", 25)"),
                 {"ACG0020", 41, 47, "33 bits", "make fields narrower"});
}

TEST(MnemonicErrors, TwoForOneWord) {
  const std::string differ = "give them different opcodes or constants";
  expect_refused(with("constant(\"KIND\", 4, 3)", "constant(\"KIND\", 4, 2)"), {"ACG0021", 41, 12, "FILL", differ});
  expect_refused(with("constant(\"KIND\", 4, 3); ", ""), {"ACG0021", 41, 12, "FILL", differ});
  expect_refused(with("BLOCK_END(11)", "BLOCK_END(10)"), {"ACG0021", 34, 12, "BLOCK_END", differ});
}

TEST(MnemonicErrors, TheWordThatWouldBeBoth) {
  const Result<Machine> machine = parse_machine(with("constant(\"KIND\", 4, 3); ", ""), "small.acg");
  ASSERT_FALSE(machine);
  EXPECT_EQ(machine.error().message, "word 0xe2000000 would be both LIMIT and FILL");
}

TEST(MnemonicErrors, Operands) {
  expect_refused(with("= axis;", "= axes;"), {"ACG0022", 40, 48, "axes", "did you mean \"axis\"?"});
  expect_refused(with(" = axis;", ";"), {"ACG0022", 40, 48, "AXIS", "say what it carries: `AXIS = axis;`"});
  expect_refused(with("efield(\"AXIS\", 1, [\"ROW\",\"COLUMN\"]) = axis; ", ""),
                 {"ACG0023", 40, 84, "axis", "add a field with `= axis;`"});
  expect_refused(with("ifield(\"BYTE\", 8) = value;", "ifield(\"BYTE\", 8) = value; ifield(\"AGAIN\", 8) = value;"),
                 {"ACG0023", 41, 74, "value", "keep one of the two"});
}

TEST(MnemonicErrors, KindsOfFields) {
  expect_refused(with("ifield(\"BYTE\", 8) = value", "ifield(\"BYTE\", 8) signed = value"),
                 {"ACG0024", 41, 47, "ifield ... signed", "write it as ifield"});
  expect_refused(with("ifield(\"VALUE\", 16) signed", "ifield(\"VALUE\", 16)"),
                 {"ACG0024", 37, 5, "ifield", "write it as ifield ... signed"});
  expect_refused(with("efield(\"AXIS\", 1, [\"ROW\",\"COLUMN\"])", "ifield(\"AXIS\", 1)"),
                 {"ACG0024", 40, 48, "ifield", "write it as efield"});
  expect_refused(with("ifield(\"BYTE\", 8) = value", "efield(\"BYTE\", 8, [\"A\"]) = value"),
                 {"ACG0024", 41, 47, "efield", "write it as ifield"});
}

TEST(MnemonicErrors, NamesInFields) {
  expect_refused(with("[\"OUT\",\"OUT2\"]", "[\"OUT\",\"OUT3\"]"),
                 {"ACG0025", 36, 29, "OUT3", "did you mean \"OUT\"?"});
  expect_refused(with("\"DRAM->IN\"", "\"DRAM->INN\""), {"ACG0025", 31, 5, "DRAM->INN", "did you mean \"DRAM->IN\"?"});
  expect_refused(with("\"ROW\",\"COLUMN\"", "\"ROW\",\"COL\""),
                 {"ACG0025", 40, 48, "COL", "use one of the allowed words"});
  expect_refused(with("efield(\"ENGINE\", 4", "efield(\"ENGINE\", 1"),
                 {"ACG0026", 31, 5, "4 names in 1 bits", "make the field wider"});
}

constexpr std::string_view kDescribed = R"(acg described {
  memory MEM { depth = 64; }
  compute PE { unit = described; (i16,1) = ADD((i16,1),(i16,1)); }
  edge MEM <-> PE;
  mnemonic ADD(3) { ifield("A", 8), ifield("B", 8) }
})";

std::string described_with(std::string_view from, std::string_view to) {
  std::string text(kDescribed);
  return text.replace(text.find(from), from.size(), to);
}

TEST(MnemonicErrors, WordsThatAreOnlyDescribed) {
  ASSERT_TRUE(parse_machine(kDescribed, "small.acg")) << "nothing runs on this machine";
  expect_refused(described_with("unit = described;", "unit = simd_array; lanes = 1;"),
                 {"ACG0014", 5, 12, "does", "say what the word does: `does = unit.operation;`"});
  expect_refused(described_with("(\"A\", 8)", "(\"A\", 8) = src1"),
                 {"ACG0014", 5, 12, "does", "say what the word does: `does = unit.operation;`"});
  const std::string fields =
      R"(ifield("A",1), ifield("B",1), ifield("C",1), ifield("D",1), ifield("E",1), ifield("F",1), ifield("G",1))";
  expect_refused(described_with(R"(ifield("A", 8), ifield("B", 8))", fields),
                 {"ACG0022", 5, 111, "G", "join fields, or make them constants"});
  expect_refused(described_with("ifield(\"A\", 8)", "efield(\"A\", 1, [\"X\",\"X\"])"),
                 {"ACG0004", 5, 21, "X", "keep one of the two"});
  expect_refused(described_with("ifield(\"A\", 8)", "efield(\"A\", 1, [\"X\",\"Y\",\"Z\"])"),
                 {"ACG0026", 5, 21, "3 names in 1 bits", "make the field wider"});
}

}  // namespace
}  // namespace covenant::acg
