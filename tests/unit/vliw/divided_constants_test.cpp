// Constants lie tile by tile.
#include "compiler/families/vliw/divided_constants.h"

#include <gtest/gtest.h>

#include "compiler/codelet/packing.h"
#include "compiler/codelet/parse.h"
#include "compiler/codelet/print.h"
#include "compiler/codelet/rewrite.h"

namespace covenant::compiler::vliw {
namespace {

/// A matrix of 16 x 256 in pieces of 4 x 32; tiles of two by four pieces, or as in `tile`.
codelet::Codelet tiled(const std::string& loop, const std::string& tile) {
  const std::string text = R"(cdlt one {
  x=inp([64,16],i8,"DRAM");
  w=inp([4,8,32,4],u8,"DRAM",packing=[p0*4 + p3,p1*32 + p2],logical_shape=[16,256]);
  )" + loop + R"( {
    loop k(4, stride=2) {
      w1=transfer(w[k,o,0,0],"VRF",[)" +
                           tile + R"(,32,4]);
      loop k1(2) {
        loop o1(4) {
          acc[0]=compute("HVX","GEMM",w1[k1,o1,0,0],x[o,k1],acc[0]);
        }
      }
    }
  }
}
)";
  const Result<codelet::Codelet> parsed = codelet::parse(text, "one.cdlt");
  EXPECT_TRUE(parsed) << (parsed ? "" : render(parsed.error()));
  return *parsed;
}

std::string divided(const codelet::Codelet& codelet) {
  return codelet::print(with_divided_constants(codelet, {{"w", {}}}));
}

TEST(DividedConstants, OfTilesAndWithinThem) {
  const std::string made = divided(tiled("loop o(8, stride=4)", "2,4"));
  EXPECT_NE(made.find("w=inp([2,2,2,4,32,4],u8,\"DRAM\",packing=[p0*8 + p1*4 + p5,p2*128 + p3*32 + p4],"
                      "logical_shape=[16,256]);"),
            std::string::npos)
      << made;
  EXPECT_NE(made.find("w1=transfer(w[k,0,o,0,0,0],\"VRF\",[1,2,1,4,32,4]);"), std::string::npos) << made;
  EXPECT_NE(made.find("w1[0,k1,0,o1,0,0]"), std::string::npos) << made;
}

/// Other readers in the loop do not change.
TEST(DividedConstants, LoopsCountTheirTiles) {
  const std::string made = divided(tiled("loop o(8, stride=4)", "2,4"));
  EXPECT_NE(made.find("loop o(2) {"), std::string::npos) << made;
  EXPECT_NE(made.find("x[o*4,k1]"), std::string::npos) << made;
}

TEST(DividedConstants, NotWhatATileHasAllOf) {
  const std::string made = divided(tiled("loop o(1)", "2,8"));
  EXPECT_NE(made.find("w=inp([2,2,8,32,4],"), std::string::npos) << made;
}

/// Tiles that begin within others have no place of their own.
TEST(DividedConstants, NotTilesThatOverlap) {
  const std::string made = divided(tiled("loop o(5)", "2,4"));
  EXPECT_NE(made.find("w=inp([2,2,8,32,4],"), std::string::npos) << made;
}

/// Element by element, through the packing of either form.
TEST(DividedConstants, HoldTheSameElements) {
  const codelet::Codelet before = tiled("loop o(8, stride=4)", "2,4");
  const codelet::Codelet after = with_divided_constants(before, {{"w", {}}});
  std::vector<uint8_t> logical(16 * 256);
  for (size_t i = 0; i < logical.size(); ++i) logical[i] = static_cast<uint8_t>(i * 7 + i / 256);
  const std::vector<uint8_t> was = codelet::to_packed(*find_surrogate(before, "w"), logical);
  const std::vector<uint8_t> is = codelet::to_packed(*find_surrogate(after, "w"), logical);
  for (size_t k = 0; k < 4; ++k) {
    for (size_t o = 0; o < 8; ++o) {
      const size_t piece = ((k / 2 * 2 + k % 2) * 2 + o / 4) * 4 + o % 4;
      for (size_t i = 0; i < 128; ++i) ASSERT_EQ(is[piece * 128 + i], was[(k * 8 + o) * 128 + i]);
    }
  }
}

}  // namespace
}  // namespace covenant::compiler::vliw
