/// Quantisation and layout at the model's boundary.
#include "runtime/session/boundary.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>

namespace covenant::runtime {
namespace {

TEST(Quantize, RoundsHalfToEvenAndSaturates) {
  const acg::Quantization half{0.5F, 10};
  EXPECT_EQ(quantize(0.25F, half, DType::kU8), 10);   // 0.5 -> 0
  EXPECT_EQ(quantize(0.75F, half, DType::kU8), 12);   // 1.5 -> 2
  EXPECT_EQ(quantize(-0.25F, half, DType::kU8), 10);  // -0.5 -> -0
  EXPECT_EQ(quantize(1000.0F, half, DType::kU8), 255);
  EXPECT_EQ(quantize(-1000.0F, half, DType::kU8), 0);
  EXPECT_EQ(quantize(-1000.0F, {0.5F, -3}, DType::kI8), -128);
  EXPECT_EQ(quantize(std::numeric_limits<float>::infinity(), half, DType::kI8), 127);
  EXPECT_EQ(quantize(std::nanf(""), half, DType::kU8), 0);  // ONNX Runtime's choice
  EXPECT_EQ(quantize(std::nanf(""), {0.5F, -3}, DType::kI8), -128);
}

TEST(Quantize, DividesByTheScale) {
  // Values halfway between two steps: multiplying by the reciprocal would land some of them on the other side.
  const float scale = 0.03F;
  int differs = 0;
  for (int i = -300; i < 300; ++i) {
    const float value = (static_cast<float>(i) + 0.5F) * scale;
    const int32_t made = quantize(value, {scale, 0}, DType::kI8);
    const float quotient = value / scale;
    EXPECT_EQ(made, static_cast<int32_t>(std::fmin(127.0F, std::fmax(-128.0F, std::nearbyintf(quotient)))));
    differs += made != static_cast<int32_t>(std::nearbyintf(value * (1.0F / scale))) && std::abs(i) < 120 ? 1 : 0;
  }
  EXPECT_GT(differs, 0);
}

TEST(Quantize, RoundsEveryHalfOfEveryTypeToEven) {
  for (const DType dtype : {DType::kI8, DType::kU8, DType::kI16, DType::kU16}) {
    for (const int64_t zero_point : {lowest(dtype), (lowest(dtype) + highest(dtype)) / 2, highest(dtype)}) {
      const acg::Quantization halves{2.0F, static_cast<int32_t>(zero_point)};
      for (int64_t step = -140'000; step <= 140'000; ++step) {
        const int64_t even = step % 2 == 0 ? step / 2 : 2 * std::lround(static_cast<double>(step) / 4);
        const int64_t expected = std::clamp(even + zero_point, lowest(dtype), highest(dtype));
        ASSERT_EQ(quantize(static_cast<float>(step), halves, dtype), expected) << name(dtype) << " " << step;
      }
    }
  }
}

TEST(Dequantize, SubtractsInIntegers) { EXPECT_EQ(dequantize(-128, {0.25F, 127}), -63.75F); }

/// Channels last, `padded` of them in memory.
acg::TensorBinding binding(const std::vector<uint64_t>& shape, uint64_t padded, bool host) {
  acg::TensorBinding made;
  made.name = "x";
  made.dtype = DType::kU8;
  made.shape = shape;
  made.elements = padded;
  made.strides.resize(shape.size());
  for (size_t d = shape.size(); d-- > 2;) {
    made.strides[d] = {{shape[d], made.elements}};
    made.elements *= shape[d];
  }
  if (shape.size() > 1) made.strides[1] = {{shape[1], 1}};
  made.strides[0] = {{shape[0], shape.size() > 1 ? made.elements : 1}};
  made.elements *= shape[0];
  made.pad_value = 9;
  made.host_quantizes = host;
  made.quantization = {0.5F, 9};
  return made;
}

TEST(Layout, ImagesBecomeNhwcWithPaddedChannels) {
  const acg::TensorBinding nhwc = binding({1, 2, 1, 3}, 4, false);
  const Tensor image{"x", DType::kU8, {1, 2, 1, 3}, {1, 2, 3, 4, 5, 6}};
  const std::vector<uint8_t> stored = to_memory(nhwc, image);
  EXPECT_EQ(stored, (std::vector<uint8_t>{1, 4, 9, 9, 2, 5, 9, 9, 3, 6, 9, 9}));
  EXPECT_EQ(from_memory(nhwc, stored), image);
}

/// Two rows of two pixels, each with one pixel of padding in front and four pixels from one to the next.
TEST(Layout, RowsMayHavePaddingAtBothSides) {
  acg::TensorBinding rows = binding({1, 1, 2, 2}, 1, false);
  rows.strides = {{{1, 8}}, {{1, 1}}, {{2, 4}}, {{2, 1}}};
  rows.offset = 1;
  rows.elements = 8;
  const Tensor image{"x", DType::kU8, {1, 1, 2, 2}, {1, 2, 3, 4}};
  EXPECT_EQ(size_in_memory(rows), 8U);
  EXPECT_EQ(to_memory(rows, image), (std::vector<uint8_t>{9, 1, 2, 9, 9, 3, 4, 9}));
  EXPECT_EQ(from_memory(rows, to_memory(rows, image)), image);
}

/// Three rows of two pixels of two channels, in groups of two: the second group lacks a row.
TEST(Layout, RowsMayLiePixelBesidePixel) {
  acg::TensorBinding rows = binding({1, 2, 3, 2}, 2, false);
  rows.strides = {{{1, 24}}, {{2, 1}}, {{2, 12}, {2, 2}}, {{2, 4}}};
  rows.offset = 4;
  rows.elements = 24;
  const Tensor image{"x", DType::kU8, {1, 2, 3, 2}, {1, 2, 3, 4, 5, 6, 11, 12, 13, 14, 15, 16}};
  EXPECT_EQ(size_in_memory(rows), 24U);
  EXPECT_EQ(to_memory(rows, image), (std::vector<uint8_t>{9, 9, 9, 9, 1, 11, 3, 13, 2, 12, 4, 14,  //
                                                          9, 9, 9, 9, 5, 15, 9, 9,  6, 16, 9, 9}));
  EXPECT_EQ(from_memory(rows, to_memory(rows, image)), image);
}

TEST(Layout, MatricesHavePaddedRows) {
  const acg::TensorBinding rows = binding({2, 3}, 4, false);
  const Tensor matrix{"x", DType::kU8, {2, 3}, {1, 2, 3, 4, 5, 6}};
  EXPECT_EQ(to_memory(rows, matrix), (std::vector<uint8_t>{1, 2, 3, 9, 4, 5, 6, 9}));
  EXPECT_EQ(from_memory(rows, to_memory(rows, matrix)), matrix);
  EXPECT_EQ(size_in_memory(rows), 8U);
}

TEST(Layout, OtherRanksLieAsTheyAre) {
  const Tensor line{"x", DType::kU8, {3}, {1, 2, 3}};
  EXPECT_EQ(to_memory(binding({3}, 1, false), line), line.bytes);
}

TEST(Layout, HostQuantizesRealTensors) {
  const acg::TensorBinding real = binding({1, 2}, 3, true);
  Tensor tensor{"x", DType::kF32, {1, 2}, std::vector<uint8_t>(8)};
  const float values[2] = {1.0F, -0.5F};
  std::memcpy(tensor.bytes.data(), values, 8);
  EXPECT_EQ(model_dtype(real), DType::kF32);
  EXPECT_EQ(to_memory(real, tensor), (std::vector<uint8_t>{11, 8, 9}));
  EXPECT_EQ(from_memory(real, to_memory(real, tensor)), tensor);
}

}  // namespace
}  // namespace covenant::runtime
