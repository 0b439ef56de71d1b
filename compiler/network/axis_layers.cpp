#include "compiler/network/axis_layers.h"

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "compiler/codelet/vector_sizes.h"
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

std::vector<size_t> axis_order(const std::vector<uint64_t>& shape, size_t axis) {
  size_t lanes = axis == 0 ? 1 : 0;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (d != axis && shape[d] >= shape[lanes]) lanes = d;
  }
  std::vector<size_t> order;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (d != axis && d != lanes) order.push_back(d);
  }
  order.insert(order.end(), {axis, lanes});
  return order;
}

std::vector<size_t> axis_order(const Network& network, const NetworkLayer& layer) {
  const auto shape_of = [&](const std::string& tensor) -> const std::vector<uint64_t>& {
    return network.activations[layer.activations.at(tensor)].shape;
  };
  const std::vector<uint64_t>& x = shape_of("x");
  const std::vector<uint64_t>& reduced = shape_of(layer.activations.contains("m") ? "m" : "y");
  size_t axis = 0;
  while (axis < x.size() && reduced[axis] == x[axis]) ++axis;
  if (axis < x.size()) return axis_order(x, axis);
  const auto single = std::ranges::find(x, uint64_t{1});  // any of one index: the others stay in their order
  return axis_order(x, static_cast<size_t>(single - x.begin()));
}

void fill_lanes(const Network& network, const acg::Machine& machine, NetworkLayer& layer) {
  const size_t dimension = axis_order(network, layer).back();
  const auto dimension_of = [&](size_t activation) -> const StorageDimension& {
    return network.activations[activation].storage.dimensions[dimension];
  };
  const uint64_t lanes = dimension_of(layer.activations.at("x")).size;
  uint64_t whole = lanes;
  for (const auto& [name, activation] : layer.activations) {
    whole = std::max(whole, codelet::padded_size(machine, network.activations[activation].dtype, lanes));
  }
  const auto has_room = [&](const auto& used) {
    const StorageDimension& one = dimension_of(used.second);
    return one.size + one.after >= whole && one.strides.size() == 1 && one.strides[0].stride == 1;
  };
  set_count(layer, "L", std::ranges::all_of(layer.activations, has_room) ? whole : lanes);
}

Storage along_axis(const Network& network, const NetworkLayer& layer, const Storage& storage) {
  Storage view = permuted(storage, axis_order(network, layer));
  StorageDimension& lanes = view.dimensions.back();
  const auto wanted = static_cast<uint64_t>(std::get<int64_t>(layer.layer.params.at("L")));
  lanes.after -= wanted - lanes.size;
  lanes.size = wanted;
  return view;
}

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
