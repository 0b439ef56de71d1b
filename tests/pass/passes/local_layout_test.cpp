#include "compiler/codelet/local_layout.h"

#include <gtest/gtest.h>

#include "acg/graph/queries.h"
#include "tests/pass/passes/layers.h"

namespace covenant::compiler::testing {
namespace {

std::vector<uint64_t> in_bits(std::vector<uint64_t> bytes) {
  for (uint64_t& stride : bytes) stride *= 8;
  return bytes;
}

TEST(Layout, WeightsTakeOneUnitPerMatrix) {
  const acg::Machine machine = genesys({{"M", 20}, {"N", 12}});
  const LocalLayout layout =
      local_layout(machine, acg::find_memory(machine, "WBUF").value(), DType::kI8, {2, 3, 3, 3, 20, 12}, {{20, 12}});
  EXPECT_EQ(layout.unit_bytes, 240U);
  EXPECT_EQ(layout.units, 54U);
  EXPECT_EQ(layout.bit_strides, in_bits({27 * 240, 9 * 240, 3 * 240, 240, 12, 1}));
}

TEST(Layout, VectorsOfBytesAndOfWordsShareAMemory) {
  const acg::Machine machine = genesys({{"N", 12}});
  const acg::MemoryId vmem = acg::find_memory(machine, "VMEM1").value();
  const LocalLayout narrow = local_layout(machine, vmem, DType::kU8, {2, 4, 24}, {{12}});
  EXPECT_EQ(narrow.units, 16U);
  EXPECT_EQ(narrow.alignment_units, 1U);
  EXPECT_EQ(narrow.bit_strides, in_bits({96, 24, 1}));
  const LocalLayout wide = local_layout(machine, vmem, DType::kF32, {24}, {{12}});
  EXPECT_EQ(wide.units, 8U);
  EXPECT_EQ(wide.alignment_units, 4U);
}

TEST(Layout, RowsRoundUpToWholeUnits) {
  const acg::Machine machine = genesys({{"M", 16}});
  const LocalLayout layout =
      local_layout(machine, acg::find_memory(machine, "IBUF").value(), DType::kU8, {3, 20}, {{16}});
  EXPECT_EQ(layout.units, 6U);
  EXPECT_EQ(layout.bit_strides, in_bits({32, 1}));
}

TEST(Layout, ElementsOfFourAndSixteenBits) {
  const acg::Machine half = genesys({{"M", 16}, {"N", 12}, {"bits", 4}});
  const LocalLayout packed = local_layout(half, acg::find_memory(half, "IBUF").value(), DType::kU4, {3, 20}, {{16}});
  EXPECT_EQ(packed.unit_bytes, 8U);
  EXPECT_EQ(packed.units, 6U);
  EXPECT_EQ(packed.bit_strides, (std::vector<uint64_t>{128, 4}));
  const acg::Machine wide = genesys({{"M", 20}, {"N", 12}, {"bits", 16}});
  const LocalLayout weights =
      local_layout(wide, acg::find_memory(wide, "WBUF").value(), DType::kI16, {2, 20, 12}, {{20, 12}});
  EXPECT_EQ(weights.units, 2U);
  EXPECT_EQ(weights.bit_strides, (std::vector<uint64_t>{3840, 192, 16}));
  const LocalLayout sums = local_layout(half, acg::find_memory(half, "VMEM1").value(), DType::kI32, {24}, {{12}});
  EXPECT_EQ(sums.units, 16U) << "addresses of VMEM select 6 bytes";
  EXPECT_EQ(sums.alignment_units, 8U);
}

}  // namespace
}  // namespace covenant::compiler::testing
