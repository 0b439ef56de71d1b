/// Small ONNX models, made node by node.
#pragma once

#include <onnx/onnx_pb.h>
#include <string>
#include <vector>

#include "compiler/frontends/onnx/normalize.h"
#include "compiler/frontends/onnx/onnx.h"

namespace covenant::compiler::frontend {

inline onnx::TensorProto& add_tensor(onnx::ModelProto& model, const std::string& name, int32_t type,
                                     const std::vector<int64_t>& shape, const std::vector<int32_t>& elements) {
  onnx::TensorProto& tensor = *model.mutable_graph()->add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(type);
  for (int64_t extent : shape) tensor.add_dims(extent);
  for (int32_t element : elements) {
    if (type == onnx::TensorProto::FLOAT) {
      tensor.add_float_data(static_cast<float>(element) / 16);
    } else if (type == onnx::TensorProto::INT64) {
      tensor.add_int64_data(element);
    } else {
      tensor.add_int32_data(element);
    }
  }
  return tensor;
}

inline onnx::NodeProto& add_node(onnx::ModelProto& model, const std::string& operation,
                                 const std::vector<std::string>& inputs, const std::string& output) {
  onnx::NodeProto& node = *model.mutable_graph()->add_node();
  node.set_op_type(operation);
  node.set_name("the " + output);
  for (const std::string& input : inputs) node.add_input(input);
  node.add_output(output);
  return node;
}

inline void add_ints(onnx::NodeProto& node, const std::string& name, const std::vector<int64_t>& entries) {
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::INTS);
  for (int64_t entry : entries) attribute.add_ints(entry);
}

inline void add_int(onnx::NodeProto& node, const std::string& name, int64_t number) {
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::INT);
  attribute.set_i(number);
}

/// Input x f32 [1,2,4,4], output y; constants `scale` 1/16, `zero` u8 3, `zero_w` i8 0, `zero_b` i32 0, `w` i8
/// [2,2,1,1], `b` i32 [2], `half` f32 1/2.
inline onnx::ModelProto empty_model() {
  onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(17);
  model.mutable_graph()->set_name("test");
  onnx::ValueInfoProto& input = *model.mutable_graph()->add_input();
  input.set_name("x");
  auto& type = *input.mutable_type()->mutable_tensor_type();
  type.set_elem_type(onnx::TensorProto::FLOAT);
  for (int64_t extent : {1, 2, 4, 4}) type.mutable_shape()->add_dim()->set_dim_value(extent);
  model.mutable_graph()->add_output()->set_name("y");
  add_tensor(model, "scale", onnx::TensorProto::FLOAT, {}, {1});
  add_tensor(model, "half", onnx::TensorProto::FLOAT, {}, {8});
  add_tensor(model, "zero", onnx::TensorProto::UINT8, {}, {3});
  add_tensor(model, "zero_w", onnx::TensorProto::INT8, {}, {0});
  add_tensor(model, "zero_b", onnx::TensorProto::INT32, {}, {0});
  add_tensor(model, "w", onnx::TensorProto::INT8, {2, 2, 1, 1}, {1, -128, 127, 4});
  add_tensor(model, "b", onnx::TensorProto::INT32, {2}, {5, 6});
  return model;
}

/// QuantizeLinear -> QLinearConv -> DequantizeLinear.
inline onnx::ModelProto qoperator_model() {
  onnx::ModelProto model = empty_model();
  add_node(model, "QuantizeLinear", {"x", "scale", "zero"}, "q");
  add_node(model, "QLinearConv", {"q", "scale", "zero", "w", "scale", "zero_w", "scale", "zero", "b"}, "c");
  add_node(model, "DequantizeLinear", {"c", "scale", "zero"}, "y");
  return model;
}

/// QuantizeLinear -> DequantizeLinear -> Conv -> Relu -> QuantizeLinear -> DequantizeLinear; node 4 is the Conv.
inline onnx::ModelProto qdq_model() {
  onnx::ModelProto model = empty_model();
  add_tensor(model, "scale_b", onnx::TensorProto::FLOAT, {}, {0}).set_float_data(0, 1.0F / 256);
  add_node(model, "QuantizeLinear", {"x", "scale", "zero"}, "q");
  add_node(model, "DequantizeLinear", {"q", "scale", "zero"}, "d");
  add_node(model, "DequantizeLinear", {"w", "scale", "zero_w"}, "wd");
  add_node(model, "DequantizeLinear", {"b", "scale_b", "zero_b"}, "bd");
  add_node(model, "Conv", {"d", "wd", "bd"}, "c");
  add_node(model, "Relu", {"c"}, "r");
  add_node(model, "QuantizeLinear", {"r", "scale", "zero"}, "e");
  add_node(model, "DequantizeLinear", {"e", "scale", "zero"}, "y");
  return model;
}

inline Result<srdfg::Graph> load(const onnx::ModelProto& model) {
  Result<srdfg::Graph> graph = read_onnx_bytes(model.SerializeAsString());
  return graph ? normalize(*graph) : graph;
}

}  // namespace covenant::compiler::frontend
