#include "compiler/reference/evaluate.h"

#include <gtest/gtest.h>

#include "compiler/frontends/onnx/load_model.h"
#include "compiler/srdfg/parse.h"
#include "tests/support/folders.h"

namespace covenant::compiler::reference {
namespace {

Tensors run(const std::string& text, const Tensors& inputs, Requantization how = Requantization::kFloat) {
  const Result<srdfg::Graph> graph = srdfg::parse(text);
  EXPECT_TRUE(graph) << render(graph.error());
  if (!graph) return {};
  const Result<Tensors> outputs = evaluate(*graph, inputs, how);
  EXPECT_TRUE(outputs) << render(outputs.error());
  return outputs ? *outputs : Tensors{};
}

Tensor bytes_of(DType dtype, const std::vector<uint64_t>& shape, const std::vector<int32_t>& elements) {
  return make_tensor(dtype, shape, elements);
}

TEST(Evaluate, ConvolutionWithStridesPadsAndChannelScales) {
  // x - 1 = 0 1 2 / 3 4 5; kernel 1x2, left pad 1, steps of 1 and 2: taps at columns (-1,0) and (1,2).
  const Tensors outputs = run(R"(srdfg "g" {
    value %0 "x" u8 [1,1,2,3] input scales=[0x1p0] zero_points=[1];
    value %1 "w" i8 [2,1,1,2] param scales=[0x1p0,0x1p-1] zero_points=[0,0] axis=0 data="02fe0301";
    value %2 "b" i32 [2] param data="0a00000000000000";
    value %3 "y" u8 [1,2,2,2] output scales=[0x1p0] zero_points=[5];
    inputs %0; outputs %3;
    node "n" conv(%0, %1, %2) -> (%3) { highest=255; lowest=5; pads=[0,1,0,0]; strides=[1,2]; }
  })",
                              {{"x", bytes_of(DType::kU8, {1, 1, 2, 3}, {1, 2, 3, 4, 5, 6})}});
  // channel 0: 10 + 2*left - 2*right; channel 1: 3*left + right, halved
  EXPECT_EQ(integers(outputs.at("y")), (std::vector<int32_t>{15, 13, 9, 13, 5, 7, 7, 13}));
}

TEST(Evaluate, AccumulatorsWrapAt32Bits) {
  const Tensors outputs = run(R"(srdfg "g" {
    value %0 "x" u8 [1,1] input scales=[0x1p0] zero_points=[0];
    value %1 "w" i8 [1,1] param scales=[0x1p0] zero_points=[0] data="01";
    value %2 "b" i32 [1] param data="ffffff7f";
    value %3 "y" u8 [1,1] output scales=[0x1p0] zero_points=[0];
    inputs %0; outputs %3;
    node "n" gemm(%0, %1, %2) -> (%3) { highest=255; lowest=0; }
  })",
                              {{"x", bytes_of(DType::kU8, {1, 1}, {1})}});
  EXPECT_EQ(integers(outputs.at("y")), std::vector<int32_t>{0});  // 2^31 wrapped to -2^31
}

TEST(Evaluate, PoolsIgnorePads) {
  const std::string text = R"(srdfg "g" {
    value %0 "x" i8 [1,1,2,2] input scales=[0x1p0] zero_points=[0];
    value %1 "y" i8 [1,1,2,2] output scales=[0x1p0] zero_points=[0];
    value %2 "z" i8 [1,1,1,1] output scales=[0x1p1] zero_points=[-7];
    inputs %0; outputs %1, %2;
    node "p" max_pool(%0) -> (%1) { kernel=[2,2]; pads=[1,1,0,0]; strides=[1,1]; }
    node "a" global_average_pool(%0) -> (%2) { highest=127; lowest=-128; }
  })";
  const Tensors outputs = run(text, {{"x", bytes_of(DType::kI8, {1, 1, 2, 2}, {-9, -8, -7, -128})}});
  EXPECT_EQ(integers(outputs.at("y")), (std::vector<int32_t>{-9, -8, -7, -7}));
  EXPECT_EQ(integers(outputs.at("z")), std::vector<int32_t>{-26});  // -152 / 8 = -19, less 7
}

/// Windows of 2 x 2, of which the first one has a column of pads: sums of 3, 11 and 19.
TEST(Evaluate, MeansRoundOnceOrInFixedPoint) {
  const auto means = [](const std::string& attributes, Requantization how) {
    const std::string text = R"(srdfg "g" {
      value %0 "x" i8 [1,1,2,3] input scales=[0x1p0] zero_points=[2];
      value %1 "y" i8 [1,1,1,3] output scales=[0x1p0] zero_points=[-7];
      inputs %0; outputs %1;
      node "p" average_pool(%0) -> (%1) { )" +
                             attributes + R"(highest=127; kernel=[2,2]; lowest=-128; pads=[0,1,0,0]; strides=[1,1]; }
    })";
    return integers(run(text, {{"x", bytes_of(DType::kI8, {1, 1, 2, 3}, {3, 4, 5, 4, 8, 10})}}, how).at("y"));
  };
  EXPECT_EQ(means("", Requantization::kFloat), (std::vector<int32_t>{-6, -4, -2})) << "1.5 - 7 to even";
  EXPECT_EQ(means("", Requantization::kFixed), (std::vector<int32_t>{-5, -4, -2})) << "1.5 up, less 7";
  EXPECT_EQ(means("count_pads=1; ", Requantization::kFixed), (std::vector<int32_t>{-6, -4, -2})) << "0.75 up";
}

