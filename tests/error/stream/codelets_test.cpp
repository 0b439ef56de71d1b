/// Scheduled codelets that no words can express: each is refused with its code, naming the layer.
#include <gtest/gtest.h>

#include "acg/lang/load.h"
#include "compiler/codelet/parse.h"
#include "compiler/emission/memory_plan.h"
#include "compiler/families/stream/block.h"
#include "compiler/families/stream/encode.h"

namespace covenant::compiler::stream {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

acg::Machine machine_of(const Settings& set = {}) {
  Result<acg::Machine> machine = acg::load_machine("genesys", set);
  EXPECT_TRUE(machine) << render(machine.error());
  return *machine;
}

Diagnostic refused(const std::string& body, const acg::Machine& machine = machine_of()) {
  const Result<codelet::Codelet> codelet = codelet::parse("cdlt test {" + body + "}", "test.cdlt");
  EXPECT_TRUE(codelet) << render(codelet.error());
  const Result<BlockCode> code = generate(*codelet, machine, {{"x", 0}, {"w", 0}, {"b", 0}, {"y", 0x10000}}, "layer 7");
  if (code) {
    ADD_FAILURE() << "was accepted";
    return {};
  }
  EXPECT_EQ(code.error().subject, "layer 7");
  EXPECT_FALSE(code.error().message.empty());
  EXPECT_FALSE(code.error().fix.empty());
  return code.error();
}

TEST(CodegenErrors, TransferAlongNoEdge) {
  EXPECT_EQ(refused(R"(x=inp([16],i32,"DRAM"); x1=transfer(x[0],"OBUF",[16],slot=0,offset=0);)").code, "GEN0001");
}

TEST(CodegenErrors, LocalWithTwoProducers) {
  EXPECT_EQ(refused(R"(x=inp([16],u8,"DRAM"); y=out([16],u8,"DRAM");
    x1=transfer(x[0],"VMEM1",[16],slot=0,offset=0);
    x1[0]=compute("SIMD","MAX",x1[0],i32(3));
    transfer(x1,y[0],[16]);)")
                .code,
            "GEN0002");
}

TEST(CodegenErrors, LocalFilledAndEmptiedBelowItsScope) {
  EXPECT_EQ(refused(R"(x=inp([4,16],u8,"DRAM"); y=out([4,16],u8,"DRAM");
    y1=transfer(u8(0),"VMEM2",[1,16],slot=0,offset=0);
    loop p(4) {
      x1=transfer(x[p,0],"VMEM1",[1,16],slot=0,offset=0);
      y1[0,0]=compute("SIMD","MAX",x1[0,0],i32(3));
      transfer(y1,y[p,0],[1,16]);
    })")
                .code,
            "GEN0002");
}

TEST(CodegenErrors, TwoLocalsInOneChannel) {
  EXPECT_EQ(refused(R"(x=inp([16],u8,"DRAM"); y=out([16],u8,"DRAM");
    x1=transfer(x[0],"VMEM1",[16],slot=0,offset=0);
    x2=transfer(x[0],"VMEM1",[16],slot=0,offset=1);
    y1=transfer(u8(0),"VMEM2",[16],slot=0,offset=0);
    y1[0]=compute("SIMD","REQUANT_ADD",x1[0],x2[0],f32(1),f32(1),f32(0),lowest=0,highest=255);
    transfer(y1,y[0],[16]);)")
                .code,
            "GEN0003");
}

TEST(CodegenErrors, TooManyLoops) {
  std::string open;
  std::string close;
  std::string indices;
  for (int i = 0; i < 8; ++i) {
    open += "loop v" + std::to_string(i) + "(2) {";
    close += '}';
    indices += (i == 0 ? "v" : "+v") + std::to_string(i);
  }
  EXPECT_EQ(refused(R"(x=inp([16,16],u8,"DRAM"); y=out([16,16],u8,"DRAM");)" + open + "x1=transfer(x[" + indices +
                    R"(,0],"VMEM1",[1,16],slot=0,offset=0);
                    y1=transfer(u8(0),"VMEM2",[1,16],slot=0,offset=0);
                    y1[0,0]=compute("SIMD","MAX",x1[0,0],i32(3)); transfer(y1,y[)" +
                    indices + ",0],[1,16]);" + close)
                .code,
            "GEN0004");
}

TEST(CodegenErrors, MisalignedElements) {
  EXPECT_EQ(refused(R"(x=inp([4,32],u8,"DRAM"); y=out([4,32],u8,"DRAM");
    x1=transfer(x[0,0],"VMEM1",[4,32],slot=0,offset=0);
    y1=transfer(u8(0),"VMEM2",[4,32],slot=0,offset=0);
    loop c(2) { y1[0,c*16]=compute("SIMD","MAX",x1[0,c*8],i32(3)); }
    transfer(y1,y[0,0],[4,32]);)")
                .code,
            "GEN0005");
}

TEST(CodegenErrors, OneLoopIsAReductionForOneOfTwoPasses) {
  EXPECT_EQ(refused(R"(x=inp([2,16],u8,"DRAM"); w=inp([2,16,16],i8,"DRAM"); b=inp([16],i32,"DRAM");
    b1=transfer(b[0],"BBUF",[16],slot=0,offset=0);
    x1=transfer(x[0,0],"IBUF",[2,16],slot=0,offset=0);
    sum=transfer(i32(0),"OBUF",[1,16],slot=0,offset=0);
    each=transfer(i32(0),"OBUF",[2,16],slot=1,offset=1);
    loop k(2) {
      w1=transfer(w[k,0,0],"WBUF",[1,16,16],slot=0,offset=0);
      sum[0,0]=compute("SA","GEMM",x1[0,0],w1[0,0,0],b1[0]);
      each[k,0]=compute("SA","GEMM",x1[0,0],w1[0,0,0],b1[0]);
    })")
                .code,
            "GEN0006");
}

TEST(CodegenErrors, TileThatLeavesInThreeDimensions) {
  EXPECT_EQ(refused(R"(x=inp([2,4,4,16],u8,"DRAM"); y=out([2,4,4,16],u8,"DRAM");
    x1=transfer(x[-1,-1,-1,0],"VMEM1",[3,5,5,16],slot=0,offset=0);
    y1=transfer(u8(0),"VMEM2",[2,4,4,16],slot=0,offset=0);
    y1[0,0,0,0]=compute("SIMD","MAX",x1[0,0,0,0],i32(3));
    transfer(y1,y[0,0,0,0],[2,4,4,16]);)")
                .code,
            "GEN0007");
}

TEST(CodegenErrors, TileThatBeginsBeforeTheFirstChannel) {
  EXPECT_EQ(refused(R"(x=inp([2,16],u8,"DRAM"); x1=transfer(x[0,-1],"VMEM1",[2,16],slot=0,offset=0);)").code,
            "GEN0007");
}

TEST(CodegenErrors, FillOfSeveralBytes) {
  EXPECT_EQ(refused(R"(x=inp([2,16],i32,"DRAM",fill=3); x1=transfer(x[-1,0],"VMEM1",[3,16],slot=0,offset=0);)").code,
            "GEN0008");
}

TEST(CodegenErrors, PaddedDimensionTooLong) {
  EXPECT_EQ(refused(R"(x=inp([70000,16],u8,"DRAM"); x1=transfer(x[-1,0],"VMEM1",[3,16],slot=0,offset=0);)").code,
            "GEN0009");
}

TEST(CodegenErrors, AddressOfANestDependsOnATileLoop) {
  EXPECT_EQ(refused(R"(x=inp([4,16],u8,"DRAM"); y=out([4,16],u8,"DRAM");
    x1=transfer(x[0,0],"VMEM1",[4,16],slot=0,offset=0);
    loop p(4) {
      y1=transfer(u8(0),"VMEM2",[1,16],slot=0,offset=0);
      y1[0,0]=compute("SIMD","MAX",x1[p,0],i32(3));
      transfer(y1,y[p,0],[1,16]);
    })")
                .code,
            "GEN0010");
}

TEST(CodegenErrors, MoreImmediatesThanSlots) {
  std::string body = R"(x=inp([16],u8,"DRAM"); y=out([16],u8,"DRAM");
    x1=transfer(x[0],"VMEM1",[16],slot=0,offset=0); y1=transfer(u8(0),"VMEM2",[16],slot=0,offset=0);)";
  for (int i = 0; i < 40; ++i) body += "y1[0]=compute(\"SIMD\",\"MAX\",x1[0],i32(" + std::to_string(i + 5) + "));";
  EXPECT_EQ(refused(body + "transfer(y1,y[0],[16]);").code, "GEN0011");
}

TEST(CodegenErrors, GroupLargerThanTheInstructionMemory) {
  const acg::Machine machine = machine_of({{"instruction_depth", "4"}});
  const Result<codelet::Codelet> codelet = codelet::parse(
      R"(cdlt test { x=inp([4,16],u8,"DRAM"); y=out([4,16],u8,"DRAM");
      x1=transfer(x[0,0],"VMEM1",[4,16],slot=0,offset=0); y1=transfer(u8(0),"VMEM2",[4,16],slot=0,offset=0);
      loop p(4) { y1[p,0]=compute("SIMD","MAX",x1[p,0],i32(3)); } transfer(y1,y[0,0],[4,16]); })",
      "test.cdlt");
  const Result<BlockCode> code = generate(*codelet, machine, {{"x", 0}, {"y", 64}}, "layer 7");
  ASSERT_TRUE(code);
  const Result<std::vector<acg::InstructionWord>> words =
      encode_block(*code, machine, acg::Codec(machine), true, "layer 7");
  ASSERT_FALSE(words);
  EXPECT_EQ(words.error().code, "GEN0012");
  EXPECT_EQ(words.error().subject, "layer 7");
}

TEST(CodegenErrors, OffchipMemoryIsFull) {
  MemoryPlan map(machine_of());
  EXPECT_TRUE(map.add("small", acg::SegmentKind::kIntermediate, 1000));
  const Result<uint64_t> address = map.add("large", acg::SegmentKind::kIntermediate, uint64_t{1} << 32);
  ASSERT_FALSE(address);
  EXPECT_EQ(address.error().code, "GEN0013");
}

}  // namespace
}  // namespace covenant::compiler::stream
