/// Weights, biases and scales.
#include "compiler/layers/constants.h"

#include <cstring>
#include <gtest/gtest.h>

namespace covenant::compiler {
namespace {

srdfg::Value weights(const std::vector<uint64_t>& shape, const std::vector<int8_t>& elements) {
  srdfg::Value value;
  value.dtype = DType::kI8;
  value.shape = shape;
  for (const int8_t element : elements) value.data.push_back(static_cast<uint8_t>(element));
  return value;
}

std::vector<int32_t> integers(const ConstantTensor& tensor) {
  std::vector<int32_t> result(tensor.data.size() / 4);
  std::memcpy(result.data(), tensor.data.data(), tensor.data.size());
  return result;
}

TEST(Constants, ConvolutionWeightsGoFromOIHWToHWIO) {
  const ConstantTensor made = conv_weights(weights({2, 3, 1, 2}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(made.shape, (std::vector<uint64_t>{1, 2, 3, 2}));
  EXPECT_EQ(made.data, (std::vector<uint8_t>{0, 6, 2, 8, 4, 10, 1, 7, 3, 9, 5, 11}));
}

TEST(Constants, GroupsThatAreMergedSeeNothingOfEachOther) {
  const srdfg::Value diagonal = weights({4, 1, 1, 1}, {1, 2, 3, 4});
  const ConstantTensor pairs = conv_weights(diagonal, 4, 2);
  EXPECT_EQ(pairs.shape, (std::vector<uint64_t>{1, 1, 2, 2, 2}));
  EXPECT_EQ(pairs.data, (std::vector<uint8_t>{1, 0, 0, 2, 3, 0, 0, 4}));
  const ConstantTensor whole = conv_weights(diagonal, 4, 4);
  EXPECT_EQ(whole.shape, (std::vector<uint64_t>{1, 1, 4, 4}));
  EXPECT_EQ(whole.data, (std::vector<uint8_t>{1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 3, 0, 0, 0, 0, 4}));
  const ConstantTensor beyond = conv_weights(diagonal, 4, 3);
  EXPECT_EQ(beyond.shape, (std::vector<uint64_t>{1, 1, 2, 3, 3}));
  EXPECT_EQ(beyond.data, (std::vector<uint8_t>{1, 0, 0, 0, 2, 0, 0, 0, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(Constants, FlatteningMovesRows) {
  // Two channels of one row and two columns; memory holds four channels for each pixel.
  const RowOrder order = flattened_order(channels_last("DRAM", {1, 2, 1, 2}, {.channels = 4}));
  EXPECT_EQ(order.rows, 8U);
  EXPECT_EQ(order.row, (std::vector<uint64_t>{0, 4, 1, 5}));
  const ConstantTensor made = gemm_weights(weights({4, 1}, {1, 2, 3, 4}), order);
  EXPECT_EQ(made.data, (std::vector<uint8_t>{1, 3, 0, 0, 2, 4, 0, 0}));
}

TEST(Constants, BiasTakesTheInputsZeroPointAndWraps) {
  srdfg::Value bias;
  bias.data.resize(8);
  const int32_t elements[2] = {INT32_MIN, 100};
  std::memcpy(bias.data.data(), elements, 8);
  const srdfg::Value kernel = weights({2, 2}, {1, 2, 3, -4});
  EXPECT_EQ(integers(folded_bias(&bias, kernel, 0, 10)), (std::vector<int32_t>{INT32_MAX - 29, 110}));
  EXPECT_EQ(integers(folded_bias(nullptr, kernel, 1, -1)), (std::vector<int32_t>{4, -2}));
}

}  // namespace
}  // namespace covenant::compiler
