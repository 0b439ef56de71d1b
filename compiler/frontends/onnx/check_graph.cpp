#include "compiler/frontends/onnx/check_graph.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>
#include <string>
#include <vector>

#include "acg/base/utf8.h"
#include "compiler/frontends/onnx/refusal.h"

namespace covenant::compiler::frontend {
namespace {

Status check_name(const std::string& what, const std::string& name) {
  if (is_utf8(name)) return Done{};
  return diagnostic({.code = kNoModel,
                     .subject = what,
                     .message = "a name is not text in UTF-8",
                     .offending = name,
                     .allowed = {},
                     .fix = "the file is damaged: fetch or export it again"});
}

Status check_names(const onnx::GraphProto& graph) {
  if (Status status = check_name("graph", graph.name()); !status) return status;
  for (const auto& tensor : graph.initializer()) {
    if (Status status = check_name("initializer", tensor.name()); !status) return status;
  }
  for (const auto* entries : {&graph.input(), &graph.output()}) {
    for (const auto& entry : *entries) {
      if (Status status = check_name("graph input or output", entry.name()); !status) return status;
    }
  }
  for (int i = 0; i < graph.node_size(); ++i) {
    const onnx::NodeProto& node = graph.node(i);
    std::vector<const std::string*> names{&node.name(), &node.op_type(), &node.domain()};
    for (const auto& name : node.input()) names.push_back(&name);
    for (const auto& name : node.output()) names.push_back(&name);
    for (const auto& attribute : node.attribute()) names.push_back(&attribute.name());
    for (const std::string* name : names) {
      if (Status status = check_name(fmt::format("node {}", i), *name); !status) return status;
    }
  }
  return Done{};
}

Status check_operators(const onnx::GraphProto& graph) {
  for (int i = 0; i < graph.node_size(); ++i) {
    const onnx::NodeProto& node = graph.node(i);
    if (!node.op_type().empty() && node.output_size() > 0) continue;
    return diagnostic({.code = kMalformed,
                       .subject = fmt::format("node {}", i),
                       .message = node.op_type().empty() ? "the node has no operator" : "the node makes nothing",
                       .offending = node.op_type().empty() ? node.name() : node.op_type(),
                       .allowed = {"an operator with at least one output"},
                       .fix = "remove the node, or export the model again"});
  }
  return Done{};
}

}  // namespace

Status check_graph(const onnx::GraphProto& graph) {
  if (graph.sparse_initializer_size() > 0) {
    return diagnostic({.code = kDtype,
                       .subject = "initializers",
                       .message = "sparse tensors are not supported",
                       .offending = "sparse_initializer",
                       .allowed = {"dense tensors"},
                       .fix = "store the weights densely"});
  }
  if (Status status = check_names(graph); !status) return status;
  return check_operators(graph);
}

}  // namespace covenant::compiler::frontend
