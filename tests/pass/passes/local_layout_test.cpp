#include "compiler/codelet/local_layout.h"

#include <gtest/gtest.h>

#include "acg/graph/queries.h"
#include "tests/pass/passes/layers.h"

namespace covenant::compiler::testing {
namespace {

using codelet::Expression;

TEST(Layout, WeightsTakeOneUnitPerMatrix) {
  const acg::Machine machine = genesys({{"M", 20}, {"N", 12}});
  const LocalLayout layout =
      local_layout(machine, acg::find_memory(machine, "WBUF").value(), DType::kI8, {2, 3, 3, 3, 20, 12}, {20, 12});
  EXPECT_EQ(layout.unit_bytes, 240U);
  EXPECT_EQ(layout.units, 54U);
  const auto v = [](const char* name) { return Expression::variable(name); };
  EXPECT_EQ(layout.unit_offset({v("oc"), v("ic"), v("kh"), v("kw"), 0, 0}),
            v("oc") * 27 + v("ic") * 9 + v("kh") * 3 + v("kw"));
}

TEST(Layout, VectorsOfBytesAndOfWordsShareAMemory) {
  const acg::Machine machine = genesys({{"N", 12}});
  const acg::MemoryId vmem = acg::find_memory(machine, "VMEM1").value();
  const LocalLayout narrow = local_layout(machine, vmem, DType::kU8, {2, 4, 24}, {12});
  EXPECT_EQ(narrow.units, 16U);
  EXPECT_EQ(narrow.alignment_units, 1U);
  EXPECT_EQ(narrow.unit_offset({0, Expression::variable("w"), Expression::variable("c") * 12 + 12}),
            Expression::variable("w") * 2 + Expression::variable("c") + 1);
  const LocalLayout wide = local_layout(machine, vmem, DType::kF32, {24}, {12});
  EXPECT_EQ(wide.units, 8U);
  EXPECT_EQ(wide.alignment_units, 4U);
}

TEST(Layout, RowsRoundUpToWholeUnits) {
  const acg::Machine machine = genesys({{"M", 16}});
  const LocalLayout layout =
      local_layout(machine, acg::find_memory(machine, "IBUF").value(), DType::kU8, {3, 20}, {16});
  EXPECT_EQ(layout.units, 6U);
  EXPECT_EQ(layout.byte_strides, (std::vector<uint64_t>{32, 1}));
}

TEST(Layout, AnElementInsideOfAUnitHasNoAddress) {
  const acg::Machine machine = genesys({{"M", 16}});
  const LocalLayout layout = local_layout(machine, acg::find_memory(machine, "IBUF").value(), DType::kU8, {32}, {16});
  EXPECT_THROW(static_cast<void>(layout.unit_offset({Expression::variable("i") * 8})), InternalError);
}

}  // namespace
}  // namespace covenant::compiler::testing
