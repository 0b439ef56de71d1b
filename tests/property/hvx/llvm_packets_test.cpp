// Random packets: we and LLVM agree on which may issue, and on the text of those that may.
#include <set>

#include "acg/encoding/word_text.h"
#include "acg/isa/vliw/packet_check.h"
#include "acg/operations/vliw_registers.h"
#include "tests/property/hvx/draw.h"
#include "tests/property/hvx/llvm.h"

namespace covenant::acg {
namespace {

using namespace testing;

constexpr int kPackets = 20'000;

/// LLVM takes the registers that vaddcarryo writes for read ones: it does not see that another one writes them, too.
bool hides_a_write(const Packet& packet) {
  const auto is_hiding = [](const PacketInstruction& entry) {
    return entry.instruction.operation == operation_of(VliwOperation::kVaddcarryo);
  };
  std::set<Register> written;
  for (const PacketInstruction& entry : packet.instructions) {
    for (const RegisterUse& use : register_uses(entry.instruction)) {
      const bool is_twice = writes(use.access) && !written.insert(use.used).second;
      if (is_twice) return std::any_of(packet.instructions.begin(), packet.instructions.end(), is_hiding);
    }
  }
  return false;
}

/// One to four instructions over few registers, so that they often meet.
Packet random_packet(RandomSource& random, const Machine& machine) {
  Packet packet;
  const int64_t count = random.between(1, 4);
  while (static_cast<int64_t>(packet.instructions.size()) < count) {
    const auto at = static_cast<size_t>(random.between(0, static_cast<int64_t>(machine.mnemonics.size()) - 1));
    const Mnemonic& mnemonic = machine.mnemonics[at];
    if (mnemonic.does == operation_of(VliwOperation::kA4Ext)) continue;
    if (mnemonic.does == operation_of(VliwOperation::kA4Combineii)) continue;  // LLVM writes a2_combineii
    Instruction instruction = random_instruction(random, mnemonic, 16);
    // A text names what is produced: without a producer there is nothing to write down. Compounds are written as two.
    if (set_producer_before(instruction) || is_compound(instruction)) continue;
    packet.instructions.push_back({instruction, false});
    if (hides_a_write(packet)) packet.instructions.pop_back();
  }
  const int64_t end = random.between(0, 9);
  packet.ends_inner_loop = end == 0 || end == 2;
  packet.ends_outer_loop = end == 1 || end == 2;
  const size_t least = packet.ends_outer_loop ? 3 : packet.ends_inner_loop ? 2 : 1;
  while (packet.instructions.size() < least) {
    packet.instructions.push_back({{operation_of(VliwOperation::kA2Nop), {}}, false});
  }
  return packet;
}

void expect_same_text(const PacketCodec& codec, const std::vector<Packet>& ours,
                      const std::vector<LlvmPacket>& theirs) {
  ASSERT_EQ(theirs.size(), ours.size());
  size_t unread = 0;
  for (size_t i = 0; i < theirs.size(); ++i) {
    if (theirs[i].texts == std::vector<std::string>{"<unknown>"}) {
      // llvm-objdump 14 does not read back what llvm-mc 14 writes for a branch below two instructions of slots 2 and 3.
      EXPECT_TRUE(std::any_of(ours[i].instructions.begin(), ours[i].instructions.end(), [](const auto& entry) {
        return has(entry.instruction, VliwTrait::kBranch);
      })) << codec.disassemble(ours[i], 0);
      ++unread;
      continue;
    }
    ASSERT_EQ(codec.disassemble(ours[i], theirs[i].address), text_of(theirs[i]));
    const Result<Packet> again = codec.assemble(text_of(theirs[i]), theirs[i].address);
    ASSERT_TRUE(again) << text_of(theirs[i]) << render(again.error());
    ASSERT_EQ(*again, ours[i]) << text_of(theirs[i]);
  }
  EXPECT_LT(unread * 100, ours.size());
}

TEST(HvxPackets, LlvmAgreesOnWhatMayIssue) {
  RandomSource random(66);
  const Machine machine = hvx();
  const PacketChecker checker(machine);
  const PacketCodec codec(machine);
  std::vector<Packet> packets;
  std::vector<std::string> lines;
  for (int i = 0; i < kPackets; ++i) {
    packets.push_back(random_packet(random, machine));
    lines.push_back(for_llvm(codec, packets.back()));
  }
  const std::set<size_t> refused = Llvm().refused(lines);
  size_t legal = 0;
  std::vector<std::string> words;
  std::vector<Packet> arranged;
  for (size_t i = 0; i < packets.size(); ++i) {
    Result<Packet> ours = checker.arranged(packets[i]);
    EXPECT_EQ(static_cast<bool>(ours), !refused.contains(i)) << lines[i] << (ours ? "" : render(ours.error()));
    if (!ours) continue;
    ++legal;
    const Status in_order = checker.check(*ours);
    EXPECT_TRUE(in_order) << lines[i] << render(in_order.error());
    const Result<std::vector<InstructionWord>> bits = codec.encode(*ours);
    ASSERT_TRUE(bits) << lines[i];
    for (const InstructionWord& word : *bits) words.push_back(".word 0x" + hex(word, machine.word_bits));
    arranged.push_back(*ours);
  }
  std::cout << kPackets << " packets, " << legal << " may issue\n";
  EXPECT_GT(legal, 2000U) << "the packets do not test much";
  EXPECT_GT(refused.size(), 5000U) << "the packets do not test much";
  expect_same_text(codec, arranged, Llvm().packets(words));
}

}  // namespace
}  // namespace covenant::acg
