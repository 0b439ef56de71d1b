#include "compiler/layers/axis_layers.h"

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "compiler/network/axis_views.h"
#include "compiler/network/layer_params.h"
#include "compiler/srdfg/softmax_table.h"

namespace covenant::compiler {
namespace {

/// Binds the inputs to these tensors of the codelet, in order, and the output to `made`.
Status bind_along_axis(LayerBuilder& builder, std::initializer_list<const char*> tensors, const char* made) {
  const srdfg::Node& node = builder.node;
  const std::vector<uint64_t>& shape = builder.input(0).shape;
  const auto axis = static_cast<size_t>(srdfg::integer_attribute(node, "axis"));
  const std::vector<size_t> order = axis_order(shape, axis);
  builder.tensors.keep_shape(node.inputs[0]);  // results have as many dimensions
  size_t i = 0;
  for (const char* tensor : tensors) {
    if (Status status = builder.read(tensor, node.inputs.at(i++), AccessLayout::kLanes, order); !status) return status;
  }
  if (Status status = builder.write(made, node.outputs.at(0), order); !status) return status;
  const uint64_t length = shape[axis];
  set_count(builder.layer, "P", srdfg::element_count(shape) / length / shape[order.back()]);
  set_count(builder.layer, "D", length);
  return Done{};
}

/// The exponentials, the node's last input.
void set_table(LayerBuilder& builder) {
  const srdfg::Value& table = builder.graph.get(builder.node.inputs.back());
  builder.layer.layer.params["TABLE"] = codelet::Constant{DType::kF32, 0, 0, table.data};
}

}  // namespace

Status bind_reduce_max(LayerBuilder& builder) {
  builder.layer.elementwise = srdfg::element_count(builder.input(0).shape);
  return bind_along_axis(builder, {"x"}, "y");
}

Status bind_softmax_sum(LayerBuilder& builder) {
  builder.layer.elementwise = 3 * srdfg::element_count(builder.input(0).shape);
  set_table(builder);
  return bind_along_axis(builder, {"x", "m"}, "s");
}

Status bind_softmax_quotient(LayerBuilder& builder) {
  builder.layer.elementwise = 4 * srdfg::element_count(builder.input(0).shape);
  set_table(builder);
  const srdfg::Quantization& y = builder.output().quantization.value();
  set_real(builder.layer, "STEPS", srdfg::steps_to_one(y.scales.at(0)));
  builder.layer.layer.params["ZY"] = y.zero_points.at(0);
  set_range(builder.node, builder.layer);
  return bind_along_axis(builder, {"x", "m", "s"}, "y");
}

}  // namespace covenant::compiler
