#include <array>

#include "compiler/operators/attributes.h"
#include "compiler/operators/table.h"

namespace covenant::compiler::operators {
namespace {

std::string same_shapes(const srdfg::Node& node, const srdfg::Graph& graph) {
  return graph.get(node.inputs[0]).shape == graph.get(node.outputs[0]).shape ? "" : kWrongShapes;
}

constexpr std::array kRows{
    Operator{.name = "quantize", .kind = OperatorClass::kBoundary, .reads = TensorKind::kReal, .shapes = same_shapes},
    Operator{.name = "dequantize", .kind = OperatorClass::kBoundary, .makes = TensorKind::kReal, .shapes = same_shapes},
};

}  // namespace

std::span<const Operator> boundary_operators() { return kRows; }

}  // namespace covenant::compiler::operators
