/// Gains and offsets of a LayerNormalization: one for each element of a row, or one for each row.
#include <gtest/gtest.h>

#include "compiler/srdfg/queries.h"
#include "tests/error/frontend/model_builder.h"

namespace covenant::compiler::frontend {
namespace {

using onnx::TensorProto;
using Shape = std::vector<uint64_t>;

/// x [1,2,4,4] normalised along `axis`, with gains and offsets 1/16, 2/16, ... of these shapes.
onnx::ModelProto normalised(int64_t axis, const std::vector<int64_t>& gains, const std::vector<int64_t>& offsets) {
  onnx::ModelProto model = empty_model();
  const auto add = [&](const std::string& name, const std::vector<int64_t>& shape) {
    int64_t count = 1;
    for (const int64_t extent : shape) count *= extent;
    std::vector<int32_t> elements;
    for (int32_t i = 1; i <= count; ++i) elements.push_back(i);
    add_tensor(model, name, TensorProto::FLOAT, shape, elements);
  };
  add("gains", gains);
  add("offsets", offsets);
  add_node(model, "QuantizeLinear", {"x", "scale", "zero"}, "stored");
  add_node(model, "DequantizeLinear", {"stored", "scale", "zero"}, "real");
  add_int(add_node(model, "LayerNormalization", {"real", "gains", "offsets"}, "even"), "axis", axis);
  add_node(model, "QuantizeLinear", {"even", "scale", "zero"}, "made");
  add_node(model, "DequantizeLinear", {"made", "scale", "zero"}, "y");
  return model;
}

/// Shape and sixteenths of the gains in the normalised graph; a shape without dimensions: refused.
std::pair<Shape, std::vector<float>> gains_of(const onnx::ModelProto& model) {
  const Result<srdfg::Graph> graph = load(model);
  if (!graph) return {};
  for (const srdfg::Node& node : graph->nodes) {
    if (node.operation != "layer_norm") continue;
    const srdfg::Value& gains = graph->get(node.inputs.at(1));
    std::vector<float> sixteenths;
    for (const float one : srdfg::float_elements(gains)) sixteenths.push_back(one * 16);
    return {gains.shape, sixteenths};
  }
  return {};
}

TEST(RowGains, OneForEachElementOfARow) {
  EXPECT_EQ(gains_of(normalised(-1, {4}, {4})), std::pair(Shape{4}, (std::vector<float>{1, 2, 3, 4})));
  EXPECT_EQ(gains_of(normalised(3, {1, 4}, {4})).first, Shape{4});
  EXPECT_EQ(gains_of(normalised(2, {4, 4}, {4, 4})).first, Shape{16});
}

/// As many rows as elements: the shape tells.
TEST(RowGains, OneForEachRow) {
  EXPECT_EQ(gains_of(normalised(-1, {4, 1}, {4, 1})),
            std::pair((Shape{8, 1}), (std::vector<float>{1, 2, 3, 4, 1, 2, 3, 4})));
  EXPECT_EQ(gains_of(normalised(-1, {2, 1, 1}, {2, 4, 1})),
            std::pair((Shape{8, 1}), (std::vector<float>{1, 1, 1, 1, 2, 2, 2, 2})));
  EXPECT_EQ(gains_of(normalised(2, {2, 1, 1}, {2, 1, 1})), std::pair((Shape{2, 1}), (std::vector<float>{1, 2})));
}

TEST(RowGains, ThatFitNeitherAreRefused) {
  for (const auto& [gains, offsets] :
       std::vector<std::pair<std::vector<int64_t>, std::vector<int64_t>>>{{{4, 1}, {4}},
                                                                          {{4}, {4, 1}},
                                                                          {{3, 1}, {3, 1}},
                                                                          {{2, 4, 4}, {2, 4, 4}},
                                                                          {{1, 1, 2, 4, 1}, {1, 1, 2, 4, 1}}}) {
    EXPECT_TRUE(gains_of(normalised(-1, gains, offsets)).first.empty());
  }
}

}  // namespace
}  // namespace covenant::compiler::frontend
