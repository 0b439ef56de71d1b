/// The longest loop of a sum of products goes inside.
#include "compiler/families/vliw/loop_order.h"

#include <gtest/gtest.h>

#include "acg/base/check.h"
#include "compiler/codelet/parse.h"
#include "compiler/codelet/print.h"

namespace covenant::compiler::vliw {
namespace {

std::string ordered(const std::string& text) {
  const Result<codelet::Codelet> parsed = codelet::parse(text, "one.cdlt");
  check(static_cast<bool>(parsed), parsed ? "" : render(parsed.error()));
  return codelet::print(with_longest_loops_inside(*parsed));
}

std::string as_printed(const std::string& text) { return codelet::print(*codelet::parse(text, "one.cdlt")); }

/// Sums in these loops, with two loops of outputs around them.
std::string convolution(const std::string& loops) {
  return R"(cdlt one {
  x=inp([8,8,64],i8,"DRAM");
  w=inp([16,64,3,2],i8,"DRAM");
  b=inp([16],i32,"DRAM");
  y=out([6,6,16],i32,"DRAM");
  loop o(16) {
    loop h(6) {
      y1=transfer(i32(0),"GRF",[1,1,1]);
      b1=transfer(b[o],"GRF",[1]);
      )" +
         loops +
         R"( {
        x1=transfer(x[h+kh,kw,c],"GRF",[1,1,1]);
        w1=transfer(w[o,c,kh,kw],"GRF",[1,1,1,1]);
        y1[0,0,0]=compute("CORE","GEMM",x1[0,0,0],w1[0,0,0,0],b1[0]);
      }}}
      transfer(y1,y[h,0,o],[1,1,1]);
    }
  }
}
)";
}

TEST(LoopOrder, TheLongestLoopGoesInside) {
  const std::string wanted = convolution("loop kw(2) { loop kh(3) { loop c(64)");
  EXPECT_EQ(ordered(convolution("loop c(64) { loop kh(3) { loop kw(2)")), as_printed(wanted));
  EXPECT_EQ(ordered(wanted), as_printed(wanted));
}

TEST(LoopOrder, LoopsOfOneLengthStay) {
  const std::string text = convolution("loop c(64, stride=32) { loop kh(2) { loop kw(2)");
  EXPECT_EQ(ordered(text), as_printed(text));
}

TEST(LoopOrder, WhatIsMoreThanASumStays) {
  const std::string copy = R"(cdlt one {
  a=inp([64,3],i32,"DRAM");
  c=out([64,3],i32,"DRAM");
  loop i(64) { loop j(3) {
    a1=transfer(a[i,j],"GRF",[1,1]);
    transfer(a1,c[i,j],[1,1]);
  } }
}
)";
  EXPECT_EQ(ordered(copy), as_printed(copy));
}

}  // namespace
}  // namespace covenant::compiler::vliw
