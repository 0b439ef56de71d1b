// Words that are defined by encodings, and packet rules: ACG0060 to ACG0065.
#include "acg/lang/load.h"
#include "acg/operations/vliw_registers.h"
#include "acg/validate/validate.h"
#include "tests/error/acg/refused.h"
#include "tests/unit/acg/small_machine.h"

namespace covenant::acg {
namespace {

using testing::expect_refused;
using testing::with;

constexpr std::string_view kVliw = R"acg(acg vliw {
  packet { slots = 2; words = 2; interval = 1; pipes = ["A","B"]; parse = P; more = 1; last = 3; loop_end = 2; }
  mnemonic ADD {
    encoding = "00000000000tttttPP0uuuuu000ddddd"; syntax = "Rd = add(Ru,Rt)";
    ifield("Rd", d) writes(3) = rd; ifield("Ru", u) reads(2) = rs; ifield("Rt", t) reads(2) = rt;
    slots = [0,1]; pipes = ["A","A+B"]; does = vliw_core.a2_add;
  }
  mnemonic TFRI {
    encoding = "10000000iiiiiiiiPPiiiiiiiiiddddd"; syntax = "Rd = #Ii";
    ifield("Rd", d) = rd; ifield("Ii", i) signed extendable = value; does = vliw_core.a2_tfrsi;
  }
}
)acg";

TEST(EncodingErrors, TheMachineItselfIsFine) { EXPECT_EQ(testing::parsed(kVliw).mnemonics.size(), 2U); }

TEST(EncodingErrors, Forms) {
  expect_refused(with("000ddddd\"", "000dddd\"", kVliw),
                 {"ACG0060", 4, 16, "31 bits", "write one 0, 1 or letter for each bit, the most significant first"});
  expect_refused(with("000ddddd\"", "0-0ddddd\"", kVliw),
                 {"ACG0060", 4, 16, "-", "write 0 for bits without a meaning"});
  expect_refused(with("mnemonic ADD {", "mnemonic ADD(1) {", kVliw),
                 {"ACG0060", 4, 16, "00000000000tttttPP0uuuuu000ddddd", "write `mnemonic ADD {`"});
  expect_refused(with("ifield(\"Rd\", d)", "ifield(\"Rd\", 5)", kVliw),
                 {"ACG0060", 5, 5, "Rd", "write the letter of its bits: `ifield(\"Rd\", d)`"});
  expect_refused(with("slots = [0,1]", "constant(\"Z\", 1, 0); slots = [0,1]", kVliw),
                 {"ACG0060", 6, 5, "Z", "write the bits as 0 and 1 in the encoding"});
  expect_refused(with("    encoding = \"00000000000tttttPP0uuuuu000ddddd\"; ", "    ", kVliw),
                 {"ACG0014", 3, 12, "ADD", "write `mnemonic ADD(OPCODE)`, or give `encoding = \"...\";`"});
}

TEST(EncodingErrors, Letters) {
  expect_refused(with("ifield(\"Rd\", d) writes", "ifield(\"Rd\", k) writes", kVliw),
                 {"ACG0061", 5, 5, "k", "use a letter that stands in the encoding"});
  expect_refused(with("ifield(\"Ru\", u)", "ifield(\"Ru\", d)", kVliw),
                 {"ACG0061", 5, 37, "d", "give every field a letter of its own"});
  expect_refused(with("000ddddd\"", "00kddddd\"", kVliw),
                 {"ACG0061", 4, 16, "k", "add a field with the letter k, or write 0"});
  expect_refused(with("ifield(\"Ru\", u)", "ifield(\"Ru\", P)", kVliw),
                 {"ACG0061", 5, 37, "P", "give every field a letter of its own"});
}

TEST(EncodingErrors, TwoForOneWord) {
  expect_refused(with("10000000iiiiiiii", "00000000iiiiiiii", kVliw),
                 {"ACG0021", 8, 12, "TFRI", "give them different opcodes or constants"});
}

TEST(EncodingErrors, Syntax) {
  expect_refused(with("add(Ru,Rt)", "add(Ru)", kVliw), {"ACG0062", 4, 61, "Rt", "write Rt once in the syntax"});
  expect_refused(with("add(Ru,Rt)", "add(Ru,Rt,Rt)", kVliw), {"ACG0062", 4, 61, "Rt", "write Rt once in the syntax"});
}

TEST(EncodingErrors, Marks) {
  expect_refused(with("writes(3)", "reads(3)", kVliw), {"ACG0063", 5, 5, "reads", "remove the mark"});
  expect_refused(with("reads(2) = rs", "writes(2) = rs", kVliw), {"ACG0063", 5, 37, "writes", "remove the mark"});
  expect_refused(with("signed extendable", "signed scale 0 extendable", kVliw),
                 {"ACG0013", 10, 27, "0", "operands have 32 bits: use a smaller scale"});
  expect_refused(with("; syntax = \"Rd = #Ii\"", "", kVliw),
                 {"ACG0063", 8, 12, "TFRI", "say `packet { ... }` and give the mnemonic a syntax"});
}

