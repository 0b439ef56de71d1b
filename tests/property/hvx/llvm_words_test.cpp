// Every mnemonic of hvx: our bits are llvm-mc's, and llvm-objdump prints our text.
#include <map>

#include "acg/isa/packet_check.h"
#include "tests/property/hvx/draw.h"
#include "tests/property/hvx/llvm.h"

namespace covenant::acg {
namespace {

using namespace testing;

constexpr int kDraws = 200;

/// What must stand before the instruction so that it may stand at all.
std::optional<PacketInstruction> producer_for(RandomSource& random, const Machine& machine, Instruction& instruction) {
  if (instruction.operation == operation_of(VliwOperation::kVs32bNewPi)) {
    const bool of_pair = random.between(0, 1) == 1;
    instruction.operands[operand_index(instruction.operation, "produced")] =
        2 + (of_pair ? static_cast<int32_t>(random.between(0, 1)) : 0);
    const VliwOperation producer = of_pair ? VliwOperation::kVaddubh : VliwOperation::kVxor;
    return PacketInstruction{random_instruction(random, mnemonic_of(machine, producer)), false};
  }
  return std::nullopt;
}

Packet random_packet(RandomSource& random, const Machine& machine, const Mnemonic& mnemonic) {
  const bool is_extender = mnemonic.does == operation_of(VliwOperation::kA4Ext);
  const Mnemonic& wanted = is_extender ? mnemonic_of(machine, VliwOperation::kA2Addi) : mnemonic;
  Packet packet;
  PacketInstruction entry{random_instruction(random, wanted), false};
  const bool is_extendable =
      std::any_of(wanted.fields.begin(), wanted.fields.end(), [](const Field& field) { return field.is_extendable; });
  entry.is_extended = is_extender || (is_extendable && random.between(0, 2) == 0);
  if (entry.is_extended) {
    for (size_t i = 0; i < info(wanted.does).operands.size(); ++i) {
      const OperandInfo& operand = info(wanted.does).operands[i];
      // Ways to a target are whole words.
      const int64_t step = operand.name == "target" ? 4 : 1;
      if (operand.kind == OperandKind::kSigned) {
        entry.instruction.operands[i] = static_cast<int32_t>(random.between(INT32_MIN / 4, INT32_MAX / 4) * step);
      }
    }
  }
  if (const std::optional<PacketInstruction> before = producer_for(random, machine, entry.instruction)) {
    packet.instructions.push_back(*before);
  }
  packet.instructions.push_back(entry);
  if (wanted.does == operation_of(VliwOperation::kJ2Jumptnewpt)) {
    PacketInstruction compare{random_instruction(random, mnemonic_of(machine, VliwOperation::kC2Cmpeq)), false};
    compare.instruction.operands[0] = entry.instruction.operands[0];
    packet.instructions.push_back(compare);
  }
  return packet;
}

TEST(HvxWords, EqualThoseOfLlvm) {
  RandomSource random(2026);
  const Machine machine = hvx();
  const PacketCodec codec(machine);
  const PacketChecker checker(machine);
  std::vector<Packet> packets;
  std::vector<std::string> lines;
  for (const Mnemonic& mnemonic : machine.mnemonics) {
    for (int draw = 0; draw < kDraws; ++draw) {
      Packet packet = random_packet(random, machine, mnemonic);
      // Draws that write a register twice are no packets.
      while (!checker.check(packet) && checker.check(packet).error().code == "ISA0012") {
        packet = random_packet(random, machine, mnemonic);
      }
      const Status legal = checker.check(packet);
      ASSERT_TRUE(legal) << mnemonic.name << " " << render(legal.error());
      lines.push_back(for_llvm(codec, packet));
      packets.push_back(std::move(packet));
    }
  }
  const std::vector<LlvmPacket> theirs = Llvm().packets(lines);
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
    if (HasFailure()) return;
    ++equal[machine.mnemonics[i / kDraws].name];
  }
  for (const auto& [name, draws] : equal) std::cout << fmt::format("{:<18} {:>4} draws equal\n", name, draws);
  std::cout << equal.size() << " mnemonics, " << kDraws << " draws of operands each: " << packets.size()
            << " packets equal\n";
}

}  // namespace
}  // namespace covenant::acg
