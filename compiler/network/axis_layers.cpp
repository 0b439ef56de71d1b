#include "compiler/network/axis_layers.h"

#include <algorithm>
#include <array>
#include <vector>

#include "compiler/codelet/vector_sizes.h"
#include "compiler/network/layer_params.h"
#include "compiler/srdfg/templates.h"

namespace covenant::compiler {
namespace {

using srdfg::Graph;
using srdfg::Node;

}  // namespace

bool is_along_axis(const std::string& operation) {
  return operation == "reduce_max" || operation == "softmax_sum" || operation == "softmax_quotient";
}

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

Status bind_along_axis(const Graph& graph, const Node& node, const std::vector<size_t>& order, NetworkLayer& layer,
                       const ActivationBinder& bind_activation) {
  constexpr std::array<const char*, 3> kInputs{"x", "m", "s"};
  const bool has_table = node.operation != "reduce_max";
  const size_t tensors = node.inputs.size() - (has_table ? 1 : 0);
  for (size_t i = 0; i < tensors; ++i) {
    if (Status status = bind_activation(kInputs.at(i), node.inputs[i]); !status) return status;
  }
  const bool sums = node.operation == "softmax_sum";
  if (Status status = bind_activation(sums ? "s" : "y", node.outputs.at(0)); !status) return status;

  const std::vector<uint64_t>& shape = graph.get(node.inputs[0]).shape;
  const uint64_t length = shape[order[order.size() - 2]];
  const uint64_t elements = srdfg::element_count(shape);
  set_count(layer, "P", elements / length / shape[order.back()]);
  set_count(layer, "D", length);
  layer.elementwise = elements * (sums ? 3 : has_table ? 4 : 1);
  if (!has_table) return Done{};
  layer.layer.params["TABLE"] = codelet::Constant{DType::kF32, 0, 0, graph.get(node.inputs.back()).data};
  if (sums) return Done{};
  const srdfg::Quantization& y = graph.get(node.outputs[0]).quantization.value();
  set_real(layer, "STEPS", srdfg::steps_to_one(y.scales.at(0)));
  layer.layer.params["ZY"] = y.zero_points.at(0);
  set_range(node, layer);
  return Done{};
}

}  // namespace covenant::compiler
