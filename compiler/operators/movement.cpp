#include <algorithm>
#include <array>

#include "compiler/operators/checks.h"
#include "compiler/operators/table.h"
#include "compiler/srdfg/queries.h"

namespace covenant::compiler::operators {
namespace {

using srdfg::Graph;
using srdfg::integers_attribute;
using srdfg::Node;

constexpr const char* kWrongRank = "an input or output of the wrong rank";
constexpr const char* kWrongEntry = "an entry of a list attribute is out of range";

/// Checks that these attributes have an entry for each dimension, of which input and output have the same number.
std::string mistake_in_lists(const Node& node, const Graph& graph, std::initializer_list<const char*> names) {
  const size_t rank = shape_of_input(node, graph).size();
  for (const char* name : names) {
    if (integers_attribute(node, name).size() != rank) return "an attribute is no list of the right length";
  }
  return shape_of_output(node, graph).size() == rank ? "" : kWrongRank;
}

std::string mistake_in_reshape(const Node& node, const Graph& graph) {
  const uint64_t elements = srdfg::element_count(shape_of_input(node, graph));
  return elements == srdfg::element_count(shape_of_output(node, graph)) ? "" : kWrongShapes;
}

std::string mistake_in_transpose(const Node& node, const Graph& graph) {
  if (std::string mistake = mistake_in_lists(node, graph, {"permutation"}); !mistake.empty()) return mistake;
  const Shape& x = shape_of_input(node, graph);
  const Shape& y = shape_of_output(node, graph);
  const std::vector<int64_t>& permutation = integers_attribute(node, "permutation");
  std::vector<bool> seen(x.size());
  for (size_t d = 0; d < x.size(); ++d) {
    const int64_t from = permutation[d];
    if (from < 0 || static_cast<size_t>(from) >= x.size() || seen[static_cast<size_t>(from)]) {
      return "a permutation that does not name every dimension once";
    }
    seen[static_cast<size_t>(from)] = true;
    if (y[d] != x[static_cast<size_t>(from)]) return kWrongShapes;
  }
  return "";
}

std::string mistake_in_slice(const Node& node, const Graph& graph) {
  if (std::string mistake = mistake_in_lists(node, graph, {"starts", "steps"}); !mistake.empty()) return mistake;
  const Shape& x = shape_of_input(node, graph);
  const Shape& y = shape_of_output(node, graph);
  for (size_t d = 0; d < x.size(); ++d) {
    const int64_t start = integers_attribute(node, "starts")[d];
    const int64_t step = integers_attribute(node, "steps")[d];
    if (start < 0 || step < 1 || step > INT32_MAX || y[d] == 0) return kWrongEntry;
    const uint64_t last = static_cast<uint64_t>(start) + (y[d] - 1) * static_cast<uint64_t>(step);
    if (last >= x[d]) return "a slice that goes past the end of its input";
  }
  return "";
}

std::string mistake_in_repeat(const Node& node, const Graph& graph) {
  if (std::string mistake = mistake_in_lists(node, graph, {"factors"}); !mistake.empty()) return mistake;
  const Shape& x = shape_of_input(node, graph);
  const Shape& y = shape_of_output(node, graph);
  for (size_t d = 0; d < x.size(); ++d) {
    const int64_t factor = integers_attribute(node, "factors")[d];
    if (factor < 1 || factor > INT32_MAX) return kWrongEntry;
    if (y[d] != x[d] * static_cast<uint64_t>(factor)) return kWrongShapes;
  }
  return "";
}

std::string mistake_in_pad(const Node& node, const Graph& graph) {
  if (std::string mistake = mistake_in_lists(node, graph, {"before", "after"}); !mistake.empty()) return mistake;
  const Shape& x = shape_of_input(node, graph);
  const Shape& y = shape_of_output(node, graph);
  for (size_t d = 0; d < x.size(); ++d) {
    const int64_t before = integers_attribute(node, "before")[d];
    const int64_t after = integers_attribute(node, "after")[d];
    if (std::min(before, after) < 0 || std::max(before, after) > INT32_MAX) return kWrongEntry;
    if (y[d] != x[d] + static_cast<uint64_t>(before + after)) return kWrongShapes;
  }
  return "";
}

/// All inputs of a concat are quantised alike.
std::string mistake_in_parts(const Node& node, const Graph& graph) {
  const srdfg::Value& x = graph.get(node.inputs[0]);
  const bool are_alike = std::ranges::all_of(node.inputs, [&](srdfg::ValueId id) {
    return graph.get(id).dtype == x.dtype && graph.get(id).quantization == x.quantization;
  });
  return are_alike ? "" : "inputs quantised differently";
}

std::string mistake_in_concat(const Node& node, const Graph& graph) {
  const Shape& y = shape_of_output(node, graph);
  const int64_t axis = srdfg::integer_attribute(node, "axis");
  if (axis < 0 || static_cast<size_t>(axis) >= y.size()) return "an axis outside the shape";
  uint64_t total = 0;
  for (const srdfg::ValueId id : node.inputs) {
    Shape shape = graph.get(id).shape;
    if (shape.size() != y.size()) return kWrongRank;
    total += shape[static_cast<size_t>(axis)];
    shape[static_cast<size_t>(axis)] = y[static_cast<size_t>(axis)];
    if (shape != y) return kWrongShapes;
  }
  return total == y[static_cast<size_t>(axis)] ? "" : kWrongShapes;
}

constexpr std::array kPermutation{AttributeRule{"permutation", dimensions_mistake}};
constexpr std::array kSteps{AttributeRule{"starts", dimensions_mistake}, AttributeRule{"steps", dimensions_mistake}};
constexpr std::array kFactors{AttributeRule{"factors", dimensions_mistake}};
constexpr std::array kMargins{AttributeRule{"before", dimensions_mistake}, AttributeRule{"after", dimensions_mistake}};
constexpr std::array kConcatAxis{kAxis};

constexpr Operator movement(std::string_view name, Movement how, std::span<const AttributeRule> attributes,
                            std::string (*shapes)(const Node&, const Graph&)) {
  return {.name = name,
          .kind = OperatorClass::kMovement,
          .movement = how,
          .keeps_quantization = true,
          .attributes = attributes,
          .shapes = shapes};
}

constexpr Operator concat() {
  Operator row = movement("concat", Movement::kConcat, kConcatAxis, mistake_in_concat);
  row.most_inputs = kAnyNumber;
  row.writes_parts = true;
  row.operands = mistake_in_parts;
  return row;
}

constexpr std::array kRows{
    movement("reshape", Movement::kReshape, {}, mistake_in_reshape),
    movement("transpose", Movement::kTranspose, kPermutation, mistake_in_transpose),
    movement("slice", Movement::kSlice, kSteps, mistake_in_slice),
    movement("repeat", Movement::kRepeat, kFactors, mistake_in_repeat),
    movement("pad", Movement::kPad, kMargins, mistake_in_pad),
    concat(),
};

}  // namespace

std::span<const Operator> movement_operators() { return kRows; }

}  // namespace covenant::compiler::operators
