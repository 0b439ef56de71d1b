/// One model per diagnostic.
#include <functional>
#include <gtest/gtest.h>

#include "compiler/srdfg/queries.h"
#include "tests/error/frontend/model_builder.h"

namespace covenant::compiler::frontend {
namespace {

using onnx::ModelProto;
using onnx::TensorProto;

TEST(ModelBuilder, ModelsAreGoodUntilDamaged) {
  for (const ModelProto& model : {qoperator_model(), qdq_model()}) {
    const Result<srdfg::Graph> graph = load(model);
    ASSERT_TRUE(graph) << render(graph.error());
    EXPECT_EQ(graph->nodes.size(), 3U);
  }
  // The Relu clamps at the zero point.
  EXPECT_EQ(srdfg::integer_attribute(load(qdq_model())->nodes[1], "lowest"), 3);
}

struct Case {
  const char* name;
  const char* code;
  const char* subject;  ///< must be part of the diagnostic's subject
  const char* message;  ///< must be part of its message, its offending value or its fix
  bool qdq;
  std::function<void(ModelProto&)> damage;
};

class BadModel : public testing::TestWithParam<Case> {};

TEST_P(BadModel, IsRefused) {
  ModelProto model = GetParam().qdq ? qdq_model() : qoperator_model();
  GetParam().damage(model);
  const Result<srdfg::Graph> graph = load(model);
  ASSERT_FALSE(graph);
  const Diagnostic& diagnostic = graph.error();
  EXPECT_EQ(diagnostic.code, GetParam().code) << render(diagnostic);
  EXPECT_NE(diagnostic.subject.find(GetParam().subject), std::string::npos) << render(diagnostic);
  EXPECT_NE((diagnostic.message + diagnostic.offending + diagnostic.fix).find(GetParam().message), std::string::npos)
      << render(diagnostic);
  EXPECT_FALSE(diagnostic.fix.empty());
}

onnx::NodeProto& node(ModelProto& model, int index) { return *model.mutable_graph()->mutable_node(index); }
TensorProto& tensor(ModelProto& model, const std::string& name) {
  for (TensorProto& entry : *model.mutable_graph()->mutable_initializer()) {
    if (entry.name() == name) return entry;
  }
  fail("no such tensor");
}
auto& dimension(ModelProto& model, int index) {
  return *model.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(
      index);
}

INSTANTIATE_TEST_SUITE_P(
    Reading, BadModel,
    testing::Values(
        Case{"NoGraph", "ONX0002", "", "not an ONNX model", false, [](ModelProto& m) { m.clear_graph(); }},
        Case{"NoOpset", "ONX0002", "", "operator set", false, [](ModelProto& m) { m.clear_opset_import(); }},
        Case{"NameOfNoText", "ONX0002", "node 0", "UTF-8", false,
             [](ModelProto& m) { node(m, 0).set_name("conv\xA0"); }},
        Case{"InputOfNoText", "ONX0002", "graph input", "UTF-8", false,
             [](ModelProto& m) { m.mutable_graph()->mutable_input(0)->set_name("\xC0\x80"); }},
        Case{"NoOperator", "ONX0009", "node 3", "no operator", false,
             [](ModelProto& m) { m.mutable_graph()->add_node(); }},
        Case{"NothingMade", "ONX0009", "node 1", "QLinearConv", false,
             [](ModelProto& m) { node(m, 1).clear_output(); }},
        Case{"External", "ONX0003", "w", "another file", false,
             [](ModelProto& m) { tensor(m, "w").set_data_location(TensorProto::EXTERNAL); }},
        Case{"DynamicBatch", "ONX0004", "x", "make_dynamic_shape_fixed", false,
             [](ModelProto& m) { dimension(m, 0).set_dim_param("batch"); }},
        Case{"NoShape", "ONX0004", "x", "no shape", false,
             [](ModelProto& m) {
               m.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->clear_shape();
             }},
        Case{"HugeInput", "ONX0004", "x", "", false, [](ModelProto& m) { dimension(m, 2).set_dim_value(1LL << 40); }},
        Case{"EmptyInput", "ONX0004", "x", "0", false, [](ModelProto& m) { dimension(m, 2).set_dim_value(0); }},
        Case{"NegativeInput", "ONX0004", "x", "-4", false, [](ModelProto& m) { dimension(m, 2).set_dim_value(-4); }},
        Case{"InputType", "ONX0005", "x", "DOUBLE", false,
             [](ModelProto& m) {
               m.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(
                   TensorProto::DOUBLE);
             }},
        Case{"TensorType", "ONX0005", "scale", "FLOAT16", false,
             [](ModelProto& m) { tensor(m, "scale").set_data_type(TensorProto::FLOAT16); }},
        Case{"Operator", "ONX0006", "the c (Celu)", "Celu", false,
             [](ModelProto& m) { node(m, 1).set_op_type("Celu"); }},
        Case{"Missing", "ONX0008", "the c", "nothere", false,
             [](ModelProto& m) { node(m, 1).set_input(0, "nothere"); }},
        Case{"Unsorted", "ONX0008", "the c", "before", false,
             [](ModelProto& m) { m.mutable_graph()->mutable_node()->SwapElements(0, 1); }},
        Case{"Twice", "ONX0008", "the c", "one name", false, [](ModelProto& m) { node(m, 1).set_output(0, "q"); }},
        Case{"Output", "ONX0008", "nothere", "", false,
             [](ModelProto& m) { m.mutable_graph()->mutable_output(0)->set_name("nothere"); }},
        Case{"Inputs", "ONX0009", "the c", "3 inputs", false,
             [](ModelProto& m) { node(m, 1).mutable_input()->DeleteSubrange(3, 6); }},
        Case{"Channels", "ONX0009", "the c", "channels", false,
             [](ModelProto& m) { dimension(m, 1).set_dim_value(3); }},
        Case{"Kernel", "ONX0009", "the c", "kernel_shape", false,
             [](ModelProto& m) { add_ints(node(m, 1), "kernel_shape", {3, 3}); }},
        Case{"KernelOfOneRowTooMany", "ONX0009", "the c", "larger than the padded image", false,
             [](ModelProto& m) {
               add_tensor(m, "tall", TensorProto::INT8, {2, 2, 5, 1}, std::vector<int32_t>(20, 1));
               node(m, 1).set_input(3, "tall");
             }},
        Case{"Strides", "ONX0009", "the c", "strides", false,
             [](ModelProto& m) { add_ints(node(m, 1), "strides", {0, 1}); }},
        Case{"Rank", "ONX0010", "the c", "two spatial dimensions", false,
             [](ModelProto& m) {
               auto& type = *m.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type();
               type.mutable_shape()->mutable_dim()->RemoveLast();
             }},
        Case{"Group", "ONX0009", "the c", "group", false, [](ModelProto& m) { add_int(node(m, 1), "group", 2); }},
        Case{"NoGroup", "ONX0009", "the c", "group=0", false, [](ModelProto& m) { add_int(node(m, 1), "group", 0); }},
        Case{"Dilations", "ONX0009", "the c", "dilations", false,
             [](ModelProto& m) { add_ints(node(m, 1), "dilations", {2, 0}); }},
        Case{"Attribute", "ONX0010", "the c", "surprise", false,
             [](ModelProto& m) { add_int(node(m, 1), "surprise", 2); }},
        Case{"Length", "ONX0011", "w", "bytes", false, [](ModelProto& m) { tensor(m, "w").add_int32_data(1); }},
        Case{"ScalesOfAVector", "ONX0012", "the c", "2 scales for [4]", false,
             [](ModelProto& m) {
               add_tensor(m, "v", TensorProto::INT8, {4}, {1, 2, 3, 4});
               add_tensor(m, "scales", TensorProto::FLOAT, {2}, {1, 2});
               node(m, 1).set_op_type("QLinearMatMul");
               node(m, 1).set_input(3, "v");
               node(m, 1).set_input(4, "scales");
               node(m, 1).mutable_input()->RemoveLast();
             }},
        Case{"NoChannels", "ONX0009", "the c", "no elements", false,
             [](ModelProto& m) {
               tensor(m, "w").set_dims(0, 0);
               tensor(m, "w").clear_int32_data();
             }},
        Case{"NoElements", "ONX0009", "the c", "first operand", false,
             [](ModelProto& m) {
               add_tensor(m, "nothing", TensorProto::UINT8, {1, 2, 0, 4}, {});
               node(m, 1).set_input(0, "nothing");
             }},
        Case{"Negative", "ONX0011", "w", "-2", false, [](ModelProto& m) { tensor(m, "w").set_dims(0, -2); }},
        Case{"SecondOutput", "ONX0010", "the c", "first output", false,
             [](ModelProto& m) { node(m, 1).add_output("more"); }},
        Case{"OtherDomain", "ONX0006", "the c (mine.QLinearConv)", "domain mine", false,
             [](ModelProto& m) { node(m, 1).set_domain("mine"); }},
        Case{"OldOpset", "ONX0017", "", "opset 9", false,
             [](ModelProto& m) { m.mutable_opset_import(0)->set_version(9); }}),
    [](const auto& entry) { return entry.param.name; });

/// `q` is stored, whatever the rest of the model says.
void append(ModelProto& model, const std::string& operation, const std::vector<std::string>& inputs) {
  add_tensor(model, "pads", TensorProto::INT64, {8}, {0, 0, 1, 1, 0, 0, 1, 1});
  add_tensor(model, "fw", TensorProto::FLOAT, {2, 2, 1, 1}, {1, 2, 3, 4});
  model.mutable_graph()->mutable_node()->DeleteSubrange(1, 2);
  add_node(model, operation, inputs, "y");
}

INSTANTIATE_TEST_SUITE_P(TypesThatNothingIsStoredIn, BadModel,
                         testing::Values(Case{"ZeroPoint", "ONX0005", "the q", "f32", false,
                                              [](ModelProto& m) { node(m, 0).set_input(2, "half"); }},
                                         Case{"WideZeroPoint", "ONX0005", "the q", "i32", false,
                                              [](ModelProto& m) { node(m, 0).set_input(2, "zero_b"); }},
                                         Case{"Weights", "ONX0005", "the wd", "fw", true,
                                              [](ModelProto& m) {
                                                add_tensor(m, "fw", TensorProto::FLOAT, {2, 2, 1, 1}, {1, 2, 3, 4});
                                                node(m, 2).set_input(0, "fw");
                                                node(m, 2).mutable_input()->RemoveLast();
                                              }},
                                         Case{"Bias", "ONX0005", "the bd", "fb", true,
                                              [](ModelProto& m) {
                                                add_tensor(m, "fb", TensorProto::FLOAT, {2}, {1, 2});
                                                node(m, 3).set_input(0, "fb");
                                                node(m, 3).set_input(2, "half");
                                              }},
                                         Case{"OperandOfASum", "ONX0012", "the y", "half", false,
                                              [](ModelProto& m) {
                                                append(m, "ConvInteger", {"q", "fw", "zero", "half"});
                                              }},
                                         Case{"Border", "ONX0010", "the y", "no constant", false,
                                              [](ModelProto& m) { append(m, "Pad", {"q", "pads", "half"}); }},
                                         Case{"Bound", "ONX0010", "the y", "half", false,
                                              [](ModelProto& m) { append(m, "Clip", {"q", "half", "half"}); }}),
                         [](const auto& entry) { return entry.param.name; });

INSTANTIATE_TEST_SUITE_P(Normalizing, BadModel,
                         testing::Values(Case{"Scale", "ONX0012", "", "positive", false,
                                              [](ModelProto& m) { tensor(m, "scale").set_float_data(0, -1); }},
                                         Case{"ZeroPointType", "ONX0012", "the c", "zero point", false,
                                              [](ModelProto& m) { node(m, 1).set_input(2, "zero_w"); }},
                                         Case{"Disagreeing", "ONX0012", "the c", "another scale", false,
                                              [](ModelProto& m) { node(m, 1).set_input(1, "half"); }},
                                         Case{"Unknown", "ONX0012", "the y (MaxPool)", "not known here", false,
                                              [](ModelProto& m) {
                                                auto& input = *m.mutable_graph()->mutable_input(0)->mutable_type();
                                                input.mutable_tensor_type()->set_elem_type(TensorProto::UINT8);
                                                m.mutable_graph()->clear_node();
                                                add_ints(add_node(m, "MaxPool", {"x"}, "y"), "kernel_shape", {2, 2});
                                              }},
                                         Case{"Float", "ONX0014", "the r", "", false,
                                              [](ModelProto& m) {
                                                node(m, 2).set_output(0, "r0");
                                                add_node(m, "Relu", {"r0"}, "r");
                                                add_node(m, "QuantizeLinear", {"r", "half", "zero"}, "e");
                                                add_node(m, "Add", {"r", "r"}, "y");
                                              }},
                                         Case{"FloatOperand", "ONX0014", "the c", "DequantizeLinear", true,
                                              [](ModelProto& m) { node(m, 4).set_input(0, "x"); }},
                                         Case{"FloatWeights", "ONX0013", "the c", "not quantised", true,
                                              [](ModelProto& m) {
                                                add_tensor(m, "fw", TensorProto::FLOAT, {2, 2, 1, 1}, {1, 2, 3, 4});
                                                node(m, 4).set_input(1, "fw");
                                              }},
                                         Case{"ScalesAlongAnotherAxis", "ONX0012", "the c", "lie along axis 1", true,
                                              [](ModelProto& m) {
                                                add_tensor(m, "two", TensorProto::FLOAT, {2}, {1, 1});
                                                node(m, 2).set_input(1, "two");
                                                add_int(node(m, 2), "axis", 1);
                                              }},
                                         Case{"Blocks", "ONX0012", "", "for each block", true,
                                              [](ModelProto& m) { add_int(node(m, 2), "block_size", 1); }},
                                         Case{"FloatBias", "ONX0015", "the c", "float", true,
                                              [](ModelProto& m) {
                                                add_tensor(m, "fb", TensorProto::FLOAT, {2}, {1, 2});
                                                node(m, 4).set_input(2, "fb");
                                              }},
                                         Case{"BiasScale", "ONX0015", "the c", "another scale", true,
                                              [](ModelProto& m) { tensor(m, "scale_b").set_float_data(0, 0.5F); }},
                                         Case{"BiasZeroPoint", "ONX0015", "the bd", "has a zero point", true,
                                              [](ModelProto& m) {
                                                add_tensor(m, "scales", TensorProto::FLOAT, {2}, {1, 1});
                                                add_tensor(m, "zeros", TensorProto::INT8, {2}, {0, 0});
                                                add_tensor(m, "scales_b", TensorProto::FLOAT, {2}, {0, 0});
                                                tensor(m, "scales_b").set_float_data(0, 1.0F / 256);
                                                tensor(m, "scales_b").set_float_data(1, 1.0F / 256);
                                                add_tensor(m, "zeros_b", TensorProto::INT32, {2}, {0, 7});
                                                node(m, 2).set_input(1, "scales");
                                                node(m, 2).set_input(2, "zeros");
                                                add_int(node(m, 2), "axis", 0);
                                                node(m, 3).set_input(1, "scales_b");
                                                node(m, 3).set_input(2, "zeros_b");
                                                add_int(node(m, 3), "axis", 0);
                                              }},
                                         Case{"Signs", "ONX0005", "the c", "u8 to i8", false,
                                              [](ModelProto& m) {
                                                m.add_opset_import()->set_domain("com.microsoft");
                                                m.mutable_opset_import(1)->set_version(1);
                                                m.mutable_graph()->mutable_node()->DeleteSubrange(1, 2);
                                                add_node(
                                                    m, "QLinearAdd",
                                                    {"q", "scale", "zero", "q", "scale", "zero", "scale", "zero_w"},
                                                    "c")
                                                    .set_domain("com.microsoft");
                                                add_node(m, "DequantizeLinear", {"c", "scale", "zero_w"}, "y");
                                              }},
                                         Case{"BiasLength", "ONX0015", "the c", "2 elements", true,
                                              [](ModelProto& m) {
                                                tensor(m, "b").set_dims(0, 3);
                                                tensor(m, "b").add_int32_data(0);
                                              }},
                                         Case{"Rescaling", "ONX0016", "the c", "differently", true,
                                              [](ModelProto& m) {
                                                node(m, 4).set_op_type("Relu");
                                                node(m, 4).mutable_input()->DeleteSubrange(1, 2);
                                                m.mutable_graph()->mutable_node()->DeleteSubrange(5, 1);
                                                node(m, 5).set_input(0, "c");
                                                node(m, 5).set_input(1, "half");
                                                node(m, 6).set_input(1, "half");
                                              }},
                                         Case{"ComputedWeights", "ONX0013", "the c", "", true,
                                              [](ModelProto& m) {
                                                node(m, 4).set_input(1, "wx");
                                                node(m, 2).set_output(0, "wx");
                                                node(m, 2).set_input(0, "q");
                                                node(m, 2).set_input(2, "zero");
                                                dimension(m, 0).set_dim_value(2);
                                                dimension(m, 2).set_dim_value(1);
                                                dimension(m, 3).set_dim_value(1);
                                              }}),
                         [](const auto& entry) { return entry.param.name; });

TEST(BadGemm, AttributesBeyondTheProductAreRefused) {
  for (const char* attribute : {"alpha", "transA"}) {
    ModelProto model = empty_model();
    add_tensor(model, "m", TensorProto::INT8, {32, 2}, std::vector<int32_t>(64, 1));
    add_node(model, "QuantizeLinear", {"x", "scale", "zero"}, "q");
    add_node(model, "Flatten", {"q"}, "f");
    onnx::NodeProto& gemm =
        add_node(model, "QGemm", {"f", "scale", "zero", "m", "scale", "zero_w", "b", "scale", "zero"}, "y");
    gemm.set_domain("com.microsoft");
    ASSERT_TRUE(load(model)) << render(load(model).error());
    if (std::string(attribute) == "transA") {
      add_int(gemm, attribute, 1);
      tensor(model, "m").set_dims(0, 1);
      tensor(model, "m").mutable_int32_data()->Truncate(2);
    } else {
      auto& entry = *gemm.add_attribute();
      entry.set_name(attribute);
      entry.set_type(onnx::AttributeProto::FLOAT);
      entry.set_f(0.5F);
    }
    const Result<srdfg::Graph> graph = load(model);
    ASSERT_FALSE(graph);
    EXPECT_EQ(graph.error().code, "ONX0010") << render(graph.error());
    EXPECT_NE(graph.error().message.find(attribute), std::string::npos);
  }
}

TEST(BadProduct, OneOperandOfAnotherRankIsEnough) {
  for (const bool is_gemm : {false, true}) {
    ModelProto model = empty_model();
    add_tensor(model, "m", TensorProto::INT8, {2, 2}, {1, 2, 3, 4});
    add_tensor(model, "stack", TensorProto::INT8, {1, 32, 2}, std::vector<int32_t>(64, 1));
    add_node(model, "QuantizeLinear", {"x", "scale", "zero"}, "q");
    add_node(model, "Flatten", {"q"}, "f");
    if (is_gemm) {
      add_node(model, "QGemm", {"q", "scale", "zero", "m", "scale", "zero_w", "b", "scale", "zero"}, "y")
          .set_domain("com.microsoft");
    } else {
      add_node(model, "QLinearMatMul", {"f", "scale", "zero", "stack", "scale", "zero_w", "scale", "zero"}, "y");
    }
    const Result<srdfg::Graph> graph = load(model);
    ASSERT_FALSE(graph);
    EXPECT_EQ(graph.error().code, "ONX0010") << render(graph.error());
    const std::string_view said = is_gemm ? "a Gemm is of two matrices" : "a product by constants is one by a matrix";
    EXPECT_EQ(graph.error().message, said);
  }
}

TEST(BadAdd, TwoConstantsAreRefused) {
  ModelProto model = empty_model();
  onnx::NodeProto& add =
      add_node(model, "QLinearAdd", {"zero", "scale", "zero", "zero", "scale", "zero", "scale", "zero"}, "y");
  add.set_domain("com.microsoft");
  const Result<srdfg::Graph> graph = load(model);
  ASSERT_FALSE(graph);
  EXPECT_EQ(graph.error().code, "ONX0014") << render(graph.error());
}

TEST(BadAdd, ShapesThatDoNotFitAreRefused) {
  ModelProto model = empty_model();
  add_node(model, "QuantizeLinear", {"x", "scale", "zero"}, "q");
  add_node(model, "Transpose", {"q"}, "turned");
  onnx::NodeProto& add =
      add_node(model, "QLinearAdd", {"q", "scale", "zero", "turned", "scale", "zero", "scale", "zero"}, "y");
  add.set_domain("com.microsoft");
  const Result<srdfg::Graph> graph = load(model);
  ASSERT_FALSE(graph);
  EXPECT_EQ(graph.error().code, "ONX0009") << render(graph.error());
  EXPECT_NE(graph.error().message.find("do not fit"), std::string::npos);
}

}  // namespace
}  // namespace covenant::compiler::frontend
