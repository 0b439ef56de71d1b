#include <array>

#include "compiler/operators/checks.h"
#include "compiler/operators/table.h"
#include "compiler/operators/windows.h"
#include "compiler/srdfg/queries.h"

namespace covenant::compiler::operators {
namespace {

using srdfg::Graph;
using srdfg::Node;
using srdfg::Value;

constexpr AttributeRule kCountPads{"count_pads",
                                   [](const srdfg::Attribute& attribute) {
                                     const bool is_one = attribute == srdfg::Attribute(int64_t{1});
                                     return std::string(is_one ? "" : "a count_pads that is not 1");
                                   },
                                   true};
constexpr std::array kWindow{kKernel, kStrides, kPads, kDilations};
constexpr std::array kAverage{kKernel, kStrides, kPads, kDilations, kCountPads};

std::string window_shapes(const Node& node, const Graph& graph) {
  const Value& x = graph.get(node.inputs[0]);
  const Value& y = graph.get(node.outputs[0]);
  const auto& kernel = srdfg::integers_attribute(node, "kernel");
  const bool fits = y.shape[1] == x.shape[1] &&
                    window_shape(node, x, y, static_cast<uint64_t>(kernel[0]), static_cast<uint64_t>(kernel[1]));
  return fits ? "" : kWrongShapes;
}

std::string global_shapes(const Node& node, const Graph& graph) {
  const std::vector<uint64_t>& x = graph.get(node.inputs[0]).shape;
  const bool fits = graph.get(node.outputs[0]).shape == std::vector<uint64_t>{x[0], x[1], 1, 1} && x[2] > 0 && x[3] > 0;
  return fits ? "" : kWrongShapes;
}

constexpr std::array kRows{
    Operator{.name = "max_pool",
             .kind = OperatorClass::kPool,
             .rank = 4,
             .writes_parts = true,
             .keeps_quantization = true,
             .attributes = kWindow,
             .shapes = window_shapes},
    Operator{.name = "average_pool",
             .kind = OperatorClass::kPool,
             .rank = 4,
             .writes_parts = true,
             .clamps = true,
             .attributes = kAverage,
             .shapes = window_shapes},
    Operator{.name = "global_average_pool",
             .kind = OperatorClass::kPool,
             .rank = 4,
             .clamps = true,
             .shapes = global_shapes},
};

}  // namespace

std::span<const Operator> pool_operators() { return kRows; }

}  // namespace covenant::compiler::operators
