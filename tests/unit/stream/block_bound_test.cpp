/// Bounds of layers of a program, by hand.
#include "compiler/families/stream/block_bound.h"

#include <gtest/gtest.h>

#include "acg/lang/load.h"

namespace covenant::compiler::stream {
namespace {

acg::Program program(const std::string& machine, const std::string& codelet, uint64_t macs, uint64_t elementwise) {
  Result<acg::Machine> loaded = acg::load_machine(machine, {});
  EXPECT_TRUE(loaded);
  acg::Program made;
  made.machine = *loaded;
  acg::Block block;
  block.layer = "layer";
  block.macs = macs;
  block.elementwise = elementwise;
  block.codelet = codelet;
  made.blocks.push_back(block);
  return made;
}

constexpr const char* kConv = R"(cdlt layer {
  x=inp([1,16,16,16],i8,"DRAM",fill=0);
  w=inp([1,1,1,1,16,16],i8,"DRAM");
  y=out([1,8,8,16],i8,"DRAM");
  w1=transfer(w[0,0,0,0,0,0],"WBUF",[1,1,1,1,16,16]);
  loop oh(8, stride=2) {
    acc1=transfer(i32(0),"OBUF",[1,2,8,16]);
    y1=transfer(i8(0),"VMEM2",[1,2,8,16]);
    x1=transfer(x[0,oh*2,0,0],"IBUF",[1,ROWS,16,16]);
    transfer(y1,y[0,oh,0,0],[1,2,8,16]);
  }
}
)";

std::string conv(const std::string& rows) {
  std::string text = kConv;
  return text.replace(text.find("ROWS"), 4, rows);
}

TEST(BlockBound, TheBusiestEdgeAndWhatNothingOverlaps) {
  // 16 bytes a beat: all of x in 256, the weights in 16, the result in 64; 8 * 8 * 16 * 16 products in 64.
  const auto bound = block_bound(program("genesys", conv("4"), 8 * 8 * 16 * 16, 8 * 8 * 16), 0);
  ASSERT_TRUE(bound);
  EXPECT_EQ(bound->busiest, 256U);
  EXPECT_EQ(bound->limited_by, "DRAM->IBUF");
  EXPECT_EQ(bound->fixed, 2 * (40U + 2) + 16 + 16 + 2);
  EXPECT_EQ(bound->cycles, bound->busiest + bound->fixed);
}

TEST(BlockBound, RowsReadTwiceCountOnceAndRowsLeftOutDoNotCount) {
  EXPECT_EQ(block_bound(program("genesys", conv("6"), 0, 1), 0)->busiest, 256U);
  EXPECT_EQ(block_bound(program("genesys", conv("3"), 0, 1), 0)->busiest, 4 * 3 * 16 * 16 / 16U);
}

TEST(BlockBound, ComputeAndLanes) {
  EXPECT_EQ(block_bound(program("genesys", conv("4"), 1'000'001, 0), 0)->limited_by, "compute");
  EXPECT_EQ(block_bound(program("genesys", conv("4"), 1'000'001, 0), 0)->busiest, 3907U);
  EXPECT_EQ(block_bound(program("genesys", conv("4"), 0, 100'001), 0)->busiest, 6251U);
  EXPECT_EQ(block_bound(program("genesys", conv("4"), 0, 100'001), 0)->limited_by, "lanes");
  EXPECT_EQ(block_bound(program("genesys", conv("4"), 0, 100'001), 0)->fixed, 84U);
}

TEST(BlockBound, EdgesOfABusTakeTurns) {
  acg::Program shared = program("genesys", conv("4"), 0, 1);
  for (acg::Edge& edge : shared.machine.edges) {
    if (edge.bandwidth == 128) edge.bus = "memory";
  }
  EXPECT_EQ(block_bound(shared, 0)->busiest, 256U + 16 + 64);
  EXPECT_EQ(block_bound(shared, 0)->limited_by, "memory");
}

TEST(BlockBound, NothingWithoutTheUnit) {
  acg::Program without = program("genesys", conv("4"), 1, 0);
  without.machine.computes.clear();
  EXPECT_FALSE(block_bound(without, 0));
}

}  // namespace
}  // namespace covenant::compiler::stream
