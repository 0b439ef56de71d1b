/// The words of small scheduled codelets against listings written by hand.
#include "compiler/families/stream/block.h"

#include "listing.h"

namespace covenant::compiler::stream {
namespace {

TEST(Block, GemmWithReductionOverTiles) {
  const std::string text = R"(cdlt gemm {
    x=inp([4,32],u8,"DRAM"); w=inp([2,2,16,16],i8,"DRAM"); b=inp([32],i32,"DRAM"); s=inp([32],f32,"DRAM");
    y=out([4,32],u8,"DRAM");
    loop o(0,2,1) {
      b1=transfer(b[o*16],"BBUF",[16],slot=0,offset=0);
      s1=transfer(s[o*16],"VMEM1",[16],slot=0,offset=0);
      x1=transfer(x[0,0],"IBUF",[4,32],slot=0,offset=0);
      acc1=transfer(i32(0),"OBUF",[4,16],slot=0,offset=0);
      y1=transfer(u8(0),"VMEM2",[4,16],slot=1,offset=4);
      loop k(0,2,1) {
        w1=transfer(w[o,k,0,0],"WBUF",[1,1,16,16],slot=0,offset=0);
        loop n(4) { acc1[n,0]=compute("SA","GEMM",x1[n,0],w1[0,0,0,0],b1[0]); }
      }
      loop n(4) { y1[n,0]=compute("SIMD","REQUANT",acc1[n,0],s1[0],zero_point=3,lowest=3,highest=255); }
      transfer(y1,y[0,o*16],[4,16]);
    } })";
  EXPECT_EQ(
      listing(parsed(text), machine_of(), {{"x", 0x1000}, {"w", 0x2000}, {"b", 0x3000}, {"s", 0x4000}, {"y", 0x12340}}),
      R"(SA
  TRIP 0, 7, 3
  SET_LOOP_STRIDE LOW, INPUT, 7, 2
  SET_LOOP_STRIDE LOW, OUTPUT, 7, 1
  LOOP 0, 0, 1
  WAIT FULL, BBUF, 0
  WAIT FULL, IBUF, 0
  WAIT FREE, OBUF, 0
  LOOP 1, 1, 1
  WAIT FULL, WBUF, 0
  GEMM U8
  POST FREE, WBUF, 0
  END 1
  POST FREE, BBUF, 0
  POST FREE, IBUF, 0
  POST FULL, OBUF, 0
  END 0
SIMD
  SET_ITER 0, 3
  SET_INDEX VMEM2, 1, OBUF, 1, VMEM1, 0
  BASE VMEM2, 8, 4
  STRIDE OBUF, 1, 1
  STRIDE VMEM2, 1, 1
  TYPES U8, I32, F32
  QUANTIZATION 3, 3, 255
  LOOP 0, 0, 1
  WAIT FULL, VMEM1, 0
  WAIT FULL, OBUF, 0
  WAIT FREE, VMEM2, 1
  REQUANT VMEM2, 8, OBUF, 0, VMEM1, 0
  POST FREE, VMEM1, 0
  POST FREE, OBUF, 0
  POST FULL, VMEM2, 1
  END 0
DRAM->IBUF
  SET_BASE_ADDR LOW, OFFCHIP, 0, 4096
  LOOP 0, 0, 1
  WAIT FREE, IBUF, 0
  LOAD 127
  POST FULL, IBUF, 0
  END 0
DRAM->WBUF
  SET_BASE_ADDR LOW, OFFCHIP, 0, 8192
  SET_LOOP_STRIDE LOW, OFFCHIP, 0, 512
  SET_LOOP_STRIDE LOW, OFFCHIP, 1, 256
  LOOP 0, 0, 1
  LOOP 0, 1, 1
  WAIT FREE, WBUF, 0
  LOAD 255
  POST FULL, WBUF, 0
  END 1
  END 0
DRAM->BBUF
  SET_BASE_ADDR LOW, OFFCHIP, 0, 12288
  SET_LOOP_STRIDE LOW, OFFCHIP, 0, 64
  LOOP 0, 0, 1
  WAIT FREE, BBUF, 0
  LOAD 63
  POST FULL, BBUF, 0
  END 0
DRAM->VMEM1
  SET_BASE_ADDR LOW, OFFCHIP, 0, 16384
  SET_LOOP_STRIDE LOW, OFFCHIP, 0, 64
  LOOP 0, 0, 1
  WAIT FREE, VMEM1, 0
  LOAD 63
  POST FULL, VMEM1, 0
  END 0
VMEM2->DRAM
  TRIP 0, 16, 3
  SET_BASE_ADDR LOW, OFFCHIP, 0, 9024
  SET_BASE_ADDR HIGH, OFFCHIP, 0, 1
  SET_BASE_ADDR LOW, ONCHIP, 1, 4
  SET_LOOP_STRIDE LOW, OFFCHIP, 0, 16
  SET_LOOP_STRIDE LOW, OFFCHIP, 16, 32
  SET_LOOP_STRIDE LOW, ONCHIP, 16, 1
  LOOP 0, 0, 1
  WAIT FULL, VMEM2, 1
  STORE 15
  POST FREE, VMEM2, 1
  END 0
)");
}