TEST(EncodingErrors, OperandsWithoutBits) {
  constexpr std::string_view kFixed = "fixed(\"Ru\", 30) reads(2) = rs";
  const std::string fixed =
      with("add(Ru,Rt)", "add(r30,Rt)", with("uuuuu", "11110", with("ifield(\"Ru\", u) reads(2) = rs", kFixed, kVliw)));
  EXPECT_EQ(testing::parsed(fixed).mnemonics.size(), 2U);
  expect_refused(with(kFixed, "fixed(\"Ru\", 32) reads(2) = rs", fixed),
                 {"ACG0065", 5, 37, "32", "give the field fewer bits or a smaller scale"});
  expect_refused(with(kFixed, "fixed(\"Ru\", 30) scale 2 = rs", fixed),
                 {"ACG0002", 5, 53, "scale", "write ; before scale"});
  expect_refused(with(kFixed, "fixed(\"Ru\", -1) reads(2) = rs", fixed),
                 {"ACG0013", 5, 49, "-1", "use a value in the range"});
  expect_refused("acg a {\n  mnemonic M(1) { fixed(\"L\", 1) = last; does = control.block_end; }\n}\n",
                 {"ACG0060", 2, 19, "L", "state the word by an encoding"});
  expect_refused(with("add(r30,Rt)", "add(Ru,Rt)", fixed), {"ACG0062", 4, 61, "Ru", "write Ru not in the syntax"});
}

TEST(EncodingErrors, TheHighestBit) {
  EXPECT_EQ(testing::parsed(with("ifield(\"Rd\", d)", "ifield(\"Rd\", d) top 16", kVliw)).mnemonics.size(), 2U);
  expect_refused(with("ifield(\"Rd\", d)", "ifield(\"Rd\", d) top 15", kVliw),
                 {"ACG0065", 5, 5, "top 15", "give `top` a greater number"});
  expect_refused(with("ifield(\"Rd\", d)", "ifield(\"Rd\", d) top 17", kVliw),
                 {"ACG0065", 5, 5, "32", "give the field fewer bits or a smaller scale"});
}

TEST(EncodingErrors, NumbersBeyondTheirOperand) {
  expect_refused(with("d) writes(3) = rd; ifield(\"Ru\"", "d) scale 2 writes(3) = rd; ifield(\"Ru\"", kVliw),
                 {"ACG0065", 5, 5, "62", "give the field fewer bits or a smaller scale"});
  expect_refused(with("reads(2) = rt", "relative reads(2) = rt", kVliw), {"ACG0063", 5, 68, "Rt", "remove them"});
  expect_refused(with("writes(3)", "writes(256)", kVliw),
                 {"ACG0013", 5, 5, "256", "give the cycle, counted from when the packet issues"});
  expect_refused(with("slots = [0,1]", "slots = [0,1]; latency = 256", kVliw),
                 {"ACG0013", 3, 12, "256", "use fewer cycles"});
}

/// Whatever field names a register of the Hexagon: with a scale that is too great it is refused, with one that makes
/// pairs odd, too.
TEST(EncodingErrors, NoRegisterBeyondItsFile) {
  const Machine machine = *load_machine("hvx");
  size_t registers = 0;
  for (size_t i = 0; i < machine.mnemonics.size(); ++i) {
    for (size_t j = 0; j < machine.mnemonics[i].fields.size(); ++j) {
      const Field& field = machine.mnemonics[i].fields[j];
      if (field.kind != FieldKind::kInteger) continue;
      const OperandInfo& operand =
          info(machine.mnemonics[i].does).operands[operand_index(machine.mnemonics[i].does, field.operand)];
      const std::optional<int32_t> highest = highest_number(operand);
      if (!highest) continue;
      ++registers;
      for (const uint32_t scale : {field.scale * 2, field.scale * 512, field.scale - 1}) {
        const bool is_pair_made_odd = scale == 1 && is_pair(operand.kind);
        if (scale < field.scale && !is_pair_made_odd) continue;
        Machine changed = machine;
        changed.mnemonics[i].fields[j].scale = scale;
        const bool says_more = (int64_t{1} << field.width) * scale - scale > *highest;
        const Status said = validate(changed, {});
        EXPECT_EQ(!said, says_more || is_pair_made_odd) << machine.mnemonics[i].name << " " << field.name;
        EXPECT_EQ(said ? "ACG0065" : said.error().code, "ACG0065");
      }
    }
  }
  EXPECT_GT(registers, 200U);
}

TEST(EncodingErrors, Packets) {
  expect_refused(with("slots = 2", "slots = 9", kVliw), {"ACG0013", 2, 20, "9", "use a value in the range"});
  expect_refused(with("\"A\",\"B\"]; parse", "\"A\",\"B\",\"B\"]; parse", kVliw),
                 {"ACG0064", 2, 3, "B", "give every pipe a name of its own"});
  expect_refused(with("parse = P", "parse = PP", kVliw), {"ACG0064", 2, 3, "PP", "write `parse = P;`"});
  expect_refused(with("loop_end = 2", "loop_end = 1", kVliw),
                 {"ACG0064", 2, 3, "more 1, last 3, loop_end 1", "give more, last and loop_end different codes"});
  expect_refused(with("last = 3", "last = 4", kVliw), {"ACG0013", 2, 95, "4", "use a value in the range"});
  expect_refused(with("slots = [0,1]", "slots = [0,2]", kVliw),
                 {"ACG0064", 3, 12, "mask 0x5", "use slots of `packet`"});
  expect_refused(with("\"A+B\"", "\"A+C\"", kVliw), {"ACG0003", 6, 33, "C", "use one of the allowed words"});
  expect_refused(
      with("PPiiiiiiiiiddddd", "iPPiiiiiiiiddddd", kVliw),
      {"ACG0064", 9, 16, "10000000iiiiiiiiiPPiiiiiiiiddddd", "write the letter P at the same bits of every encoding"});
  expect_refused(with("parse = P;", "", kVliw), {"ACG0014", 2, 3, "parse", "name the letter: `parse = P;`"});
  expect_refused(with("interval = 1;", "", kVliw), {"ACG0014", 2, 3, "interval", "add `interval = ...;`"});
}

}  // namespace
}  // namespace covenant::acg
