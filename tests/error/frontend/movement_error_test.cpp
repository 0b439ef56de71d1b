/// Movements that contradict their tensors, and those that are not supported.
#include <gtest/gtest.h>

#include "tests/error/frontend/model_builder.h"

namespace covenant::compiler::frontend {
namespace {

using onnx::ModelProto;
using onnx::TensorProto;
using List = std::vector<int64_t>;

/// q, the quantised input [1,2,4,4], through one node; lists that are empty are left out.
struct Case {
  const char* name;
  const char* code;
  const char* message;  ///< must be part of its message, its offending value or its fix
  const char* operation;
  std::vector<List> constants;
  std::vector<std::pair<const char*, List>> lists = {};
  std::vector<std::pair<const char*, int64_t>> numbers = {};
};

class BadMovement : public testing::TestWithParam<Case> {};

TEST_P(BadMovement, IsRefused) {
  ModelProto model = empty_model();
  add_node(model, "QuantizeLinear", {"x", "scale", "zero"}, "q");
  std::vector<std::string> inputs{"q"};
  for (const List& constant : GetParam().constants) {
    const std::string name = constant.empty() ? "" : "constant" + std::to_string(inputs.size());
    inputs.push_back(name);
    if (constant.empty()) continue;
    add_tensor(model, name, TensorProto::INT64, {static_cast<int64_t>(constant.size())},
               {constant.begin(), constant.end()});
  }
  onnx::NodeProto& node = add_node(model, GetParam().operation, inputs, "m");
  for (const auto& [name, list] : GetParam().lists) add_ints(node, name, list);
  for (const auto& [name, number] : GetParam().numbers) add_int(node, name, number);
  add_node(model, "DequantizeLinear", {"m", "scale", "zero"}, "y");
  const Result<srdfg::Graph> graph = load(model);
  ASSERT_FALSE(graph);
  const Diagnostic& diagnostic = graph.error();
  EXPECT_EQ(diagnostic.code, GetParam().code) << render(diagnostic);
  EXPECT_NE(diagnostic.subject.find("the m"), std::string::npos) << render(diagnostic);
  EXPECT_NE((diagnostic.message + diagnostic.offending + diagnostic.fix).find(GetParam().message), std::string::npos)
      << render(diagnostic);
  EXPECT_FALSE(diagnostic.fix.empty());
}

INSTANTIATE_TEST_SUITE_P(
    All, BadMovement,
    testing::Values(Case{"FewEnds", "ONX0009", "not equally many", "Slice", {{0, 0}, {2}, {2, 3}}},
                    Case{"FewAxes", "ONX0009", "not equally many", "Slice", {{0, 0}, {2, 2}, {2}}},
                    Case{"FewSteps", "ONX0009", "not equally many", "Slice", {{0, 0}, {2, 2}, {2, 3}, {1}}},
                    Case{"ManySteps", "ONX0009", "2 starts", "Slice", {{0, 0}, {2, 2}, {2, 3}, {1, 1, 1}}},
                    Case{"StepBack", "ONX0010", "step -1", "Slice", {{3}, {0}, {2}, {-1}}},
                    Case{"LongResize", "ONX0010", "33554432", "Resize", {{}, {}, {1, 2, 4, 1 << 25}}},
                    Case{"NoStep", "ONX0010", "step 0", "Slice", {{0}, {3}, {2}, {0}}},
                    Case{"EmptySlice", "ONX0009", "empty", "Slice", {{2}, {2}, {2}}},
                    Case{"SliceAxis", "ONX0009", "outside the shape", "Slice", {{0}, {2}, {4}}},
                    Case{"NegativeAxis", "ONX0009", "outside the shape", "Slice", {{0}, {2}, {-5}}},
                    Case{"SameTwice", "ONX0009", "every dimension once", "Transpose", {}, {{"perm", {0, 1, 1, 3}}}},
                    Case{"FewDimensions", "ONX0009", "every dimension once", "Transpose", {}, {{"perm", {0, 1, 2}}}},
                    Case{"Squeezed", "ONX0009", "several indices", "Squeeze", {{1}}},
                    Case{"NewTwice", "ONX0009", "named twice", "Unsqueeze", {{0, -6}}},
                    Case{"NewAxis", "ONX0009", "outside the shape", "Unsqueeze", {{5}}},
                    Case{"OtherCount", "ONX0009", "another number of elements", "Reshape", {{1, 33}}},
                    Case{"OpenTwice", "ONX0009", "without meaning", "Reshape", {{-1, -1}}},
                    Case{"NothingOpen", "ONX0009", "another number of elements", "Reshape", {{-1, 5}}},
                    Case{"ExpandRank", "ONX0010", "adds dimensions", "Expand", {{1, 1, 2, 4, 4}}},
                    Case{"ExpandTwo", "ONX0009", "cannot be expanded", "Expand", {{1, 4, 4, 4}}},
                    Case{"ExpandNone", "ONX0009", "cannot be expanded", "Expand", {{0, 2, 4, 4}}},
                    Case{"FewSizes", "ONX0009", "one size for each dimension", "Resize", {{}, {}, {1, 2, 8}}},
                    Case{"Smaller", "ONX0010", "equally often", "Resize", {{}, {}, {1, 2, 2, 4}}},
                    Case{"OneAndAHalf", "ONX0010", "equally often", "Resize", {{}, {}, {1, 2, 6, 4}}},
                    Case{"SplitAxis", "ONX0009", "outside the shape", "Split", {}, {}, {{"axis", 4}}},
                    Case{"SplitCount", "ONX0009", "one size for each result", "Split", {{1, 1}}, {}, {{"axis", 1}}},
                    Case{"SplitLess", "ONX0009", "not those of the dimension", "Split", {{1}}, {}, {{"axis", 1}}},
                    Case{"SplitMore", "ONX0009", "3 of 2", "Split", {{3}}, {}, {{"axis", 1}}},
                    Case{"NoBlock", "ONX0009", "at least one element", "SpaceToDepth", {}, {}, {{"blocksize", 0}}},
                    Case{"Rows", "ONX0009", "rows or columns", "SpaceToDepth", {}, {}, {{"blocksize", 3}}},
                    Case{"Channels", "ONX0009", "the channels", "DepthToSpace", {}, {}, {{"blocksize", 2}}}),
    [](const auto& entry) { return entry.param.name; });

TEST(BadConcat, PartsFitBesideEachOther) {
  const auto refused = [](const std::vector<int64_t>& other, int64_t axis) {
    ModelProto model = empty_model();
    add_tensor(model, "shape", TensorProto::INT64, {static_cast<int64_t>(other.size())}, {other.begin(), other.end()});
    add_node(model, "QuantizeLinear", {"x", "scale", "zero"}, "q");
    add_node(model, "Reshape", {"q", "shape"}, "r");
    add_int(add_node(model, "Concat", {"q", "r"}, "m"), "axis", axis);
    add_node(model, "DequantizeLinear", {"m", "scale", "zero"}, "y");
    const Result<srdfg::Graph> graph = load(model);
    return graph ? "" : graph.error().code + ": " + graph.error().message;
  };
  EXPECT_EQ(refused({1, 2, 2, 8}, 1), "ONX0009: the operands differ in another dimension than the axis");
  EXPECT_EQ(refused({1, 2, 16}, 1), "ONX0009: the operands differ in their rank");
  EXPECT_EQ(refused({1, 2, 4, 4}, 4), "ONX0009: an axis is outside the shape");
  EXPECT_EQ(refused({1, 2, 4, 4}, -4), "");
}

TEST(BadSlice, BoundsThatAreComputedAreRefused) {
  ModelProto model = empty_model();
  add_tensor(model, "starts", TensorProto::INT64, {1}, {0});
  add_node(model, "QuantizeLinear", {"x", "scale", "zero"}, "q");
  add_node(model, "Slice", {"q", "starts", "x"}, "m");
  add_node(model, "DequantizeLinear", {"m", "scale", "zero"}, "y");
  const Result<srdfg::Graph> graph = load(model);
  ASSERT_FALSE(graph);
  EXPECT_EQ(graph.error().code, "ONX0004");
  EXPECT_EQ(graph.error().message, "the ends are computed, not constant");
}

}  // namespace
}  // namespace covenant::compiler::frontend