TEST(Block, HalosAreLimitedWhereTilesLeaveTheTensor) {
  // Rows leave the tensor in the first and last tile, columns in all; channels never.
  const std::string text = R"(cdlt pool {
    x=inp([1,8,8,16],u8,"DRAM",fill=7); y=out([1,8,8,16],u8,"DRAM");
    loop oh(0,8,4) {
      x1=transfer(x[0,oh - 1,-1,0],"VMEM1",[1,6,10,16],slot=0,offset=0);
      y1=transfer(u8(0),"VMEM2",[1,4,8,16],slot=0,offset=0);
      loop h(4) { loop w(8) { loop kh(3) { loop kw(3) {
        y1[0,h,w,0]=compute("SIMD","REDUCE_MAX",x1[0,h + kh,w + kw,0]);
      } } } }
      transfer(y1,y[0,oh,0,0],[1,4,8,16]);
    } })";
  EXPECT_EQ(listing(parsed(text), machine_of(), {{"x", 0x1000}, {"y", 0x2000}}),
            R"(SIMD
  SET_ITER 0, 3
  SET_INDEX VMEM2, 1, VMEM1, 1, VMEM1, 1
  SET_ITER 1, 7
  SET_INDEX VMEM2, 2, VMEM1, 2, VMEM1, 2
  SET_ITER 2, 2
  SET_INDEX VMEM2, 0, VMEM1, 1, VMEM1, 1
  SET_ITER 3, 2
  SET_INDEX VMEM2, 0, VMEM1, 2, VMEM1, 2
  SET_REDUCE 2
  STRIDE VMEM1, 1, 10
  STRIDE VMEM1, 2, 1
  STRIDE VMEM2, 1, 8
  STRIDE VMEM2, 2, 1
  TYPES U8, U8, U8
  LOOP 0, 0, 1
  WAIT FULL, VMEM1, 0
  WAIT FREE, VMEM2, 0
  REDUCE_MAX VMEM2, 0, VMEM1, 0, VMEM1, 0
  POST FREE, VMEM1, 0
  POST FULL, VMEM2, 0
  END 0
DRAM->VMEM1
  TRIP 0, 15, 5
  TRIP 0, 16, 9
  SET_BASE_ADDR LOW, OFFCHIP, 0, 3952
  SET_BASE_ADDR LOW, ROW, 0, 65535
  SET_BASE_ADDR HIGH, ROW, 0, 65535
  SET_BASE_ADDR LOW, COLUMN, 0, 65535
  SET_BASE_ADDR HIGH, COLUMN, 0, 65535
  SET_LOOP_STRIDE LOW, OFFCHIP, 0, 512
  SET_LOOP_STRIDE LOW, OFFCHIP, 15, 128
  SET_LOOP_STRIDE LOW, OFFCHIP, 16, 16
  SET_LOOP_STRIDE LOW, ONCHIP, 15, 10
  SET_LOOP_STRIDE LOW, ONCHIP, 16, 1
  SET_LOOP_STRIDE LOW, ROW, 0, 4
  LIMIT ROW, 8
  LIMIT COLUMN, 8
  FILL 7
  LOOP 0, 0, 1
  WAIT FREE, VMEM1, 0
  LOAD 15
  POST FULL, VMEM1, 0
  END 0
VMEM2->DRAM
  SET_BASE_ADDR LOW, OFFCHIP, 0, 8192
  SET_LOOP_STRIDE LOW, OFFCHIP, 0, 512
  LOOP 0, 0, 1
  WAIT FULL, VMEM2, 0
  STORE 511
  POST FREE, VMEM2, 0
  END 0
)");
}

