#include "compiler/codelet/packing.h"

#include <gtest/gtest.h>

#include "compiler/codelet/parse.h"

namespace covenant::compiler::codelet {
namespace {

Surrogate surrogate(const std::string& text) {
  const Result<Codelet> made = parse("cdlt c { " + text + " }", "test.cdlt");
  if (!made) throw std::runtime_error(render(made.error()));
  return made->surrogates.at(0);
}

TEST(Packing, PadsWithTheFill) {
  const Surrogate x = surrogate("x=inp([2,4],i8,null,fill=-7,logical_shape=[2,3]);");
  const std::vector<uint8_t> logical{1, 2, 3, 4, 5, 6};
  const std::vector<uint8_t> padded{1, 2, 3, 249, 4, 5, 6, 249};
  EXPECT_EQ(to_packed(x, logical), padded);
}

TEST(Packing, CutsMatricesIntoChunksAndFillsThemWithZeros) {
  // [3, 3] in matrices of 2 x 2: last dimension's chunks first.
  const Surrogate w = surrogate("w=inp([2,2,2,2],i8,null,fill=5,packing=[p1*2+p2,p0*2+p3],logical_shape=[3,3]);");
  const std::vector<uint8_t> logical{1, 2, 3, 4, 5, 6, 7, 8, 9};
  EXPECT_EQ(to_packed(w, logical), (std::vector<uint8_t>{1, 2, 4, 5, 7, 8, 0, 0, 3, 0, 6, 0, 9, 0, 0, 0}));
}

TEST(Packing, LeavesOthersAlone) {
  const Surrogate b = surrogate("b=inp([2],i32,null);");
  const std::vector<uint8_t> data{1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_EQ(to_packed(b, data), data);
  EXPECT_THROW(static_cast<void>(to_packed(b, std::vector<uint8_t>(7))), InternalError);
}

}  // namespace
}  // namespace covenant::compiler::codelet
