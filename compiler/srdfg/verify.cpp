#include "compiler/srdfg/verify.h"

#include <algorithm>
#include <fmt/format.h>

#include "compiler/srdfg/queries.h"

namespace covenant::compiler::srdfg {
namespace {

constexpr uint64_t kMostElements = uint64_t{1} << 40;  ///< products of extents below this cannot overflow

Diagnostic broken(const Graph& graph, std::string_view subject, std::string_view message) {
  return {.code = "ONX0019",
          .where = {},
          .subject = subject.empty() ? graph.name : std::string(subject),
          .message = fmt::format("the graph is not well formed: {}", message),
          .offending = "",
          .allowed = {},
          .fix = "fix this value or node in the text; a graph that a pass made is never wrong in this way"};
}

bool plausible(const std::vector<uint64_t>& shape) {
  uint64_t count = 1;
  for (uint64_t extent : shape) {
    if (extent > kMostElements || (extent != 0 && count > kMostElements / extent)) return false;
    count *= extent;
  }
  return true;
}

std::string_view mistake_in(const Value& value) {
  if (!plausible(value.shape)) return "a shape of too many elements";
  if (value.modifier == Modifier::kParam) {
    const bool absent = value.name.empty() && value.data.empty();
    if (!absent && value.data.size() != element_count(value.shape) * bytes(value.dtype)) {
      return "data of a param that is longer or shorter than dtype and shape say";
    }
  } else if (!value.data.empty()) {
    return "data of a value that is no param";
  }
  if (!value.quantization) return "";
  const Quantization& quantization = *value.quantization;
  if (quantization.scales.size() != quantization.zero_points.size()) return "scales and zero points of unequal number";
  if (quantization.axis == -1) return quantization.scales.size() == 1 ? "" : "several scales without an axis";
  const auto axis = static_cast<size_t>(quantization.axis);
  if (quantization.axis < -1 || axis >= value.shape.size()) return "a quantisation axis outside the shape";
  return quantization.scales.size() == value.shape[axis] ? "" : "scales that are not as many as the axis is long";
}

bool same_tensor(const Value& a, const Value& b) {
  return a.dtype == b.dtype && a.shape == b.shape && a.quantization == b.quantization;
}

/// True if nodes of a body make all its outputs, each once.
bool makes_its_outputs(const Graph& body) {
  std::vector<bool> made(body.values.size());
  for (const Node& node : body.nodes) {
    for (const ValueId id : node.outputs) made[id.value] = true;
  }
  return std::ranges::all_of(body.outputs, [&](ValueId id) {
    const bool is_made = made[id.value];
    made[id.value] = false;
    return is_made;
  });
}

Status verify_body(const Graph& graph, const Node& node) {
  if (node.body.empty()) return Done{};
  if (node.body.size() > 1) return broken(graph, node.name, "a node with two bodies");
  const Graph& body = node.body.front();
  if (Status status = verify(body); !status) return status;
  const auto agree = [&](const std::vector<ValueId>& outer, const std::vector<ValueId>& inner) {
    return std::ranges::equal(outer, inner,
                              [&](ValueId a, ValueId b) { return same_tensor(graph.get(a), body.get(b)); });
  };
  if (!agree(node.inputs, body.inputs) || !agree(node.outputs, body.outputs)) {
    return broken(graph, node.name, "a body whose inputs or outputs are not those of the node");
  }
  if (!makes_its_outputs(body)) return broken(graph, node.name, "a body with an output that no node of it makes");
  return Done{};
}

}  // namespace

Status verify(const Graph& graph) {
  const auto in_range = [&](ValueId id) { return id.value < graph.values.size(); };
  for (const Value& value : graph.values) {
    if (const auto mistake = mistake_in(value); !mistake.empty()) return broken(graph, value.name, mistake);
  }
  if (!std::ranges::all_of(graph.inputs, in_range) || !std::ranges::all_of(graph.outputs, in_range)) {
    return broken(graph, "", "an input or output that is no value");
  }
  std::vector<bool> made(graph.values.size());
  for (size_t i = 0; i < made.size(); ++i) made[i] = graph.values[i].modifier == Modifier::kParam;
  for (ValueId id : graph.inputs) {
    if (made[id.value]) return broken(graph, graph.get(id).name, "an input that is a param or listed twice");
    if (graph.get(id).modifier != Modifier::kInput)
      return broken(graph, graph.get(id).name, "an input not called input");
    made[id.value] = true;
  }
  for (const Node& node : graph.nodes) {
    if (!std::ranges::all_of(node.inputs, in_range) || !std::ranges::all_of(node.outputs, in_range)) {
      return broken(graph, node.name, "a node that reads or makes what is no value");
    }
    for (ValueId id : node.inputs) {
      if (!made[id.value]) return broken(graph, node.name, fmt::format("%{} is used before it is made", id.value));
    }
    for (ValueId id : node.outputs) {
      if (made[id.value]) return broken(graph, node.name, fmt::format("%{} is made twice", id.value));
      if (graph.get(id).modifier == Modifier::kInput) return broken(graph, node.name, "a node makes a graph input");
      made[id.value] = true;
    }
    if (Status status = verify_body(graph, node); !status) return status;
  }
  for (ValueId id : graph.outputs) {
    if (!made[id.value]) return broken(graph, graph.get(id).name, "an output that nothing makes");
  }
  return Done{};
}

}  // namespace covenant::compiler::srdfg
