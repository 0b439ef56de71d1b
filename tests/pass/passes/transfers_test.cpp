/// Transfers of small codelets by hand: how far a tile reaches, which loads are done once.
#include <gtest/gtest.h>

#include "acg/lang/load.h"
#include "compiler/codelet/parse.h"
#include "compiler/codelet/print.h"
#include "compiler/passes/hoist.h"
#include "compiler/passes/insert_transfers.h"

namespace covenant::compiler {
namespace {

codelet::Codelet parsed(const std::string& text) {
  const Result<codelet::Codelet> made = codelet::parse(text, "test.cdlt");
  if (!made) throw std::runtime_error(render(made.error()));
  return *made;
}

size_t times(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

/// With 16 lanes: iterations at 0, 16 and 32, wherever between 33 and 48 the loop ends.
TEST(InsertTransfers, ATileEndsWithTheLastVectorOfItsLoop) {
  const acg::Machine machine = *acg::load_machine("genesys", {});
  for (const int upper : {33, 40, 48}) {
    const std::string text =
        print(insert_transfers(parsed("cdlt c { x=inp([64],i32,\"DRAM\"); y=out([64],i32,\"DRAM\");"
                                      "  loop i(0," +
                                      std::to_string(upper) + ",16) { y[i]=compute(\"SIMD\",\"MOVE\",x[i]); } }"),
                               machine));
    EXPECT_EQ(times(text, ",[48])"), 3U) << upper << "\n" << text;  // loaded, allocated, stored
  }
}

/// Two parts; the second takes `size` elements of `x`.
std::string two_parts(const std::string& first, const std::string& size) {
  return "cdlt c { x=inp([64],i32,\"DRAM\"); y=out([64],i32,\"DRAM\"); z=out([64],i32,\"DRAM\");"
         "  x1=transfer(x[0],\"VMEM1\",[16]); y1=transfer(i32(0),\"VMEM2\",[16]);"
         "  loop n(0,16,16) { y1[n]=compute(\"SIMD\",\"MOVE\",x1[n]); }"
         "  transfer(y1,y[0],[16]);"
         "  x2=transfer(x[" +
         first + "],\"VMEM1\",[" + size + "]); z1=transfer(i32(0),\"VMEM2\",[" + size +
         "]);"
         "  loop m(0," +
         size +
         ",16) { z1[m]=compute(\"SIMD\",\"MOVE\",x2[m]); }"
         "  transfer(z1,z[0],[" +
         size + "]); }";
}

TEST(Hoist, WhatAnEarlierPartHasLoadedIsNotLoadedAgain) {
  EXPECT_EQ(times(print(hoist(parsed(two_parts("0", "16")))), "=transfer(x["), 1U);
}

TEST(Hoist, AnotherTileIsLoadedThoughItBeginsAlike) {
  const std::string text = print(hoist(parsed(two_parts("0", "32"))));
  EXPECT_EQ(times(text, "=transfer(x["), 2U) << text;
  EXPECT_EQ(times(text, "compute(\"SIMD\",\"MOVE\",x2[m])"), 1U) << text;
  EXPECT_EQ(times(print(hoist(parsed(two_parts("16", "16")))), "=transfer(x["), 2U);
}

}  // namespace
}  // namespace covenant::compiler
