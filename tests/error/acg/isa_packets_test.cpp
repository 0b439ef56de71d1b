// Invalid packets: ISA0007 to ISA0013.
#include <gtest/gtest.h>

#include "acg/isa/vliw/packet_check.h"
#include "acg/lang/load.h"

namespace covenant::acg {
namespace {

class PacketErrors : public ::testing::Test {
 protected:
  Machine machine_ = *load_machine("hvx");
  PacketCodec codec_{machine_};
  PacketChecker checker_{machine_};

  Packet packet(const std::string& text) const {
    const Result<Packet> read = codec_.assemble(text, 0);
    EXPECT_TRUE(read) << text << " " << (read ? "" : render(read.error()));
    return read ? *read : Packet{};
  }
  void refused(const std::string& text, const std::string& code, const std::string& offending,
               const std::string& fix) const {
    const Result<Packet> said = checker_.arranged(packet(text));
    ASSERT_FALSE(said) << text;
    EXPECT_EQ(said.error().code, code) << text << render(said.error());
    EXPECT_EQ(said.error().offending, offending) << text;
    EXPECT_EQ(said.error().fix, fix) << text;
    EXPECT_FALSE(said.error().message.empty());
  }
};

TEST_F(PacketErrors, Text) {
  EXPECT_EQ(codec_.assemble("nop", 0).error().code, "ISA0007");
  EXPECT_EQ(codec_.assemble("{ nop }:endloop2", 0).error().offending, ":endloop2");
  EXPECT_EQ(codec_.assemble("{ vmem(r1++#2) = v2.new }", 0).error().code, "ISA0007");
  EXPECT_EQ(codec_.assemble("{ vmem(r1++#2) = v2.new }", 0).error().fix, "put the producer before it");
  EXPECT_EQ(codec_.assemble("{ frob r1 }", 0).error().code, "ISA0006");
  EXPECT_EQ(codec_.words().assemble("frob r1").error().code, "ISA0006");
  EXPECT_EQ(codec_.words().assemble("r1 = ##70000").error().code, "ISA0007");
  EXPECT_EQ(codec_.words().assemble("r1 = #70000").error().code, "ISA0007");
}

TEST_F(PacketErrors, Extenders) {
  Packet bad{{{{operation_of(VliwOperation::kA2Add), {1, 2, 3}}, true}}, false, false};
  EXPECT_EQ(codec_.encode(bad).error().code, "ISA0008");
  EXPECT_EQ(codec_.encode(bad).error().fix, "remove the extender");
  bad.instructions[0] = {{operation_of(VliwOperation::kA4Ext), {64}}, false};
  EXPECT_EQ(codec_.encode(bad).error().code, "ISA0009");
  EXPECT_EQ(codec_.encode(bad).error().fix, "set is_extended instead");
  // immext, then add of registers; immext alone.
  EXPECT_EQ(codec_.decode(std::vector<InstructionWord>{0x00004445, 0xf303c002}).error().code, "ISA0008");
  EXPECT_EQ(codec_.decode(std::vector<InstructionWord>{0x0000c445}).error().code, "ISA0010");
}

TEST_F(PacketErrors, Words) {
  refused("{ nop }:endloop0", "ISA0009", "1 words", "add a nop");
  refused("{ nop; nop }:endloop1", "ISA0009", "2 words", "add a nop");
  refused("{ r1 = ##70000; r2 = ##70000; r3 = r4 }", "ISA0009", "5 words", "make two packets of it");
  EXPECT_EQ(codec_.decode(std::vector<InstructionWord>{0x7f004000}).error().code, "ISA0010");
  EXPECT_EQ(codec_.decode(std::vector<InstructionWord>{0x7f000000}).error().code, "ISA0010") << "a duplex";
  EXPECT_EQ(codec_.decode(std::vector<InstructionWord>{}).error().fix, "mark the last word of the packet");
}

TEST_F(PacketErrors, SlotsAndPipes) {
  const std::string fix = "arrange the packet, or split it";
  refused("{ v1.w += vrmpy(v0.ub,r2.b); v2.w += vrmpy(v0.ub,r2.b); v3.w += vrmpy(v0.ub,r2.b) }", "ISA0011",
          "vrmpybus_acc, vrmpybus_acc, vrmpybus_acc", fix);
  refused("{ v1 = vmem(r0+#0); v2 = vmem(r1+#0) }", "ISA0011", "vl32b_ai, vl32b_ai", fix);
  refused("{ v1.w = vasr(v2.w,r1); v3.w = vasr(v4.w,r1) }", "ISA0011", "vasrw, vasrw", fix);
  refused("{ vmemu(r1+#2) = v3; r2 = memw(r0+#0) }", "ISA0011", "vs32ub_ai, l2_loadri_io", fix);
  const Packet falling = packet("{ v1.w += vrmpy(v0.ub,r2.b); r5:4 = memd(r1++#8); v2 = vmem(r0++#1) }");
  EXPECT_TRUE(checker_.check(falling));
  const Packet rising = packet("{ v2 = vmem(r0++#1); v1.w += vrmpy(v0.ub,r2.b) }");
  EXPECT_EQ(checker_.check(rising).error().code, "ISA0011") << "a load of slots 0 and 1 stands above a multiplication";
  EXPECT_TRUE(checker_.arranged(rising));
}

TEST_F(PacketErrors, Registers) {
  refused("{ r1 = add(r2,r3); r1 = r4 }", "ISA0012", "vliw_core.a2_add and vliw_core.a2_tfr", "split the packet");
  refused("{ pc = r1 }", "ISA0012", "vliw_core.a2_tfrrcr", "use a branch");
  refused("{ if (p0.new) jump:t 0x10 }", "ISA0012", "vliw_core.j2_jumptnewpt",
          "branch on the old value, or compare in the same packet");
  refused("{ v15.tmp = vmem(r1++#0); v15.w += vrmpy(v0.ub,r2.b) }", "ISA0012", "vliw_core.vrmpybus_acc",
          "load it into another register");
  refused("{ loop0(0x10,#3); nop }:endloop0", "ISA0012", "the end of the inner loop and vliw_core.j2_loop0i",
          "split the packet");
}

TEST_F(PacketErrors, Branches) {
  refused("{ jump 0x10; jump 0x20 }", "ISA0013", "vliw_core.j2_jump", "put the conditional branch first");
  refused("{ jumpr r1; if (p0) jump:nt 0x20 }", "ISA0013", "vliw_core.j2_jumpr", "split the packet");
  refused("{ jump 0x10; nop }:endloop0", "ISA0013", "vliw_core.j2_jump", "move it to the packet before");
  refused("{ trap0(#1); nop }", "ISA0013", "vliw_core.j2_trap0", "give it a packet of its own");
  refused("{ l2fetch(r1,r3:2); r5 = memw(r2+#0) }", "ISA0013", "vliw_core.l2_loadri_io", "move it to another packet");
}

/// On a machine whose traps take an extender, the two words would suffice for the end of a loop.
TEST(PacketErrorsOfOtherMachines, WhatStandsAloneEndsNoLoop) {
  const Operation trap = operation_of(VliwOperation::kJ2Trap0);
  Machine machine = *load_machine("hvx");
  for (Mnemonic& mnemonic : machine.mnemonics) {
    if (mnemonic.does == trap) mnemonic.fields.front().is_extendable = true;
  }
  const PacketChecker checker(machine);
  EXPECT_TRUE(checker.check({{{{trap, {70}}, true}}, false, false}));
  const Status ends = checker.check({{{{trap, {70}}, true}}, true, false});
  ASSERT_FALSE(ends);
  EXPECT_EQ(ends.error().code, "ISA0013");
  EXPECT_EQ(ends.error().offending, "vliw_core.j2_trap0");
}

}  // namespace
}  // namespace covenant::acg
