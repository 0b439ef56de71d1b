#include <gtest/gtest.h>
#include <memory>

#include "acg/encoding/word_text.h"
#include "acg/graph/queries.h"
#include "acg/isa/encode.h"
#include "acg/isa/vliw/packet.h"
#include "tests/unit/acg/small_machine.h"

namespace covenant::acg {
namespace {

using testing::genesys;
using testing::kSmallMachine;
using testing::parsed;

Instruction instruction(Operation operation, std::vector<int32_t> operands) {
  Instruction result;
  result.operation = operation;
  for (size_t i = 0; i < operands.size(); ++i) result.operands.at(i) = operands[i];
  return result;
}

int32_t memory(const Machine& machine, const char* name) {
  return static_cast<int32_t>(find_memory(machine, name).value().value);
}

/// Words worked out by hand from the layouts of docs/reference/genesys-isa.md.
TEST(Codec, WordsOfGenesys) {
  const Machine machine = genesys();
  const Codec codec(machine);
  const int32_t obuf = memory(machine, "OBUF"), vmem1 = memory(machine, "VMEM1"), vmem2 = memory(machine, "VMEM2");
  const int32_t imm = memory(machine, "IMM"), wbuf = memory(machine, "WBUF"), ibuf = memory(machine, "IBUF");
  const std::vector<std::pair<Instruction, uint32_t>> cases{
      {instruction(Operation::kAdd, {vmem2, 3, obuf, 1, imm, 31}), 0x00630000U | 0x0100U | 0x9fU},
      {instruction(Operation::kRequant, {vmem1, 0, obuf, 0, vmem2, 8}), 0x3c400000U | 0x68U},
      {instruction(Operation::kReduceMax, {vmem1, 2, vmem2, 4, vmem2, 4}), 0x85426464U},
      {instruction(Operation::kTypes, {1, 2, 3}), 0x40010203U},
      {instruction(Operation::kQuantization, {128, 0, 255}), 0x488000ffU},
      {instruction(Operation::kSimdStride, {vmem1, 9, -2}), 0x6449fffeU},
      {instruction(Operation::kSimdBaseHigh, {obuf, 1, 0xffff}), 0x6201ffffU},
      {instruction(Operation::kImmediateHigh, {31, 0x8000}), 0x691f8000U},
      {instruction(Operation::kTable, {127, 0xbeef}), 0x507fbeefU},
      {instruction(Operation::kRequantMul, {vmem1, 0, obuf, 0, vmem2, 8}), 0x3e400068U},
      {instruction(Operation::kLookup, {vmem1, 0, vmem2, 8, vmem2, 8}), 0x3f406868U},
      {instruction(Operation::kSimdTrip, {7, 65535}), 0x71e0ffffU},
      {instruction(Operation::kSimdReduce, {8}), 0x73800000U},
      {instruction(Operation::kLoop, {6, 99, 1}), 0x90460063U | (1U << 22)},
      {instruction(Operation::kEnd, {6}), 0x94060000U},
      {instruction(Operation::kTrip, {13, 2, 0}), 0x980d0002U},
      {instruction(Operation::kGroup, {0, 180}), 0xa00000b4U},
      {instruction(Operation::kGroup, {8, 1}), 0xa2000001U},
      {instruction(Operation::kWait, {wbuf, 3, static_cast<int32_t>(Token::kFull)}), 0xa8030000U},
      {instruction(Operation::kPost, {ibuf, 0, static_cast<int32_t>(Token::kFree)}), 0xae400000U},
      {instruction(Operation::kBlockEnd, {1}), 0xb0000001U},
      {instruction(Operation::kStride, {static_cast<int32_t>(AddressOperand::kColumn), 16, 1, 7}), 0xc9d00007U},
      {instruction(Operation::kBase, {static_cast<int32_t>(AddressOperand::kInput), 0, 2, 0x1234}), 0xd0421234U},
      {instruction(Operation::kLoad, {15}), 0xe000000fU},
      {instruction(Operation::kStore, {65535}), 0xe040ffffU},
      {instruction(Operation::kLimit, {1, 28}), 0xe140001cU},
      {instruction(Operation::kFill, {0x80}), 0xe1800080U},
      {instruction(Operation::kGemm, {1}), 0xf0400000U},
  };
  for (const auto& [wanted, bits] : cases) {
    const Result<InstructionWord> word = codec.encode(wanted);
    ASSERT_TRUE(word) << render(word.error());
    EXPECT_EQ(*word, bits) << codec.disassemble(*word) << " " << hex(*word, 32);
    const Result<Codec::Decoded> decoded = codec.decode(*word);
    ASSERT_TRUE(decoded) << render(decoded.error());
    EXPECT_EQ(decoded->instruction, wanted);
    EXPECT_EQ(machine.mnemonics.at(decoded->mnemonic).does, wanted.operation);
  }
}

TEST(Codec, PublishedWord) {
  // The GeneSys test cases begin a group of 180 words for the systolic array by this very word.
  EXPECT_EQ(Codec(genesys()).disassemble(0xA00000B4U), "GROUP SA, 180");
}

TEST(Codec, AssemblyText) {
  const Codec codec(genesys());
  EXPECT_EQ(codec.disassemble(0xa8030000U), "WAIT FULL, WBUF, 3");
  EXPECT_EQ(codec.disassemble(0x6449fffeU), "STRIDE VMEM1, 9, -2");
  EXPECT_EQ(codec.disassemble(0xffffffffU), ".word 0xffffffff");
  EXPECT_EQ(*codec.assemble("  STRIDE  VMEM1 ,9,  -2 "), 0x6449fffeU);
  EXPECT_EQ(*codec.assemble("GROUP DRAM->IBUF, 3"), 0xa0800003U);
  EXPECT_EQ(*codec.assemble(".word 0xffffffff"), 0xffffffffU);
}

TEST(Codec, LayoutCoversTheWord) {
  const Machine machine = genesys();
  const Codec codec(machine);
  for (uint32_t i = 0; i < machine.mnemonics.size(); ++i) {
    uint32_t top = 32 - machine.opcode_bits;
    const std::vector<Codec::FieldBits> layout = codec.layout(i);
    ASSERT_EQ(layout.size(), machine.mnemonics[i].fields.size());
    for (size_t j = 0; j < layout.size(); ++j) {
      EXPECT_EQ(layout[j].low + layout[j].width, top) << machine.mnemonics[i].name;
      EXPECT_EQ(layout[j].width, machine.mnemonics[i].fields[j].width);
      top = layout[j].low;
    }
  }
}

TEST(Codec, KeepsNoReference) {
  auto machine = std::make_unique<Machine>(parsed(kSmallMachine));
  const Codec codec(*machine);
  machine.reset();
  EXPECT_EQ(codec.disassemble(0xb8000000U), "BLOCK_END 1");
}

TEST(Codec, OfTwoMnemonicsForOneOperationTheFirstThatFits) {
  const Machine machine = parsed(
      testing::with("  mnemonic FILL(14)", R"(  mnemonic FILL_SHORT(1) { ifield("BYTE", 4) = value; does = dma.fill; }
  mnemonic FILL(14))"));
  const Codec codec(machine);
  EXPECT_EQ(codec.disassemble(*codec.encode(instruction(Operation::kFill, {15}))), "FILL_SHORT 15");
  EXPECT_EQ(codec.disassemble(*codec.encode(instruction(Operation::kFill, {16}))), "FILL 16");
}

TEST(Codec, NumbersOfMoreThan16Bits) {
  const std::string text =
      testing::with("ifield(\"VALUE\", 16) signed = value;", "ifield(\"VALUE\", 17) signed = value;");
  const Codec codec(parsed(testing::with("ifield(\"VALUE\", 16) = value; does = dma.limit",
                                         "ifield(\"VALUE\", 20) = value; does = dma.limit", text)));
  for (const std::string line : {"STRIDE OUT2, 3, -40000", "STRIDE OUT2, 3, 65535", "LIMIT COLUMN, 1000000"}) {
    const Result<InstructionWord> word = codec.assemble(line);
    ASSERT_TRUE(word) << render(word.error());
    EXPECT_EQ(codec.disassemble(*word), line);
  }
}

Mnemonic described(const std::string& name, uint32_t opcode, const Field& field) {
  Mnemonic mnemonic;
  mnemonic.name = name;
  mnemonic.opcode = opcode;
  mnemonic.does = kDescribedWord;
  mnemonic.fields = {field};
  return mnemonic;
}

/// Words that are only described may have any number of mnemonics and names.
TEST(Codec, MoreNamesThan16BitsCount) {
  constexpr uint32_t kNames = 70'000;
  Field picked;
  picked.kind = FieldKind::kEnumeration;
  picked.name = "ONE";
  picked.width = 17;
  picked.operand = "first";
  for (uint32_t i = 0; i < kNames; ++i) picked.values.push_back("N" + std::to_string(i));
  Machine machine;
  machine.mnemonics = {described("PICK", 3, picked), described("TAKE", 4, picked)};
  machine.mnemonics.back().syntax = "take ONE";
  const Codec codec(machine);
  for (const uint32_t i : {0U, 32767U, 32768U, 65535U, 65536U, kNames - 1}) {
    for (const std::string name : {"PICK", "take"}) {
      const std::string line = name + " N" + std::to_string(i);
      const Result<InstructionWord> word = codec.assemble(line);
      ASSERT_TRUE(word) << render(word.error());
      EXPECT_EQ(codec.decode(*word)->instruction.operands[0], static_cast<int32_t>(i));
      EXPECT_EQ(codec.disassemble(*word), line);
    }
  }
}

TEST(Codec, MoreMnemonicsThan16BitsCount) {
  constexpr uint32_t kMnemonics = 70'000;
  Machine machine;
  machine.opcode_bits = 16;
  for (uint32_t i = 0; i < kMnemonics; ++i) {
    Field rest;
    rest.kind = FieldKind::kConstant;
    rest.name = "REST";
    rest.width = 1;
    rest.constant = i % 2;
    machine.mnemonics.push_back(described("M" + std::to_string(i), i / 2, rest));
  }
  const Codec codec(machine);
  for (const uint32_t i : {0U, 65535U, 65536U, kMnemonics - 1}) {
    const std::string line = "M" + std::to_string(i);
    const Result<InstructionWord> word = codec.assemble(line);
    ASSERT_TRUE(word) << render(word.error());
    EXPECT_EQ(codec.decode(*word)->mnemonic, i);
    EXPECT_EQ(codec.disassemble(*word), line);
  }
}

/// A store takes what an instruction before it produces: the vector instructions between the two are counted, and no
/// others.
TEST(Codec, TheProducerOfAValueMayStandFurtherBack) {
  const Machine hvx = *load_machine("hvx");
  const PacketCodec codec(hvx);
  for (const std::string line : {"{ v1.w = vadd(v4.w,v5.w); vmem(r1++#2) = v1.new }",
                                 "{ v1.w = vadd(v4.w,v5.w); v2.w = vadd(v6.w,v7.w); vmem(r1++#2) = v1.new }",
                                 "{ v1.w = vadd(v4.w,v5.w); v2.w = vadd(v6.w,v7.w); vmem(r1++#2) = v2.new }",
                                 "{ v1.w = vadd(v4.w,v5.w); r2 = add(r3,r4); vmem(r1++#2) = v1.new }"}) {
    const Result<Packet> packet = codec.assemble(line, 0);
    ASSERT_TRUE(packet) << render(packet.error());
    EXPECT_EQ(codec.disassemble(*packet, 0), line);
  }
}

// The line of docs/reference/encodings.md under "Assembly text".
TEST(Codec, ThePacketOnThePageAboutEncodings) {
  const Machine hvx = *load_machine("hvx");
  const PacketCodec codec(hvx);
  const std::string line = "{ r5 = add(r4,##70000); r7:6 = memd(r1++#8) }";
  const Result<Packet> packet = codec.assemble(line, 0);
  ASSERT_TRUE(packet) << render(packet.error());
  const Result<std::vector<InstructionWord>> words = codec.encode(*packet);
  ASSERT_TRUE(words) << render(words.error());
  EXPECT_EQ(words->size(), 3U) << "two instructions and an extender";
  const Result<PacketCodec::Decoded> decoded = codec.decode(*words);
  ASSERT_TRUE(decoded) << render(decoded.error());
  EXPECT_EQ(codec.disassemble(decoded->packet, 0), line);
}

}  // namespace
}  // namespace covenant::acg
