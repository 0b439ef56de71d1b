#include "compiler/frontends/onnx/onnx.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <limits>
#include <onnx/onnx_pb.h>
#include <set>

#include "compiler/frontends/onnx/attributes.h"
#include "compiler/frontends/onnx/check_graph.h"
#include "compiler/frontends/onnx/expand.h"
#include "compiler/frontends/onnx/onnx_tensor.h"
#include "compiler/frontends/onnx/operators.h"
#include "compiler/frontends/onnx/refusal.h"
#include "compiler/frontends/onnx/shapes.h"
#include "compiler/srdfg/queries.h"

namespace covenant::compiler::frontend {
namespace {

using srdfg::Graph;
using srdfg::Modifier;
using srdfg::Node;
using srdfg::Value;
using srdfg::ValueId;

constexpr int64_t kOldestOpset = 10;
constexpr int64_t kNewestOpset = 25;

/// The graph so far, and the value of each name in it.
struct Reading {
  Graph graph;
  std::map<std::string, ValueId> ids;
  const srdfg::DeclaredOperators& declared;
  int64_t opset = 0;  ///< opset of ONNX's own operators

  ValueId add(Value value) {
    const ValueId id{static_cast<uint32_t>(graph.values.size())};
    ids[value.name] = id;
    graph.values.push_back(std::move(value));
    return id;
  }
};

Diagnostic no_model(std::string message) {
  return diagnostic({.code = kNoModel,
                     .subject = "",
                     .message = std::move(message),
                     .offending = "",
                     .allowed = {"an ONNX model (protobuf)"},
                     .fix = "check the file with python -c \"import onnx; onnx.checker.check_model('model.onnx')\"; a "
                            "truncated download has to be fetched again"});
}

Diagnostic twice(const std::string& subject, const std::string& name) {
  return diagnostic({.code = kDisconnected,
                     .subject = subject,
                     .message = "two things in the model have one name",
                     .offending = name,
                     .allowed = {},
                     .fix = "give every value one producer"});
}

std::string operator_name(const onnx::NodeProto& node) {
  const bool own = node.domain().empty() || node.domain() == "ai.onnx";
  // Before opset 21 ONNX Runtime's own domain has those of 4 and 16 bits, which mean the same.
  const bool alike = node.op_type() == "QuantizeLinear" || node.op_type() == "DequantizeLinear";
  return own || (alike && node.domain() == "com.microsoft") ? node.op_type() : node.domain() + "." + node.op_type();
}

bool is_quantized(const onnx::GraphProto& graph) {
  return std::ranges::any_of(graph.node(), [](const onnx::NodeProto& node) {
    const OperatorRule* rule = find_operator(operator_name(node));
    return rule != nullptr && rule->quantized;
  });
}

/// The version of ONNX's own operators.
Result<int64_t> opset_of(const onnx::ModelProto& model) {
  for (const auto& opset : model.opset_import()) {
    if (!opset.domain().empty() && opset.domain() != "ai.onnx") continue;
    if (opset.version() >= kOldestOpset && opset.version() <= kNewestOpset) return opset.version();
    return diagnostic({.code = kOpset,
                       .subject = "",
                       .message = "the model's operator set is not supported",
                       .offending = fmt::format("opset {}", opset.version()),
                       .allowed = {fmt::format("{} to {}", kOldestOpset, kNewestOpset)},
                       .fix = "convert it: onnx.version_converter.convert_version(model, 17)"});
  }
  return no_model("the model does not say which operator set it uses");
}

Status add_param(Reading& reading, const onnx::TensorProto& tensor, const std::string& name) {
  if (name.empty() || reading.ids.contains(name)) return twice("initializer", name);
  Result<Value> value = read_tensor(tensor, name);
  if (!value) return value.error();
  reading.add(std::move(*value));
  return Done{};
}

Status add_input(Reading& reading, const onnx::ValueInfoProto& input) {
  if (reading.ids.contains(input.name())) {  // before IR version 4 every initializer is listed as an input too
    const Modifier modifier = reading.graph.get(reading.ids[input.name()]).modifier;
    return modifier == Modifier::kParam ? Status(Done{}) : Status(twice("graph inputs", input.name()));
  }
  const auto& type = input.type().tensor_type();
  const auto dtype = dtype_of(type.elem_type());
  if (!input.type().has_tensor_type() || !dtype || type.elem_type() == onnx::TensorProto::INT64) {
    return diagnostic({.code = kDtype,
                       .subject = input.name(),
                       .message = "the graph input's element type is not supported",
                       .offending = input.type().has_tensor_type() ? onnx_type_name(type.elem_type()) : "no tensor",
                       .allowed = {"FLOAT", "INT4", "UINT4", "INT8", "UINT8", "INT16", "UINT16"},
                       .fix = "quantised layers read float32, or what float operators before them make of it; a shape, "
                              "an axis or an index that they read has to be a constant"});
  }
  Value value{.name = input.name(), .dtype = *dtype, .modifier = Modifier::kInput};
  uint64_t count = 1;
  for (const auto& extent : type.shape().dim()) {
    const bool fixed =
        extent.has_dim_value() && extent.dim_value() > 0 && extent.dim_value() <= static_cast<int64_t>(kMostElements);
    count *= fixed ? static_cast<uint64_t>(extent.dim_value()) : 1;
    if (fixed && count <= kMostElements) {
      value.shape.push_back(static_cast<uint64_t>(extent.dim_value()));
      continue;
    }
    return diagnostic({.code = kDynamicShape,
                       .subject = input.name(),
                       .message = "the graph input has a dimension that is not fixed, or not within reason",
                       .offending = extent.has_dim_value() ? fmt::format("{}", extent.dim_value()) : extent.dim_param(),
                       .allowed = {"positive numbers"},
                       .fix = fmt::format("fix it, here to 1: python -m onnxruntime.tools.make_dynamic_shape_fixed "
                                          "--dim_param {} --dim_value 1 model.onnx fixed.onnx",
                                          extent.dim_param().empty() ? "NAME" : extent.dim_param())});
  }
  if (!type.has_shape()) {
    return diagnostic({.code = kDynamicShape,
                       .subject = input.name(),
                       .message = "the graph input has no shape",
                       .offending = "no shape",
                       .allowed = {"positive numbers"},
                       .fix = "python -m onnxruntime.tools.make_dynamic_shape_fixed --input_name NAME --input_shape "
                              "1,3,224,224 model.onnx fixed.onnx"});
  }
  reading.graph.inputs.push_back(reading.add(std::move(value)));
  return Done{};
}

Result<srdfg::Attribute> read_attribute(const onnx::AttributeProto& attribute, const Node& node) {
  switch (attribute.type()) {
    case onnx::AttributeProto::INT:
      return srdfg::Attribute(attribute.i());
    case onnx::AttributeProto::FLOAT:
      return srdfg::Attribute(static_cast<double>(attribute.f()));
    case onnx::AttributeProto::STRING:
      return srdfg::Attribute(attribute.s());
    case onnx::AttributeProto::INTS:
      return srdfg::Attribute(std::vector<int64_t>(attribute.ints().begin(), attribute.ints().end()));
    default:
      return diagnostic({.code = kAttribute,
                         .subject = subject_of(node),
                         .message = fmt::format("the attribute {} has a type that is not supported", attribute.name()),
                         .offending = onnx::AttributeProto_AttributeType_IsValid(attribute.type())
                                          ? onnx::AttributeProto_AttributeType_Name(attribute.type())
                                          : "an unknown type",
                         .allowed = {"INT", "FLOAT", "STRING", "INTS"},
                         .fix = "export the model again with a current exporter"});
  }
}

/// A Constant node is a param.
Status add_constant(Reading& reading, const onnx::NodeProto& proto) {
  if (proto.output_size() != 1 || proto.attribute_size() != 1) return twice("Constant", proto.name());
  const onnx::AttributeProto& attribute = proto.attribute(0);
  onnx::TensorProto tensor = attribute.t();
  if (attribute.name() == "value_float" || attribute.name() == "value_floats") {
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    if (attribute.name() == "value_floats") {
      tensor.add_dims(attribute.floats_size());
      *tensor.mutable_float_data() = attribute.floats();
    } else {
      tensor.add_float_data(attribute.f());
    }
  } else if (attribute.name() == "value_int" || attribute.name() == "value_ints") {
    tensor.set_data_type(onnx::TensorProto::INT64);
    if (attribute.name() == "value_ints") {
      tensor.add_dims(attribute.ints_size());
      *tensor.mutable_int64_data() = attribute.ints();
    } else {
      tensor.add_int64_data(attribute.i());
    }
  }
  return add_param(reading, tensor, proto.output(0));
}

Status check_node(const onnx::NodeProto& proto, const Node& node, const OperatorRule& rule) {
  const auto inputs = static_cast<size_t>(proto.input_size());
  const bool has_outputs = node.operation == "Split" ? proto.output_size() > 0 : proto.output_size() == 1;
  if (!has_outputs && proto.output_size() > 1) {
    return diagnostic({.code = kAttribute,
                       .subject = subject_of(node),
                       .message = "only the first output of this operator is supported",
                       .offending = fmt::format("{} outputs", proto.output_size()),
                       .allowed = {"1 output"},
                       .fix = "leave out the outputs after the first; what reads them has to be computed otherwise"});
  }
  if (inputs < rule.least_inputs || inputs > rule.most_inputs || !has_outputs) {
    return diagnostic({.code = kMalformed,
                       .subject = subject_of(node),
                       .message = "the operator has a number of inputs or outputs that is not supported",
                       .offending = fmt::format("{} inputs, {} outputs", inputs, proto.output_size()),
                       .allowed = {fmt::format("{} to {} inputs, 1 output", rule.least_inputs, rule.most_inputs)},
                       .fix = "check the model with onnx.checker.check_model(path, full_check=True)"});
  }
  for (const auto& attribute : proto.attribute()) {
    const bool known = std::ranges::find(rule.attributes, attribute.name()) != rule.attributes.end();
    if (known && !attribute.name().empty()) continue;
    std::vector<std::string> allowed;
    for (std::string_view name : rule.attributes) {
      if (!name.empty()) allowed.emplace_back(name);
    }
    return diagnostic({.code = kAttribute,
                       .subject = subject_of(node),
                       .message = "the operator has an attribute that is not known",
                       .offending = attribute.name(),
                       .allowed = std::move(allowed),
                       .fix = "convert the model to opset 17: onnx.version_converter.convert_version(model, 17)"});
  }
  return Done{};
}

Status connect_inputs(Reading& reading, const onnx::NodeProto& proto, size_t required, Node& node) {
  for (int i = 0; i < proto.input_size(); ++i) {
    const std::string& name = proto.input(i);
    if (name.empty() && static_cast<size_t>(i) >= required) {
      if (!reading.ids.contains("")) reading.add({.name = "", .shape = {0}, .modifier = Modifier::kParam});
    } else if (name.empty() || !reading.ids.contains(name)) {
      return diagnostic({.code = kDisconnected,
                         .subject = subject_of(node),
                         .message = fmt::format("input {} is made by nothing before this node", i),
                         .offending = name,
                         .allowed = {},
                         .fix = "sort the nodes topologically and keep every producer; onnx.checker.check_model names "
                                "what is missing"});
    }
    node.inputs.push_back(reading.ids[name]);
  }
  return Done{};
}

/// Inputs that must be present; those of QGemm after the sixth may be left out, and those of Resize after the first.
size_t required_inputs(const Node& node, const OperatorRule& rule) {
  if (node.operation == "Resize") return 1;
  return node.operation == "com.microsoft.QGemm" ? 6 : std::min<size_t>(rule.least_inputs, 2);
}

Status add_node(Reading& reading, const onnx::NodeProto& proto);

/// Adds the nodes that replace a node.
Status add_expanded(Reading& reading, const onnx::NodeProto& proto, const Node& node) {
  std::map<std::string, const Value*> constants;
  for (int i = 1; i < proto.input_size(); ++i) {
    constants[proto.input(i)] = &reading.graph.get(node.inputs[static_cast<size_t>(i)]);
  }
  const Result<std::vector<onnx::NodeProto>> nodes = expanded(proto, reading.graph.get(node.inputs.at(0)), constants);
  if (!nodes) return nodes.error();
  for (const onnx::NodeProto& one : *nodes) {
    if (Status status = add_node(reading, one); !status) return status;
  }
  return Done{};
}

Status add_node(Reading& reading, const onnx::NodeProto& proto) {
  Node node{.name = proto.name(), .operation = operator_name(proto), .body = {}};
  if (node.name.empty() && proto.output_size() > 0) node.name = proto.output(0);
  const OperatorRule* rule = find_operator(node.operation);
  const srdfg::DeclaredOperator* extra = find_declared(reading.declared, node.operation);
  if (rule == nullptr && extra == nullptr) return unsupported_operator(node);
  const OperatorRule declared_rule{node.operation, extra ? extra->inputs : 0, extra ? extra->inputs : 0, {}, false};
  if (rule == nullptr) rule = &declared_rule;
  if (Status status = check_node(proto, node, *rule); !status) return status;
  if (node.operation == "Constant") return add_constant(reading, proto);
  if (Status status = connect_inputs(reading, proto, required_inputs(node, *rule), node); !status) return status;
  const Value& first = reading.graph.get(node.inputs.at(0));
  if (srdfg::element_count(first.shape) == 0) return malformed(node, "its first operand has no elements", first.name);
  if (is_expanded(node.operation)) return add_expanded(reading, proto, node);
  for (const auto& attribute : proto.attribute()) {
    Result<srdfg::Attribute> value = read_attribute(attribute, node);
    if (!value) return value.error();
    node.attributes[attribute.name()] = std::move(*value);
  }
  Result<TensorType> type =
      rule == &declared_rule ? elementwise_output(reading.graph, node) : infer_output(reading.graph, node);
  if (!type) return type.error();
  if (node.operation.ends_with("Softmax")) {
    if (Status status = settle_axis(reading.opset, type->shape.size(), node); !status) return status;
  }
  const std::string& output = proto.output(0);
  if (output.empty() || reading.ids.contains(output)) return twice(subject_of(node), output);
  uint64_t count = 1;
  for (uint64_t extent : type->shape) {
    count = extent > kMostElements ? kMostElements + 1 : count * extent;
    if (count > kMostElements) {
      return diagnostic({.code = kTensorData,
                         .subject = subject_of(node),
                         .message = "the output has too many elements",
                         .offending = shape_text(type->shape),
                         .allowed = {fmt::format("at most {}", kMostElements)},
                         .fix = "check the shapes of the model"});
    }
  }
  if (count == 0) return malformed(node, "its result has no elements", shape_text(type->shape));
  node.outputs.push_back(reading.add({.name = output, .dtype = type->dtype, .shape = type->shape}));
  reading.graph.nodes.push_back(std::move(node));
  return Done{};
}

Status add_outputs(Reading& reading, const onnx::GraphProto& graph) {
  for (const auto& output : graph.output()) {
    const auto found = reading.ids.find(output.name());
    const bool made = found != reading.ids.end() && reading.graph.get(found->second).modifier == Modifier::kState;
    if (!made) {
      return diagnostic({.code = kDisconnected,
                         .subject = output.name(),
                         .message = "the graph output is made by no node, or listed twice",
                         .offending = output.name(),
                         .allowed = {},
                         .fix = "list as outputs what nodes of the graph make"});
    }
    reading.graph.values[found->second.value].modifier = Modifier::kOutput;
    reading.graph.outputs.push_back(found->second);
  }
  return Done{};
}

Result<Graph> convert(const onnx::ModelProto& model, const srdfg::DeclaredOperators& declared) {
  const onnx::GraphProto& graph = model.graph();
  if (!model.has_graph() || graph.node_size() == 0) return no_model("the file is not an ONNX model with a graph");
  if (const Status checked = check_graph(graph); !checked) return checked.error();
  const Result<int64_t> opset = opset_of(model);
  if (!opset) return opset.error();
  Reading reading{.graph = {}, .ids = {}, .declared = declared, .opset = *opset};
  reading.graph.name = graph.name();
  for (const auto& tensor : graph.initializer()) {
    if (Status status = add_param(reading, tensor, tensor.name()); !status) return status.error();
  }
  for (const auto& input : graph.input()) {
    if (Status status = add_input(reading, input); !status) return status.error();
  }
  for (const auto& node : graph.node()) {
    Status status = add_node(reading, node);
    if (!status) {
      const bool is_float = status.error().code == kOperator && !is_quantized(graph);
      return is_float ? float_model(status.error().subject) : status.error();
    }
  }
  if (Status status = add_outputs(reading, graph); !status) return status.error();
  return std::move(reading.graph);
}

}  // namespace

Result<Graph> read_onnx_bytes(std::string_view bytes, const srdfg::DeclaredOperators& declared) {
  onnx::ModelProto model;
  const bool fits = bytes.size() <= static_cast<size_t>(std::numeric_limits<int>::max());
  if (!fits || bytes.empty() || !model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return no_model("the file is not an ONNX model, or it is truncated");
  }
  return convert(model, declared);
}

Result<Graph> read_onnx(std::string_view path, const srdfg::DeclaredOperators& declared) {
  const std::filesystem::path file(path);
  std::error_code error;
  std::ifstream stream(file, std::ios::binary);
  if (!std::filesystem::is_regular_file(file, error) || !stream) {
    Diagnostic missing = diagnostic({.code = kNoFile,
                                     .subject = "",
                                     .message = "the model file does not exist or cannot be read",
                                     .offending = std::string(path),
                                     .allowed = {},
                                     .fix = "check the path; it is relative to the current directory"});
    missing.where.file = path;
    return missing;
  }
  const std::string bytes{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  Result<Graph> graph = read_onnx_bytes(bytes, declared);
  if (graph) return graph;
  Diagnostic diagnostic = graph.error();
  diagnostic.where.file = path;
  return diagnostic;
}

}  // namespace covenant::compiler::frontend
