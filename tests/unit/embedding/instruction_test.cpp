#include "compiler/embedding/instruction.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "acg/lang/load.h"
#include "tests/support/embedding/workloads.h"

namespace covenant::compiler::embedding {
namespace {

acg::Capability capability(const char* name, std::vector<uint64_t> output, std::vector<std::vector<uint64_t>> inputs) {
  acg::Capability made{name, {DType::kI32, std::move(output)}, {}};
  for (std::vector<uint64_t>& shape : inputs) made.inputs.push_back({DType::kI8, std::move(shape)});
  return made;
}

std::string axes_of(const acg::Capability& given) {
  const std::optional<Instruction> instruction = instruction_of(given);
  return instruction ? print(*instruction) : "none";
}

TEST(Instruction, HasTheAxesOfItsShapes) {
  EXPECT_EQ(axes_of(capability("GEMM", {32}, {{16}, {16, 32}, {32}})), "GEMM rows 1 columns 32 inner 16");
  EXPECT_EQ(axes_of(capability("GEMM", {1, 16}, {{1, 16}, {16, 16}, {1, 16}})), "GEMM rows 1 columns 16 inner 16");
  EXPECT_EQ(axes_of(capability("GEMM", {32}, {{32, 4}, {4}, {32}})), "GEMM rows 32 columns 1 inner 4");
  EXPECT_EQ(axes_of(capability("GEMM", {32}, {{32, 4}, {32, 4}, {32}})), "GEMM lanes 32 inner 4");
  EXPECT_EQ(axes_of(capability("MMUL", {4, 8}, {{4, 2}, {2, 8}})), "MMUL rows 4 columns 8 inner 2");
  EXPECT_EQ(axes_of(capability("MAC", {128}, {{128}, {128}, {128}})), "MAC lanes 128 inner 1");
  EXPECT_EQ(axes_of(capability("MAC", {1}, {{4}, {4}, {1}})), "MAC lanes 1 inner 4");
  EXPECT_EQ(axes_of(capability("ADD", {16}, {{16}, {16}})), "ADD lanes 16");
  EXPECT_EQ(axes_of(capability("LOOKUP", {16}, {{16}, {256}})), "LOOKUP lanes 16");
  EXPECT_EQ(axes_of(capability("ADD", {16}, {{16}, {8}})), "none");
  EXPECT_EQ(axes_of(capability("GEMM", {6}, {{4}, {5}, {6}})), "none");
}

TEST(Instruction, IndexesEachOperandByItsAxes) {
  const Instruction product = test::gemm(4, 8, 2);
  EXPECT_EQ(product.inputs[0].axes, (std::vector<size_t>{0, 2}));
  EXPECT_EQ(product.inputs[1].axes, (std::vector<size_t>{2, 1}));
  EXPECT_EQ(product.output.axes, (std::vector<size_t>{0, 1}));
  EXPECT_TRUE(product.commutes);
  EXPECT_EQ(instances(product), 64);
  // A vector against a number: the second operand is broadcast.
  const auto max = instruction_of(capability("MAX", {16}, {{16}, {1}}));
  EXPECT_TRUE(max->inputs[1].axes.empty());
  EXPECT_FALSE(instruction_of(capability("SUB", {16}, {{16}, {16}}))->commutes);
}

/// A machine may say exactly those products (ACG0067) that have an instruction.
TEST(Instruction, IsThereForEveryProductThatAMachineMaySay) {
  size_t read = 0, refused = 0;
  for (uint64_t x = 1; x <= 12; ++x) {
    for (uint64_t w = 1; w <= 24; ++w) {
      for (uint64_t y = 1; y <= 12; ++y) {
        const std::string text = fmt::format(
            "acg one {{ memory BUF {{ data_width = 32; depth = 64; }} compute PE {{ unit = described;"
            " (i32,{}) = GEMM((i8,{}),(i8,{}),(i32,{})); }} edge BUF <-> PE; }}",
            y, x, w, y);
        const bool is_read = static_cast<bool>(acg::parse_machine(text, "one.acg"));
        ASSERT_EQ(is_read, instruction_of(capability("GEMM", {y}, {{x}, {w}, {y}})).has_value()) << text;
        ++(is_read ? read : refused);
      }
    }
  }
  EXPECT_GT(read, 100U);
  EXPECT_GT(refused, 1000U);
}

TEST(Instruction, IsFoundOnAMachineByWhatTheWorkloadComputes) {
  const Workload conv = test::conv_workload({1, 32, 8, 8, 32, 3, 3, 1, 1, 1, 1});
  const auto names = [&](const char* machine) {
    std::vector<std::string> texts;
    for (const Instruction& one : instructions_for(conv, *acg::load_machine(machine))) texts.push_back(print(one));
    return texts;
  };
  EXPECT_EQ(names("genesys:07"), (std::vector<std::string>{"GEMM rows 1 columns 32 inner 32"}));
  EXPECT_EQ(names("genesys:03"), (std::vector<std::string>{"GEMM rows 1 columns 16 inner 16"}));
  EXPECT_EQ(names("hvx"), (std::vector<std::string>{"GEMM lanes 32 inner 4", "GEMM rows 32 columns 1 inner 4",
                                                    "MAC lanes 128 inner 1"}));
}

}  // namespace
}  // namespace covenant::compiler::embedding
