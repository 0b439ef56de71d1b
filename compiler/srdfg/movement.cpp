#include "compiler/srdfg/movement.h"

#include <algorithm>
#include <array>

#include "compiler/srdfg/queries.h"

namespace covenant::compiler::srdfg {
namespace {

using Shape = std::vector<uint64_t>;

/// Checks that the attributes of a node are exactly these lists.
std::string_view mistake_in_lists(const Node& node, std::initializer_list<const char*> names, size_t length) {
  for (const char* name : names) {
    const auto found = node.attributes.find(name);
    if (found == node.attributes.end()) return "an attribute is missing";
    const auto* list = std::get_if<std::vector<int64_t>>(&found->second);
    if (list == nullptr || list->size() != length) return "an attribute is no list of the right length";
  }
  return node.attributes.size() == names.size() ? "" : "an attribute that the operation does not have";
}

std::string_view mistake_in_transpose(const Node& node, const Shape& x, const Shape& y) {
  if (const auto mistake = mistake_in_lists(node, {"permutation"}, x.size()); !mistake.empty()) return mistake;
  const std::vector<int64_t>& permutation = integers_attribute(node, "permutation");
  std::vector<bool> seen(x.size());
  if (y.size() != x.size()) return "an input or output of the wrong rank";
  for (size_t d = 0; d < x.size(); ++d) {
    const int64_t from = permutation[d];
    if (from < 0 || static_cast<size_t>(from) >= x.size() || seen[static_cast<size_t>(from)]) {
      return "a permutation that does not name every dimension once";
    }
    seen[static_cast<size_t>(from)] = true;
    if (y[d] != x[static_cast<size_t>(from)]) return "shapes that do not fit the operation";
  }
  return "";
}

std::string_view mistake_in_slice(const Node& node, const Shape& x, const Shape& y) {
  if (const auto mistake = mistake_in_lists(node, {"starts", "steps"}, x.size()); !mistake.empty()) return mistake;
  if (y.size() != x.size()) return "an input or output of the wrong rank";
  for (size_t d = 0; d < x.size(); ++d) {
    const int64_t start = integers_attribute(node, "starts")[d];
    const int64_t step = integers_attribute(node, "steps")[d];
    if (start < 0 || step < 1 || step > INT32_MAX || y[d] == 0) return "an entry of a list attribute is out of range";
    const uint64_t last = static_cast<uint64_t>(start) + (y[d] - 1) * static_cast<uint64_t>(step);
    if (last >= x[d]) return "a slice that goes past the end of its input";
  }
  return "";
}

std::string_view mistake_in_repeat(const Node& node, const Shape& x, const Shape& y) {
  if (const auto mistake = mistake_in_lists(node, {"factors"}, x.size()); !mistake.empty()) return mistake;
  if (y.size() != x.size()) return "an input or output of the wrong rank";
  for (size_t d = 0; d < x.size(); ++d) {
    const int64_t factor = integers_attribute(node, "factors")[d];
    if (factor < 1 || factor > INT32_MAX) return "an entry of a list attribute is out of range";
    if (y[d] != x[d] * static_cast<uint64_t>(factor)) return "shapes that do not fit the operation";
  }
  return "";
}

std::string_view mistake_in_pad(const Node& node, const Shape& x, const Shape& y) {
  if (const auto mistake = mistake_in_lists(node, {"before", "after"}, x.size()); !mistake.empty()) return mistake;
  if (y.size() != x.size()) return "an input or output of the wrong rank";
  for (size_t d = 0; d < x.size(); ++d) {
    const int64_t before = integers_attribute(node, "before")[d];
    const int64_t after = integers_attribute(node, "after")[d];
    if (std::min(before, after) < 0 || std::max(before, after) > INT32_MAX) {
      return "an entry of a list attribute is out of range";
    }
    if (y[d] != x[d] + static_cast<uint64_t>(before + after)) return "shapes that do not fit the operation";
  }
  return "";
}

std::string_view mistake_in_concat(const Node& node, const Graph& graph) {
  const Shape& y = graph.get(node.outputs[0]).shape;
  const auto found = node.attributes.find("axis");
  if (found == node.attributes.end() || node.attributes.size() != 1) return "an attribute is missing, or one too many";
  const auto* axis = std::get_if<int64_t>(&found->second);
  if (axis == nullptr || *axis < 0 || static_cast<size_t>(*axis) >= y.size()) return "an axis outside the shape";
  uint64_t total = 0;
  for (const ValueId id : node.inputs) {
    Shape shape = graph.get(id).shape;
    if (shape.size() != y.size()) return "an input or output of the wrong rank";
    total += shape[static_cast<size_t>(*axis)];
    shape[static_cast<size_t>(*axis)] = y[static_cast<size_t>(*axis)];
    if (shape != y) return "shapes that do not fit the operation";
  }
  return total == y[static_cast<size_t>(*axis)] ? "" : "shapes that do not fit the operation";
}

}  // namespace

bool is_movement(std::string_view operation) {
  constexpr std::array<std::string_view, 6> kMovements{"reshape", "transpose", "slice", "repeat", "pad", "concat"};
  return std::ranges::find(kMovements, operation) != kMovements.end();
}

std::string_view mistake_in_movement(const Node& node, const Graph& graph) {
  const Shape& x = graph.get(node.inputs[0]).shape;
  const Shape& y = graph.get(node.outputs[0]).shape;
  if (node.operation == "concat") return mistake_in_concat(node, graph);
  if (node.inputs.size() != 1) return "the wrong number of inputs or outputs";
  if (node.operation == "transpose") return mistake_in_transpose(node, x, y);
  if (node.operation == "slice") return mistake_in_slice(node, x, y);
  if (node.operation == "repeat") return mistake_in_repeat(node, x, y);
  if (node.operation == "pad") return mistake_in_pad(node, x, y);
  if (!node.attributes.empty()) return "an attribute that the operation does not have";
  return element_count(x) == element_count(y) ? "" : "shapes that do not fit the operation";
}

}  // namespace covenant::compiler::srdfg
