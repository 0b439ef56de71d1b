/// The memory that a tile takes.
#include "compiler/schedule/problem.h"

#include <gtest/gtest.h>

namespace covenant::compiler {
namespace {

/// A tile of `rows` rows of `row` bytes, each read at once.
TileBuffer tile(int64_t rows, int64_t row) {
  TileBuffer buffer;
  buffer.dtype = DType::kI8;
  buffer.vector_shape = {static_cast<uint64_t>(row)};
  buffer.extents = {{rows, {}}, {row, {}}};
  return buffer;
}

TEST(TileBuffer, TakesWholeUnitsForEachOfItsRows) {
  acg::Memory memory;
  memory.banks = 16;  // addresses of 16 bytes
  EXPECT_EQ(tile(4, 16).units(memory, {}), 4U);
  EXPECT_EQ(tile(4, 17).units(memory, {}), 8U);
  EXPECT_EQ(tile(1, 100'000).units(memory, {}), 6250U);
}

/// As many pixels as a large image has.
TEST(TileBuffer, MayHaveMoreRowsThan16BitsCount) {
  acg::Memory memory;
  memory.banks = 16;
  EXPECT_EQ(tile(70'000, 16).units(memory, {}), 70'000U);
}

}  // namespace
}  // namespace covenant::compiler
