#include "compiler/network/axis_views.h"

#include <algorithm>

#include "compiler/codelet/vector_sizes.h"
#include "compiler/network/layer_params.h"

namespace covenant::compiler {

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
  const auto wanted = count(layer, "L");
  lanes.after -= wanted - lanes.size;
  lanes.size = wanted;
  return view;
}

}  // namespace covenant::compiler
