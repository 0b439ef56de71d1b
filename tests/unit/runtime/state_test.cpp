/// State between runs: its value before the first run, and after each one.
#include "runtime/session/state.h"

#include <gtest/gtest.h>

namespace covenant::runtime {
namespace {

/// A program of two pairs: stored integers with zero point -2, and values that the host quantises.
acg::Program program_with_state() {
  acg::TensorBinding h;
  h.name = "h";
  h.dtype = DType::kI16;
  h.shape = {1, 2};
  h.pad_value = -2;
  acg::TensorBinding c;
  c.name = "c";
  c.shape = {3};
  c.pad_value = 7;
  c.host_quantizes = true;
  acg::TensorBinding x;
  x.name = "x";
  x.shape = {4};
  acg::Program program;
  program.inputs = {h, x, c};
  program.state = {{.output = "c_next", .input = "c"}, {.output = "h_next", .input = "h"}};
  return program;
}

TEST(State, BeginsWithRealZero) {
  const std::vector<Tensor> expected{{"c", DType::kF32, {3}, std::vector<uint8_t>(12, 0)},
                                     {"h", DType::kI16, {1, 2}, {0xFE, 0xFF, 0xFE, 0xFF}}};
  EXPECT_EQ(initial_state(program_with_state()), expected);
}

TEST(State, IsHandedOnUnderTheNameOfTheInput) {
  const Tensor h{"h_next", DType::kI16, {1, 2}, {1, 2, 3, 4}};
  const Tensor y{"y", DType::kU8, {1}, {9}};
  const Tensor c{"c_next", DType::kF32, {3}, std::vector<uint8_t>(12, 5)};
  const std::vector<Tensor> state = next_state(program_with_state(), {h, y, c});
  ASSERT_EQ(state.size(), 2);
  EXPECT_EQ(state[0], (Tensor{"c", DType::kF32, {3}, c.bytes}));
  EXPECT_EQ(state[1], (Tensor{"h", DType::kI16, {1, 2}, h.bytes}));
}

TEST(State, IsEmptyForOtherPrograms) {
  EXPECT_TRUE(initial_state(acg::Program{}).empty());
  EXPECT_TRUE(next_state(acg::Program{}, {}).empty());
}

}  // namespace
}  // namespace covenant::runtime
