#include "compiler/codegen/block.h"

#include "listing.h"

namespace covenant::compiler::codegen {
namespace {

TEST(Block, Gemm) {
  const std::string text = R"(cdlt gemm {
    x=inp([4,32],u8,"DRAM"); w=inp([2,2,16,16],i8,"DRAM"); b=inp([32],i32,"DRAM"); s=inp([32],f32,"DRAM");
    y=out([4,32],u8,"DRAM");
    loop o(0,32,16) {
      b1=transfer(b[o],"BBUF",[16],slot=0,offset=0);
      s1=transfer(s[o],"VMEM1",[16],slot=0,offset=0);
      x1=transfer(x[0,0],"IBUF",[4,32],slot=0,offset=0);
      acc1=transfer(i32(0),"OBUF",[4,16],slot=0,offset=0);
      y1=transfer(u8(0),"VMEM2",[4,16],slot=1,offset=4);
      loop k(0,2,1) {
        w1=transfer(w[0,k,0,0],"WBUF",[1,1,16,16],slot=0,offset=0);
        loop n(4) { acc1[n,0]=compute("SA","GEMM",x1[n,0],w1[0,0,0,0],b1[0]); }
      }
      loop n(4) { y1[n,0]=compute("SIMD","REQUANT",acc1[n,0],s1[0],zero_point=3,lowest=3,highest=255); }
      transfer(y1,y[0,o],[4,16]);
    } })";
  EXPECT_EQ(listing(parsed(text), machine_of(),
                    {{"x", 0x1000}, {"w", 0x2000}, {"b", 0x3000}, {"s", 0x4000}, {"y", 0x12340}}),
            "");
}

}  // namespace
}  // namespace covenant::compiler::codegen
