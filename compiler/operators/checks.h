/// Checks of attributes and shapes that several operators share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "compiler/operators/operator.h"

namespace covenant::compiler::operators {

inline constexpr const char* kWrongShapes = "shapes that do not fit the operation";
inline constexpr const char* kWrongDtypes = "operands of the wrong dtypes";

using Shape = std::vector<uint64_t>;

inline const Shape& shape_of_input(const srdfg::Node& node, const srdfg::Graph& graph) {
  return graph.get(node.inputs[0]).shape;
}

inline const Shape& shape_of_output(const srdfg::Node& node, const srdfg::Graph& graph) {
  return graph.get(node.outputs[0]).shape;
}

inline std::string same_shapes(const srdfg::Node& node, const srdfg::Graph& graph) {
  return shape_of_input(node, graph) == shape_of_output(node, graph) ? "" : kWrongShapes;
}

/// `length` integers of at least `least`.
template <size_t length, int64_t least>
std::string list_mistake(const srdfg::Attribute& attribute) {
  const auto* list = std::get_if<std::vector<int64_t>>(&attribute);
  if (list == nullptr || list->size() != length) return "an attribute is no list of the right length";
  const bool is_wrong = std::ranges::any_of(*list, [](int64_t entry) { return entry < least || entry > INT32_MAX; });
  return is_wrong ? "an entry of a list attribute is out of range" : "";
}

/// Integers, as many as the operand has dimensions: the operator's check of shapes counts them.
inline std::string dimensions_mistake(const srdfg::Attribute& attribute) {
  return std::holds_alternative<std::vector<int64_t>>(attribute) ? "" : "an attribute is no list of the right length";
}

inline std::string integer_mistake(const srdfg::Attribute& attribute) {
  return std::holds_alternative<int64_t>(attribute) ? "" : "an attribute is no integer";
}

inline constexpr AttributeRule kKernel{"kernel", list_mistake<2, 1>};
inline constexpr AttributeRule kStrides{"strides", list_mistake<2, 1>};
inline constexpr AttributeRule kPads{"pads", list_mistake<4, 0>};
inline constexpr AttributeRule kDilations{
    "dilations",
    [](const srdfg::Attribute& a) { return std::string(list_mistake<2, 1>(a).empty() ? "" : "wrong dilations"); },
    true};
inline constexpr AttributeRule kAxis{"axis", integer_mistake};

}  // namespace covenant::compiler::operators
