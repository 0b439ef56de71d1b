// Loops are found from packets alone.
#include "acg/isa/vliw/packet_loops.h"

#include <gtest/gtest.h>

#include "acg/lang/load.h"

namespace covenant::acg {
namespace {

/// Packets of one word and more, one after the other from 0x1000 on.
class Code {
 public:
  explicit Code(const std::vector<std::string>& texts) : machine_(*load_machine("hvx")), codec_(machine_) {
    for (const std::string& text : texts) {
      const Result<Packet> packet = codec_.assemble(text, address_);
      EXPECT_TRUE(packet) << text << (packet ? "" : render(packet.error()));
      packets_.push_back({address_, *packet});
      address_ += 4 * static_cast<uint32_t>(codec_.encode(*packet)->size());
    }
  }

  std::vector<std::string> numbers() const { return loop_numbers(packets_); }
  std::vector<CodeLoop> loops() const { return loops_of(packets_); }

 private:
  Machine machine_;
  PacketCodec codec_;
  uint32_t address_ = 0x1000;
  std::vector<AddressedPacket> packets_;
};

using Numbers = std::vector<std::string>;

TEST(PacketLoops, StraightCodeHasNone) {
  const Code code({"{ r0 = #1 }", "{ r1 = #2 }"});
  EXPECT_TRUE(code.loops().empty());
  EXPECT_EQ(code.numbers(), (Numbers{"", ""}));
  EXPECT_TRUE(loop_numbers({}).empty());
}

TEST(PacketLoops, AHardwareLoopGoesFromItsTargetToItsEnd) {
  const Code code({"{ loop0(0x1008,#4) }", "{ r0 = #1 }", "{ r1 = #2 }", "{ r2 = #3; nop }:endloop0", "{ r3 = #4 }"});
  EXPECT_EQ(code.loops(), (std::vector<CodeLoop>{{0x1008, 0x100c}}));
  EXPECT_EQ(code.numbers(), (Numbers{"", "", "1", "1", ""}));
}

TEST(PacketLoops, LoopsWithinLoopsAreCountedThere) {
  const Code code({"{ loop1(0x1004,#2) }",            //
                   "{ loop0(0x1008,#4) }",            // 1004
                   "{ r0 = #1; nop }:endloop0",       // 1008
                   "{ loop0(0x1014,#4) }",            // 1010
                   "{ r0 = #1; nop }:endloop0",       // 1014
                   "{ r1 = #2; nop; nop }:endloop1",  // 101c
                   "{ loop0(0x102c,#4) }",            // 1028
                   "{ r0 = #1; nop }:endloop0"});     // 102c
  EXPECT_EQ(code.loops(),
            (std::vector<CodeLoop>{{0x1004, 0x101c}, {0x1008, 0x1008}, {0x1014, 0x1014}, {0x102c, 0x102c}}));
  EXPECT_EQ(code.numbers(), (Numbers{"", "1", "1.1", "1", "1.2", "1", "", "2"}));
}

TEST(PacketLoops, TwoLoopsMayEndTogether) {
  const Code code({"{ loop1(0x1004,#2) }", "{ loop0(0x1008,#4) }", "{ r0 = #1; nop; nop }:endloop01"});
  EXPECT_EQ(code.numbers(), (Numbers{"", "1", "1.1"}));
}

TEST(PacketLoops, ABranchBackIsALoopAndACallIsNone) {
  const Code code({"{ r0 = #1 }", "{ if (p0.new) jump:t 0x1000; p0 = cmp.gt(r0,#1); r0 = add(r0,#-1) }", "{ nop }",
                   "{ call 0x1000 }", "{ jump 0x1020 }", "{ nop }"});
  EXPECT_EQ(code.loops(), (std::vector<CodeLoop>{{0x1000, 0x1004}}));
  EXPECT_EQ(code.numbers(), (Numbers{"1", "1", "", "", "", ""}));
}

TEST(PacketLoops, ALoopThatEndsElsewhereIsNone) {
  EXPECT_TRUE(Code({"{ loop0(0x1004,#4) }", "{ nop }"}).loops().empty());
}

}  // namespace
}  // namespace covenant::acg
