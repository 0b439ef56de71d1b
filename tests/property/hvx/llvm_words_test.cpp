// Every mnemonic of hvx: our bits are llvm-mc's, and llvm-objdump prints our text.
#include <map>

#include "acg/encoding/word_text.h"
#include "acg/isa/vliw/packet_check.h"
#include "acg/operations/vliw_registers.h"
#include "tests/property/hvx/draw.h"
#include "tests/property/hvx/llvm.h"

namespace covenant::acg {
namespace {

using namespace testing;

constexpr int kDraws = 200;

/// An instruction that must precede the given one: the producer of its value or its predicate.
std::optional<PacketInstruction> producer_for(RandomSource& random, const Machine& machine, Instruction& instruction) {
  if (const std::optional<OperandKind> produced = set_producer_before(instruction)) {
    if (produced == OperandKind::kProducedScalar) {
      return PacketInstruction{random_instruction(random, mnemonic_of(machine, VliwOperation::kA2Xor)), false};
    }
    const bool of_pair = random.between(0, 1) == 1;
    instruction.operands[operand_index(instruction.operation, "produced")] +=
        of_pair ? static_cast<int32_t>(random.between(0, 1)) : 0;
    const VliwOperation producer = of_pair ? VliwOperation::kVaddubh : VliwOperation::kVxor;
    return PacketInstruction{random_instruction(random, mnemonic_of(machine, producer)), false};
  }
  if (!has(instruction, VliwTrait::kNewPredicate)) return std::nullopt;
  PacketInstruction compare{random_instruction(random, mnemonic_of(machine, VliwOperation::kC2Cmpeq)), false};
  compare.instruction.operands[0] = instruction.operands[predicate_read(instruction).value()];
  return compare;
}

Packet random_packet(RandomSource& random, const Machine& machine, const Mnemonic& mnemonic) {
  const bool is_extender = mnemonic.does == operation_of(VliwOperation::kA4Ext);
  const Mnemonic& wanted = is_extender ? mnemonic_of(machine, VliwOperation::kA2Addi) : mnemonic;
  Packet packet;
  PacketInstruction entry{random_instruction(random, wanted), false};
  const bool is_extendable =
      std::any_of(wanted.fields.begin(), wanted.fields.end(), [](const Field& field) { return field.is_extendable; });
  // LLVM makes no compound of what is extended.
  const bool may_extend = is_extendable && !is_compound(entry.instruction);
  entry.is_extended = is_extender || (may_extend && random.between(0, 2) == 0);
  if (entry.is_extended) {
    for (const Field& field : wanted.fields) {
      // Ways to a target are whole words.
      const int64_t step = field.operand == "target" ? 4 : 1;
      if (field.is_extendable) {
        entry.instruction.operands[operand_index(wanted.does, field.operand)] =
            static_cast<int32_t>(random.between(INT32_MIN / 4, INT32_MAX / 4) * step);
      }
    }
  }
  if (const std::optional<PacketInstruction> before = producer_for(random, machine, entry.instruction)) {
    packet.instructions.push_back(*before);
  }
  packet.instructions.push_back(entry);
  return packet;
}

/// LLVM writes another instruction for this text: it reads the words.
std::string as_data(const Machine& machine, const PacketCodec& codec, const Packet& packet) {
  const Result<std::vector<InstructionWord>> words = codec.encode(packet);
  EXPECT_TRUE(words);
  std::string text;
  for (const InstructionWord& word : *words)
    text += (text.empty() ? ".word 0x" : ", 0x") + hex(word, machine.word_bits);
  return text;
}

/// Compounds are read by an LLVM that makes them, all other instructions by one that does not.
void expect_equal_words(bool compounds) {
  RandomSource random(2026);
  const Machine machine = hvx();
  const PacketCodec codec(machine);
  const PacketChecker checker(machine);
  std::vector<Packet> packets;
  std::vector<std::string> lines, names;
  for (const Mnemonic& mnemonic : machine.mnemonics) {
    if (is_compound({mnemonic.does, {}}) != compounds) continue;
    for (int draw = 0; draw < kDraws; ++draw) {
      Packet packet = random_packet(random, machine, mnemonic);
      // Draws that write a register twice are no packets.
      while (!checker.check(packet) && checker.check(packet).error().code == "ISA0012") {
        packet = random_packet(random, machine, mnemonic);
      }
      const Result<Packet> legal = checker.arranged(packet);
      ASSERT_TRUE(legal) << mnemonic.name << " " << render(legal.error());
      lines.push_back(mnemonic.does == operation_of(VliwOperation::kA4Combineii) ? as_data(machine, codec, *legal)
                                                                                 : for_llvm(codec, *legal));
      packets.push_back(*legal);
      names.push_back(mnemonic.name);
    }
  }
  const std::vector<LlvmPacket> theirs = Llvm(compounds).packets(lines);
  ASSERT_EQ(theirs.size(), packets.size());
  std::map<std::string, int> equal;
  for (size_t i = 0; i < packets.size(); ++i) {
    const Result<std::vector<InstructionWord>> words = codec.encode(packets[i]);
    ASSERT_TRUE(words) << lines[i] << " " << render(words.error());
    EXPECT_EQ(*words, theirs[i].words) << lines[i];
    EXPECT_EQ(codec.disassemble(packets[i], theirs[i].address), text_of(theirs[i])) << lines[i];
    const Result<PacketCodec::Decoded> decoded = codec.decode(theirs[i].words);
    ASSERT_TRUE(decoded) << lines[i] << " " << render(decoded.error());
    EXPECT_EQ(decoded->packet, packets[i]) << lines[i];
    EXPECT_EQ(decoded->words, theirs[i].words.size());
    if (::testing::Test::HasFailure()) return;
    ++equal[names[i]];
  }
  for (const auto& [name, draws] : equal) std::cout << fmt::format("{:<18} {:>4} draws equal\n", name, draws);
  std::cout << equal.size() << " mnemonics, " << kDraws << " draws of operands each: " << packets.size()
            << " packets equal\n";
}

TEST(HvxWords, EqualThoseOfLlvm) { expect_equal_words(false); }
TEST(HvxWords, CompoundsEqualThoseOfLlvm) { expect_equal_words(true); }

}  // namespace
}  // namespace covenant::acg