TEST(Block, OneEngineOnTwoTensorsSetsWhatDiffersInsideTheLoop) {
  const std::string text = R"(cdlt add {
    a=inp([2,4,16],u8,"DRAM"); b=inp([2,4,16],u8,"DRAM"); y=out([2,4,16],u8,"DRAM");
    loop p(0,2,1) {
      a1=transfer(a[p,0,0],"VMEM1",[1,4,16],slot=0,offset=0);
      b1=transfer(b[p,0,0],"VMEM1",[1,4,16],slot=1,offset=4);
      y1=transfer(u8(0),"VMEM2",[1,4,16],slot=0,offset=0);
      loop i(4) { y1[0,i,0]=compute("SIMD","REQUANT_ADD",a1[0,i,0],b1[0,i,0],f32(0x1p-1),f32(0x1p-2),f32(0),lowest=0,highest=255); }
      transfer(y1,y[p,0,0],[1,4,16]);
    } })";
  const std::string words = listing(parsed(text), machine_of(), {{"a", 0x1000}, {"b", 0x2000}, {"y", 0x3000}});
  EXPECT_NE(words.find(R"(DRAM->VMEM1
  SET_LOOP_STRIDE LOW, OFFCHIP, 0, 64
  LOOP 0, 0, 1
  SET_BASE_ADDR LOW, OFFCHIP, 0, 4096
  SET_BASE_ADDR LOW, ONCHIP, 0, 0
  WAIT FREE, VMEM1, 0
  LOAD 63
  POST FULL, VMEM1, 0
  SET_BASE_ADDR LOW, OFFCHIP, 0, 8192
  SET_BASE_ADDR LOW, ONCHIP, 1, 4
  WAIT FREE, VMEM1, 1
  LOAD 63
  POST FULL, VMEM1, 1
  END 0
)"),
            std::string::npos)
      << words;
  // f32(0.5) and f32(0.25) have zero low halves, which are set already; the offset is 0.
  EXPECT_NE(words.find("  IMM_HIGH 0, 16128\n  IMM_HIGH 1, 16000\n"), std::string::npos) << words;
  EXPECT_EQ(words.find("IMM_LOW"), std::string::npos) << words;
}

TEST(Block, ScalesOfAnOuterScopeAreHeldOverTheInnerLoop) {
  const std::string text = R"(cdlt scale {
    x=inp([8,16],i32,"DRAM"); s=inp([16],f32,"DRAM"); y=out([8,16],u8,"DRAM");
    s1=transfer(s[0],"VMEM1",[16],slot=0,offset=0);
    loop p(0,8,4) {
      x1=transfer(x[p,0],"VMEM1",[4,16],slot=1,offset=4);
      y1=transfer(u8(0),"VMEM2",[4,16],slot=0,offset=0);
      loop i(4) { y1[i,0]=compute("SIMD","REQUANT",x1[i,0],s1[0],zero_point=0,lowest=0,highest=255); }
      transfer(y1,y[p,0],[4,16]);
    } })";
  const std::string words = listing(parsed(text), machine_of(), {{"x", 0x1000}, {"s", 0x2000}, {"y", 0x3000}});
  EXPECT_NE(words.find(R"(  WAIT FULL, VMEM1, 0
  LOOP 0, 0, 1
  WAIT FULL, VMEM1, 1
  WAIT FREE, VMEM2, 0
  REQUANT VMEM2, 0, VMEM1, 8, VMEM1, 0
  POST FREE, VMEM1, 1
  POST FULL, VMEM2, 0
  END 0
  POST FREE, VMEM1, 0
)"),
            std::string::npos)
      << words;
}

}  // namespace
}  // namespace covenant::compiler::stream
