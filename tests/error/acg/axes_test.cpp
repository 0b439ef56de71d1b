// Capabilities whose operands have no axis in common: ACG0067, when the machine is read.
#include <fmt/format.h>

#include "acg/lang/json.h"
#include "acg/lang/print.h"
#include "tests/error/acg/refused.h"

namespace covenant::acg {
namespace {

using testing::expect_refused;

/// A machine of one unit with this capability, which stands in line 3.
std::string with_capability(std::string_view capability) {
  return fmt::format(
      "acg one {{\n  memory BUF {{ data_width = 32; depth = 1024; }}\n  compute PE {{ unit = described; {}; }}\n"
      "  edge BUF <-> PE;\n}}\n",
      capability);
}

bool is_read(std::string_view capability) {
  const Result<Machine> machine = parse_machine(with_capability(capability), "one.acg");
  return static_cast<bool>(machine);
}

TEST(CapabilityAxes, ProductsWithoutAnAxisToSumAlongAreRefused) {
  const std::string fix = "give both inputs the axis that is summed along, and the output all others";
  expect_refused(with_capability("(i32,7) = GEMM((i8,3),(i8,5,7),(i32,7))"),
                 {"ACG0067", 3, 44, "(7) = GEMM((3),(5,7),(7))", fix});
  expect_refused(with_capability("(i32,6) = MMUL((i8,4),(i8,5))"), {"ACG0067", 3, 44, "(6) = MMUL((4),(5))", fix});
  expect_refused(with_capability("(i32,8) = MAC((i8,12),(i8,12),(i32,8))"),
                 {"ACG0067", 3, 44, "(8) = MAC((12),(12),(8))", fix});
  expect_refused(with_capability("(i32,8) = MVMUL((i8,64))"), {"ACG0067", 3, 44, "(8) = MVMUL((64))", fix});
  expect_refused(with_capability("(i32,8) = GEMM((i8,16),(i8,16,8),(i32,4))"),
                 {"ACG0067", 3, 44, "(8) = GEMM((16),(16,8),(4))", "give it 8 elements, or one that is broadcast"});
}

TEST(CapabilityAxes, LanesThatAreNotThoseOfTheOthersAreRefused) {
  expect_refused(with_capability("(i32,8) = ADD((i32,8),(i32,5))"),
                 {"ACG0067", 3, 44, "(8) = ADD((8),(5))", "give it 8 elements, or one that is broadcast"});
  expect_refused(with_capability("(i32,1) = MAX((i32,3),(i32,5))"),
                 {"ACG0067", 3, 44, "(1) = MAX((3),(5))", "give it 3 elements, or one that is broadcast"});
  expect_refused(with_capability("(i8,8) = LOOKUP((i8,4),(i8,256))"),
                 {"ACG0067", 3, 43, "(8) = LOOKUP((4),(256))", "give it 8 elements, or one that is broadcast"});
}

TEST(CapabilityAxes, FormsThatFitAreRead) {
  for (const char* capability :
       {"(i32,7) = GEMM((i8,5),(i8,5,7),(i32,7))", "(i32,2,8) = MMUL((i8,2,4),(i8,4,8))",
        "(i32,32) = MVMUL((u8,32,4),(u8,4))", "(i32,32) = GEMM((u8,32,4),(u8,32,4),(i32,32))",
        "(i32,1) = MAC((u8,4),(u8,4),(i32,1))", "(i32,8) = MAC((i32,8),(i32,1),(i32,8))",
        "(i32,8) = ADD((i32,2,4),(i32,1))", "(i32,1) = ADD((i32,16))", "(i8,8) = LOOKUP((i8,8),(i8,256))",
        "(i32,1) = REDUCE_SUM((i32,16))", "(i32,3) = CONV2D((i8,5,7),(i8,11))"}) {
    EXPECT_TRUE(is_read(capability)) << capability;
  }
}

TEST(CapabilityAxes, TheJsonFormIsCheckedToo) {
  const Machine machine = *parse_machine(with_capability("(i32,7) = GEMM((i8,5),(i8,5,7),(i32,7))"), "one.acg");
  Machine changed = machine;
  changed.computes[0].capabilities[0].inputs[0].shape = {3};
  EXPECT_TRUE(from_json(to_json(machine)));
  const Result<Machine> refused = from_json(to_json(changed));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "ACG0067");
  EXPECT_EQ(refused.error().allowed, (std::vector<std::string>{"(rows,columns) = GEMM((rows,inner),(inner,columns))",
                                                               "(lanes) = GEMM((lanes,inner),(lanes,inner))"}));
}

}  // namespace
}  // namespace covenant::acg
