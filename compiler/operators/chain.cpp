#include "compiler/srdfg/chain.h"

#include <algorithm>
#include <array>

#include "compiler/operators/checks.h"
#include "compiler/operators/table.h"
#include "compiler/srdfg/queries.h"

namespace covenant::compiler::operators {
namespace {

using srdfg::Graph;
using srdfg::Node;
using srdfg::Value;
using srdfg::ValueId;

constexpr std::array kAttributes{
    AttributeRule{"steps",
                  [](const srdfg::Attribute& attribute) {
                    const bool is_text = std::holds_alternative<std::string>(attribute);
                    return std::string(is_text ? "" : "steps that are no chain on its inputs");
                  }},
};

std::string operands_mistake(const Node& node, const Graph& graph) {
  if (!srdfg::chain_steps(std::get<std::string>(node.attributes.at("steps")), node.inputs.size())) {
    return "steps that are no chain on its inputs";
  }
  const auto is_operand = [&](ValueId id) {
    const Value& value = graph.get(id);
    const bool is_real = value.dtype == DType::kF32 && value.modifier != srdfg::Modifier::kState;
    return srdfg::is_activation(value) || is_real;
  };
  return std::ranges::all_of(node.inputs, is_operand) ? "" : "an operand of the wrong dtype or quantisation";
}

std::string shapes_mistake(const Node& node, const Graph& graph) {
  const std::vector<uint64_t>& y = graph.get(node.outputs[0]).shape;
  const bool fits = std::ranges::all_of(node.inputs, [&](ValueId id) { return graph.get(id).shape == y; });
  return fits ? "" : kWrongShapes;
}

constexpr std::array kRows{
    Operator{.name = "float_chain",
             .kind = OperatorClass::kChain,
             .most_inputs = kAnyNumber,
             .clamps = true,
             .attributes = kAttributes,
             .operands = operands_mistake,
             .shapes = shapes_mistake},
};

}  // namespace

std::span<const Operator> chain_operators() { return kRows; }

}  // namespace covenant::compiler::operators