/// 5 and 6 halves of u8 and i8: their sum by ONNX Runtime's integer kernel and by its operators in float. Ties show
/// where the zero point, which is odd, goes in.
TEST(Evaluate, PairsAndMeansBetweenSignsAreThoseOfFloatOperators) {
  const auto made = [](const std::string& operation, const std::string& b, Requantization how) {
    const std::string text = R"(srdfg "g" {
      value %0 "a" u8 [1] input scales=[0x1p-1] zero_points=[0];
      value %1 "b" )" + b + R"( [1] input scales=[0x1p-1] zero_points=[0];
      value %2 "y" u8 [1] output scales=[0x1p0] zero_points=[3];
      inputs %0, %1; outputs %2;
      node "n" )" + operation +
                             R"((%0, %1) -> (%2) { highest=255; lowest=0; }
    })";
    const DType dtype = b == "i8" ? DType::kI8 : DType::kU8;
    const Tensors inputs{{"a", bytes_of(DType::kU8, {1}, {5})}, {"b", bytes_of(dtype, {1}, {6})}};
    return integers(run(text, inputs, how).at("y")).at(0);
  };
  EXPECT_EQ(made("add", "u8", Requantization::kFloat), 8) << "5.5 and 3 to even";
  EXPECT_EQ(made("add", "i8", Requantization::kFloat), 9) << "5.5 to even, and 3";
  EXPECT_EQ(made("add", "i8", Requantization::kFixed), 9) << "8.5 up";
  EXPECT_EQ(made("mul", "u8", Requantization::kFloat), 10) << "7.5 and 3 to even";
  EXPECT_EQ(made("mul", "i8", Requantization::kFloat), 11) << "7.5 to even, and 3";
  const std::string text = R"(srdfg "g" {
    value %0 "x" u8 [1,1,1,2] input scales=[0x1p0] zero_points=[0];
    value %1 "y" i8 [1,1,1,1] output scales=[0x1p0] zero_points=[3];
    inputs %0; outputs %1;
    node "p" average_pool(%0) -> (%1) { highest=127; kernel=[1,2]; lowest=-128; pads=[0,0,0,0]; strides=[1,1]; }
  })";
  const Tensors means = run(text, {{"x", bytes_of(DType::kU8, {1, 1, 1, 2}, {2, 3})}});
  EXPECT_EQ(integers(means.at("y")), std::vector<int32_t>{5}) << "2.5 to even, and 3";
}

TEST(Evaluate, QuantizesAndDequantizes) {
  const std::string text = R"(srdfg "g" {
    value %0 "x" f32 [4] input;
    value %1 "q" i8 [4] state scales=[0x1p-1] zero_points=[1];
    value %2 "c" i8 [4] state scales=[0x1p-1] zero_points=[1];
    value %3 "r" f32 [4] output;
    inputs %0; outputs %3;
    node "q" quantize(%0) -> (%1) { }
    node "c" clip(%1) -> (%2) { highest=100; lowest=1; }
    node "d" dequantize(%2) -> (%3) { }
  })";
  const std::vector<float> x{0.25F, 0.75F, -3.0F, 1e9F};
  const Tensors outputs = run(text, {{"x", make_tensor({4}, x)}});
  EXPECT_EQ(reals(outputs.at("r")), (std::vector<float>{0.0F, 1.0F, 0.0F, 49.5F}));
}

TEST(Evaluate, UnfitInputsAreRefused) {
  const auto graph = frontend::load_model(source_folder() + "/examples/01_digits/digits_qdq.onnx");
  ASSERT_TRUE(graph) << render(graph.error());
  const Tensor image = zeros(DType::kF32, {1, 1, 8, 8});
  EXPECT_TRUE(evaluate(*graph, {{"image", image}}));
  const std::vector<Tensors> unfit{{},
                                   {{"image", zeros(DType::kF32, {1, 8, 8, 1})}},
                                   {{"image", zeros(DType::kU8, {1, 1, 8, 8})}},
                                   {{"image", {DType::kF32, {1, 1, 8, 8}, {}}}},
                                   {{"image", image}, {"extra", image}}};
  for (const Tensors& inputs : unfit) {
    const Result<Tensors> outputs = evaluate(*graph, inputs);
    ASSERT_FALSE(outputs);
    EXPECT_EQ(outputs.error().code, "ONX0020");
  }
}

TEST(Evaluate, UnnormalizedGraphsAreRefused) {
  const Result<Tensors> outputs =
      evaluate({.name = "g", .nodes = {{.name = "n", .operation = "Conv", .body = {}}}}, {});
  ASSERT_FALSE(outputs);
  EXPECT_EQ(outputs.error().code, "ONX0019");
}

}  // namespace
}  // namespace covenant::compiler::reference
