#include <gtest/gtest.h>
#include <set>

#include "acg/graph/queries.h"
#include "acg/isa/encode.h"
#include "tests/property/acg/random_source.h"
#include "tests/unit/acg/small_machine.h"

namespace covenant::acg {
namespace {

using testing::genesys;
using testing::RandomSource;

/// A value that `field` can carry; the limits come often.
int32_t random_value(RandomSource& random, const Machine& machine, const Mnemonic& mnemonic, const Field& field) {
  const OperandInfo& operand = info(mnemonic.does).operands[operand_index(mnemonic.does, field.operand)];
  if (field.kind == FieldKind::kEnumeration) {
    const std::string& name =
        field.values[static_cast<size_t>(random.between(0, static_cast<int64_t>(field.values.size()) - 1))];
    if (operand.kind == OperandKind::kMemory) return static_cast<int32_t>(find_memory(machine, name).value().value);
    if (operand.kind == OperandKind::kEngine) return static_cast<int32_t>(find_engine(engines(machine), name).value());
    int32_t choice = 0;
    while (operand.choices[static_cast<size_t>(choice)] != name) ++choice;
    return choice;
  }
  const int64_t count = int64_t{1} << field.width;
  const int64_t lowest = field.is_signed ? -count / 2 : 0;
  const int64_t pick = random.between(0, 3);
  if (pick == 0) return static_cast<int32_t>(lowest);
  if (pick == 1) return static_cast<int32_t>(lowest + count - 1);
  return static_cast<int32_t>(random.between(lowest, lowest + count - 1));
}

TEST(RandomInstructions, DecodeIsTheInverseOfEncode) {
  RandomSource random(1);
  const Machine machine = genesys();
  const Codec codec(machine);
  for (uint32_t index = 0; index < machine.mnemonics.size(); ++index) {
    const Mnemonic& mnemonic = machine.mnemonics[index];
    for (int repeat = 0; repeat < 500; ++repeat) {
      Instruction wanted;
      wanted.operation = mnemonic.does;
      for (const Field& field : mnemonic.fields) {
        if (field.operand.empty()) continue;
        wanted.operands[operand_index(mnemonic.does, field.operand)] = random_value(random, machine, mnemonic, field);
      }
      const Result<InstructionWord> word = codec.encode(wanted);
      ASSERT_TRUE(word) << mnemonic.name << " " << render(word.error());
      const Result<Codec::Decoded> decoded = codec.decode(*word);
      ASSERT_TRUE(decoded) << mnemonic.name << " " << render(decoded.error());
      ASSERT_EQ(decoded->instruction, wanted) << codec.disassemble(*word);
      ASSERT_EQ(decoded->mnemonic, index);
    }
  }
}

/// For random words: assembling the text of a word gives the word back, and every instruction that it decodes to
/// encodes to the same word.
TEST(RandomWords, AssembleIsTheInverseOfDisassemble) {
  RandomSource random(2);
  const Machine machine = genesys();
  const Codec codec(machine);
  size_t decodable = 0;
  for (int repeat = 0; repeat < 200'000; ++repeat) {
    auto word = static_cast<uint32_t>(random.between(0, UINT32_MAX));
    // Half of the words get few bits, so that constants and reserved bits are often right.
    if (repeat % 2 == 0) word &= static_cast<uint32_t>(random.between(0, UINT32_MAX)) & 0xfff0ffffU;
    const std::string text = codec.disassemble(word);
    const Result<InstructionWord> again = codec.assemble(text);
    ASSERT_TRUE(again) << text << " " << render(again.error());
    ASSERT_EQ(*again, word) << text;
    const Result<Codec::Decoded> decoded = codec.decode(word);
    ASSERT_EQ(static_cast<bool>(decoded), !text.starts_with(".word")) << text;
    if (!decoded) continue;
    ++decodable;
    const Result<InstructionWord> encoded = codec.encode(decoded->instruction);
    ASSERT_TRUE(encoded) << text;
    ASSERT_EQ(*encoded, word) << text;
  }
  EXPECT_GT(decodable, 10'000U) << "the words do not test much";
}

/// Fields do not overlap: changing one operand changes only the bits of its field.
TEST(RandomWords, EveryBitBelongsToOneField) {
  const Machine machine = genesys();
  const Codec codec(machine);
  for (uint32_t index = 0; index < machine.mnemonics.size(); ++index) {
    uint32_t seen = 0;
    for (const Codec::FieldBits& bits : codec.layout(index)) {
      const uint32_t mask = ((1U << bits.width) - 1) << bits.low;
      EXPECT_EQ(seen & mask, 0U) << machine.mnemonics[index].name;
      seen |= mask;
    }
    EXPECT_EQ(seen >> (32 - machine.opcode_bits), 0U) << "no field reaches into the opcode";
  }
}

}  // namespace
}  // namespace covenant::acg
