#include "acg/isa/vliw/elf_listing.h"

#include <gtest/gtest.h>
#include <random>

#include "acg/isa/vliw/packet.h"
#include "acg/lang/load.h"

namespace covenant::acg {
namespace {

class ElfListing : public ::testing::Test {
 protected:
  Machine machine_ = *load_machine("hvx");
  PacketCodec codec_{machine_};

  /// The words of packets that stand one after the other from `address` on.
  std::vector<uint8_t> packets(const std::vector<std::string>& texts, uint32_t address) const {
    std::vector<uint8_t> bytes;
    for (const std::string& text : texts) {
      const Result<Packet> packet = codec_.assemble(text, address + static_cast<uint32_t>(bytes.size()));
      EXPECT_TRUE(packet) << text;
      const Result<std::vector<InstructionWord>> words = codec_.encode(*packet);
      EXPECT_TRUE(words) << text;
      for (const InstructionWord& word : *words) append(bytes, word);
    }
    return bytes;
  }
  static void append(std::vector<uint8_t>& bytes, const InstructionWord& word) {
    for (uint32_t i = 0; i < 4; ++i) bytes.push_back(word.byte(i));
  }
  /// The listing of one segment that the file holds completely.
  std::string listing(uint32_t address, std::vector<uint8_t> content,
                      std::map<std::string, uint32_t> symbols = {}) const {
    const uint64_t bytes = content.size();
    const ElfFile file{address, {{address, bytes, std::move(content), true, false}}, std::move(symbols)};
    const Result<std::string> text = disassemble_executable(file, machine_);
    EXPECT_TRUE(text);
    return text ? *text : "";
  }
};

TEST_F(ElfListing, PacketsUnderTheirNames) {
  const std::vector<uint8_t> content =
      packets({"{ r1 = ##70000; r2 = #4 }", "{ nop; v0 = vxor(v0,v0) }:endloop0", "{ jump 0x10000 }"}, 0x10000);
  EXPECT_EQ(listing(0x10000, content,
                    {{"start", 0x10000}, {"_start", 0x10000}, {"loop", 0x1000c}, {"data", 0x20000}, {"end", 0x10018}}),
            R"(# hvx, starts at 0x10000

# 24 bytes at 0x10000
_start:
start:
00010000  { r1 = ##70000; r2 = #4 }
loop:
0001000c  { nop; v0 = vxor(v0,v0) }:endloop0
00010014  { jump 0x10000 }
)");
}

TEST_F(ElfListing, WordsAndBytesThatAreNoPacket) {
  std::vector<uint8_t> content = packets({"{ nop }"}, 0x10000);
  append(content, 0xffffffff);
  for (const char* const text : {"{ nop }", "{ r1 = r2 }"}) {
    const std::vector<uint8_t> packet = packets({text}, 0);
    content.insert(content.end(), packet.begin(), packet.end());
  }
  content.insert(content.end(), {0xab, 0});
  EXPECT_EQ(listing(0x10000, content), R"(# hvx, starts at 0x10000

# 18 bytes at 0x10000
00010000  { nop }
00010004  .word 0xffffffff
00010008  { nop }
0001000c  { r1 = r2 }
00010010  .byte 0xab
00010011  .byte 0x00
)");
  const std::vector<uint8_t> odd{1, 0x00, 0xc0, 0x00, 0x7f};
  EXPECT_EQ(listing(0x10003, odd, {{"odd", 0x10003}}), R"(# hvx, starts at 0x10003

# 5 bytes at 0x10003
00010003  .byte 0x01
00010004  { nop }
)");
}

TEST_F(ElfListing, PacketsReachNoFurtherThanTheNextName) {
  // Data whose parse bits mark a packet that continues, then code.
  std::vector<uint8_t> content;
  append(content, 0x7f004000);
  const std::vector<uint8_t> code = packets({"{ r1 = r2 }"}, 0x10004);
  content.insert(content.end(), code.begin(), code.end());
  EXPECT_EQ(listing(0x10000, content),
            "# hvx, starts at 0x10000\n\n# 8 bytes at 0x10000\n00010000  { nop; r1 = r2 }\n");
  EXPECT_EQ(listing(0x10000, content, {{"code", 0x10004}}),
            "# hvx, starts at 0x10000\n\n# 8 bytes at 0x10000\n00010000  .word 0x7f004000\ncode:\n"
            "00010004  { r1 = r2 }\n");
  EXPECT_EQ(listing(0x10000, content, {{"within", 0x10006}}), listing(0x10000, content)) << "no address of a word";
}

TEST_F(ElfListing, ExecutableSegmentsOnly) {
  const ElfFile file{0x10000,
                     {{0x10000, 4, packets({"{ nop }"}, 0), true, false},
                      {0x20000, 4, {1, 2, 3, 4}, false, true},
                      {0xfffffffc, 4, packets({"{ nop }"}, 0), true, false}},
                     {}};
  EXPECT_EQ(*disassemble_executable(file, machine_),
            "# hvx, starts at 0x10000\n\n# 4 bytes at 0x10000\n00010000  { nop }\n\n# 4 bytes at 0xfffffffc\n"
            "fffffffc  { nop }\n");
  const ElfFile zeros{0x10000, {{0x10000, 0x10000004, packets({"{ nop }"}, 0), true, false}}, {}};
  EXPECT_EQ(
      *disassemble_executable(zeros, machine_),
      "# hvx, starts at 0x10000\n\n# 268435460 bytes at 0x10000\n00010000  { nop }\n# 268435456 bytes of zeros\n");
}

TEST_F(ElfListing, AnyWords) {
  std::mt19937 random(1);
  std::vector<uint8_t> content;
  for (size_t i = 0; i < 40'000; ++i) {
    const WordPattern pattern = codec_.words().pattern(static_cast<uint32_t>(random() % machine_.mnemonics.size()));
    const InstructionWord any(random());
    append(content, i % 8 == 0 ? any : (any & ~pattern.mask) | pattern.match);
  }
  const std::string text = listing(0x10000, content);
  EXPECT_NE(text.find(".word"), std::string::npos);
  EXPECT_NE(text.find("}:endloop01"), std::string::npos);
}

TEST_F(ElfListing, MachinesWithoutPackets) {
  const Result<std::string> text = disassemble_executable({}, *load_machine("genesys"));
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, "ISA0022");
  EXPECT_EQ(text.error().offending, "genesys");
}

}  // namespace
}  // namespace covenant::acg
