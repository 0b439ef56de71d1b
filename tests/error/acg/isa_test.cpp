// Instructions, words and assembly that a machine does not have: ISA0001 to ISA0007.
#include <gtest/gtest.h>

#include "acg/isa/encode.h"
#include "acg/lang/load.h"
#include "tests/unit/acg/small_machine.h"

namespace covenant::acg {
namespace {

using testing::kSmallMachine;
using testing::parsed;

class IsaErrors : public ::testing::Test {
 protected:
  Codec codec_{parsed(kSmallMachine)};

  static Instruction instruction(Operation operation, std::vector<int32_t> operands) {
    Instruction result;
    result.operation = operation;
    for (size_t i = 0; i < operands.size(); ++i) result.operands.at(i) = operands[i];
    return result;
  }
};

TEST_F(IsaErrors, NoMnemonic) {
  const Result<InstructionWord> word = codec_.encode(instruction(Operation::kMul, {0}));
  ASSERT_FALSE(word);
  EXPECT_EQ(word.error().code, "ISA0001");
  EXPECT_EQ(word.error().subject, "simd_array.mul");
  EXPECT_EQ(word.error().fix, "add a mnemonic with `does = simd_array.mul;` to the ACG");
}

TEST_F(IsaErrors, ValuesThatDoNotFit) {
  const auto refused = [&](const Instruction& wanted, const std::string& offending, const std::string& allowed) {
    const Result<InstructionWord> word = codec_.encode(wanted);
    ASSERT_FALSE(word);
    EXPECT_EQ(word.error().code, "ISA0002");
    EXPECT_EQ(word.error().offending, offending);
    EXPECT_EQ(word.error().allowed.at(0), allowed);
    EXPECT_EQ(word.error().fix, "use a value of the field, or widen the field in the ACG");
  };
  refused(instruction(Operation::kFill, {256}), "256", "0..255");
  refused(instruction(Operation::kFill, {-1}), "-1", "0..255");
  refused(instruction(Operation::kSimdStride, {5, 0, 32768}), "32768", "-32768..32767");
  refused(instruction(Operation::kSimdStride, {5, 0, -32769}), "-32769", "-32768..32767");
  refused(instruction(Operation::kSimdStride, {0, 0, 0}), "number 0", "OUT");
  EXPECT_TRUE(codec_.encode(instruction(Operation::kFill, {255})));
  EXPECT_TRUE(codec_.encode(instruction(Operation::kSimdStride, {5, 0, -32768})));
}

TEST_F(IsaErrors, OfSeveralWordsTheFirstSaysWhyItRefuses) {
  Machine machine = parsed(kSmallMachine);
  for (const Mnemonic& mnemonic : std::vector<Mnemonic>(machine.mnemonics)) {
    if (mnemonic.does != Operation::kFill) continue;
    Mnemonic narrow = mnemonic;
    narrow.name = "FILL_SHORT";
    for (Field& field : narrow.fields) {
      if (field.operand == "value") field.width = 4;
    }
    machine.mnemonics.push_back(narrow);
  }
  const auto word = Codec(machine).encode(instruction(Operation::kFill, {256}));
  ASSERT_FALSE(word);
  EXPECT_EQ(word.error().allowed.at(0), "0..255");
}

/// For every field that counts in steps, a number between two of them.
TEST(IsaScales, NumbersBetweenTheStepsAreRefused) {
  const Machine machine = *load_machine("hvx");
  const Codec codec(machine);
  size_t refused = 0;
  for (uint32_t i = 0; i < machine.mnemonics.size(); ++i) {
    const auto decoded = codec.decode(codec.pattern(i).match);
    if (!decoded) continue;
    for (const Field& field : machine.mnemonics[i].fields) {
      if (field.scale == 1 || field.operand.empty()) continue;
      Instruction between = decoded->instruction;
      between.operands.at(operand_index(between.operation, field.operand)) = 1;
      const auto word = codec.encode(between);
      if (!word && word.error().code == "ISA0002" && word.error().offending == "1") ++refused;
    }
  }
  EXPECT_GT(refused, 0U);
}

TEST_F(IsaErrors, WordsThatDoNotDecode) {
  EXPECT_EQ(codec_.decode(0x00000000U).error().code, "ISA0003");
  EXPECT_EQ(codec_.decode(0xe1000000U).error().code, "ISA0003") << "opcode 14, but no such constant";
  EXPECT_EQ(codec_.decode(0x00000000U).error().fix, "run the program on the machine that it was compiled for");
  const Diagnostic reserved = codec_.decode(0xb0000001U).error();
  EXPECT_EQ(reserved.code, "ISA0004");
  EXPECT_EQ(reserved.subject, "word 0xb0000001");
  EXPECT_EQ(reserved.offending, "0x1");
  EXPECT_EQ(reserved.fix, "clear the reserved bits");
  const Diagnostic unnamed = codec_.decode(0xa7000100U).error();
  EXPECT_EQ(unnamed.code, "ISA0005");
  EXPECT_EQ(unnamed.offending, "7");
  EXPECT_EQ(unnamed.allowed, (std::vector<std::string>{"SA", "SIMD", "DRAM->IN", "OUT->DRAM"}));
  EXPECT_EQ(unnamed.fix, "use the code of one of these names, counted from 0");
}

TEST_F(IsaErrors, UndecodableWordsAreShownAsData) {
  for (uint32_t word : {0x00000000U, 0xb0000001U, 0xa7000100U}) {
    const std::string text = codec_.disassemble(word);
    EXPECT_EQ(text.substr(0, 8), ".word 0x");
    EXPECT_EQ(*codec_.assemble(text), word);
  }
}

TEST_F(IsaErrors, Assembly) {
  const Diagnostic unknown = codec_.assemble("FIL 3").error();
  EXPECT_EQ(unknown.code, "ISA0006");
  EXPECT_EQ(unknown.offending, "FIL");
  EXPECT_EQ(unknown.fix, "did you mean \"FILL\"?");
  EXPECT_EQ(codec_.assemble("").error().code, "ISA0006");
  const Diagnostic count = codec_.assemble("LIMIT ROW").error();
  EXPECT_EQ(count.code, "ISA0007");
  EXPECT_EQ(count.offending, "1 operands");
  EXPECT_EQ(count.fix, "write `LIMIT AXIS, VALUE`");
  for (const char* text : {"FILL", "FILL 1, 2", "FILL x", "FILL 256", "FILL -1", "FILL 1x", "FILL ,", "LIMIT COL, 1",
                           "STRIDE OUT, 0, 32768", ".word", ".word 7", ".word 0x", ".word 0x123456789"}) {
    const Result<InstructionWord> word = codec_.assemble(text);
    ASSERT_FALSE(word) << text;
    EXPECT_EQ(word.error().code, "ISA0007") << text;
    EXPECT_FALSE(word.error().fix.empty()) << text;
  }
  EXPECT_EQ(codec_.assemble("FILL 256").error().allowed, std::vector<std::string>{"0..255"});
  EXPECT_EQ(codec_.assemble("STRIDE OUT, 0, 32768").error().allowed, std::vector<std::string>{"-32768..32767"});
}

}  // namespace
}  // namespace covenant::acg
