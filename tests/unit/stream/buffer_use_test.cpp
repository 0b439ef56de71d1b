/// The part of a buffer that tiles fill: from its start to the end of the last one.
#include "compiler/families/stream/buffer_use.h"

#include <gtest/gtest.h>

#include "acg/lang/load.h"

namespace covenant::compiler::stream {
namespace {

TEST(BufferUse, UpToTheEndOfTheLastTile) {
  const Result<acg::Machine> machine = acg::load_machine("genesys", {});
  ASSERT_TRUE(machine);
  acg::Program program;
  program.machine = *machine;
  acg::Block block;
  block.layer = "layer";
  block.codelet = R"(cdlt layer {
  a=inp([64,16],i8,"DRAM");
  b=inp([64,16],i8,"DRAM");
  y=out([64,16],i8,"DRAM");
  loop p(64, stride=8) {
    y1=transfer(i8(0),"VMEM2",[8,16],slot=0,offset=0);
    a1=transfer(a[p,0],"VMEM1",[8,16],slot=0,offset=0);
    b1=transfer(b[p,0],"VMEM1",[8,16],slot=1,offset=8);
    loop q(8) {
      y1[q,0]=compute("SIMD","REQUANT_ADD",a1[q,0],b1[q,0],f32(0x1p0),f32(0x1p0),f32(0x0p0),highest=127,lowest=-128);
    }
    transfer(y1,y[p,0],[8,16]);
  }
}
)";
  program.blocks.push_back(block);
  const std::map<std::string, uint64_t> use = buffer_use(program, 0);
  // A unit of VMEM1 is 16 bytes: eight rows of a tile from the start, eight of the other from unit 8 on.
  EXPECT_EQ(use, (std::map<std::string, uint64_t>{{"VMEM1", 256}, {"VMEM2", 128}}));
}

}  // namespace
}  // namespace covenant::compiler::stream
