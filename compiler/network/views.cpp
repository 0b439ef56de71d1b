#include "compiler/network/views.h"

#include <algorithm>

#include "acg/base/check.h"
#include "compiler/network/axis_views.h"
#include "compiler/network/copy_views.h"
#include "compiler/network/layer_params.h"
#include "compiler/network/layer_traits.h"
#include "compiler/storage/vectors.h"

namespace covenant::compiler {

bool reads_flattened(const NetworkLayer& layer, const Activation& tensor) {
  return traits(layer).form == LayerForm::kMatrix && tensor.shape.size() == 4 && tensor.shape[2] * tensor.shape[3] > 1;
}

namespace {

/// The view that a layer on rows has of one of its activations: columns in T chunks of L, except the first operand of a
/// product and of sums; one number per row is viewed L times.
Storage row_view(const NetworkLayer& layer, const std::string& name, const Storage& storage) {
  const bool has_rows = layer.layer.params.contains("M");  // sums of columns are one row
  const bool has_chunks = layer.layer.params.contains("T");
  const bool is_row_number = !has_chunks || name == "r" || name == "m" || name == "d";
  if (name == "x" && traits(layer).multiplies) return storage;
  Storage view = storage;
  const uint64_t chunk = count(layer, "L");
  view.dimensions.back() = {chunk, 0, 0, {{chunk, 1}}};
  if (!has_rows || name == "c") view.dimensions.erase(view.dimensions.begin() + 1);
  if (is_row_number) return view;
  const uint64_t chunks = count(layer, "T");
  view.dimensions.insert(view.dimensions.end() - 1, {chunks, 0, 0, {{chunks, chunk}}});
  return view;
}

/// True for a tensor whose values are the same in all lanes and are read from one of them.
bool is_once_a_row(const NetworkLayer& layer, const std::string& name) {
  return name == "r" && traits(layer).has_row_sums;
}

/// Whole vectors of channels, as every layer takes them without more words.
bool is_usual(const Activation& tensor, const acg::Machine& machine) {
  const size_t rank = tensor.shape.size();
  if ((rank != 4 && rank != 2) || tensor.storage.offset != 0) return false;
  return tensor.storage.dimensions == vector_storage(machine, tensor.dtype, tensor.shape).dimensions;
}

/// The view of one activation, with dimensions in the codelet's order.
Storage view_of(const Network& network, const NetworkLayer& layer, const std::string& name, const Activation& tensor,
                const acg::Machine& machine) {
  if (reads_flattened(layer, tensor)) return flattened(tensor.storage);
  switch (traits(layer).form) {
    case LayerForm::kRows:
      return row_view(layer, name, tensor.storage);
    case LayerForm::kPixels:
    case LayerForm::kWindows:
    case LayerForm::kMatrix: {
      Storage view = permuted(tensor.storage, memory_order(tensor.shape.size()));
      if (is_once_a_row(layer, name)) view.dimensions.pop_back();
      return view;
    }
    case LayerForm::kCopy:
      return copied_view(network, layer, name, machine);
    case LayerForm::kAlongAxis:
      return along_axis(network, layer, tensor.storage);
    case LayerForm::kLanes:
      break;
  }
  const auto y = layer.activations.find("y");  // declared codelets may call it otherwise
  const Activation& made =
      network.activations[y == layer.activations.end() ? layer.activations.begin()->second : y->second];
  const Result<Storage> alike = reshaped(tensor.storage, made.shape);  // [N,C,1,1] beside [N,C]
  check(static_cast<bool>(alike), "lanes see tensors of one shape");
  return permuted(tensor.shape == made.shape ? tensor.storage : *alike, order_of(made.storage));
}

/// Images of one channel lie so whichever of their dimensions is called the last.
bool has_channels_last(const Storage& storage) {
  const std::vector<StorageDimension>& d = storage.dimensions;
  return d.size() == 4 && d[1].strides.back().stride == 1 && d[3].strides.back().stride == channels_in_memory(storage);
}

/// One of the tensors has its dimensions in another order than usual: all are seen in that of the result.
bool is_turned(const Network& network, const NetworkLayer& layer) {
  return std::ranges::any_of(layer.activations, [&](const auto& used) {
    const Activation& tensor = network.activations[used.second];
    return !has_channels_last(tensor.storage) && order_of(tensor.storage) != memory_order(tensor.shape.size());
  });
}

}  // namespace

void set_views(const Network& network, NetworkLayer& layer, const acg::Machine& machine) {
  const LayerForm form = traits(layer).form;
  if (form == LayerForm::kAlongAxis) fill_lanes(network, machine, layer);
  const auto tensor = [&](size_t index) -> const Activation& { return network.activations[index]; };
  const auto is_part = [&](const auto& used) { return tensor(used.second).storage.allocation != used.second; };
  const bool is_moved = std::ranges::any_of(layer.activations, is_part) || is_turned(network, layer);
  const bool is_ordered = form == LayerForm::kCopy || form == LayerForm::kAlongAxis || form == LayerForm::kRows;
  const bool all = is_ordered || (is_moved && !traits(layer).multiplies);
  for (const auto& [name, used] : layer.activations) {
    layer.views.erase(name);
    if (form == LayerForm::kRows && name == "w") continue;  // in tiles, as in the codelet after packing
    if (all || is_once_a_row(layer, name) || reads_flattened(layer, tensor(used)) || !is_usual(tensor(used), machine)) {
      layer.views[name] = view_of(network, layer, name, tensor(used), machine);
    }
  }
}

}  // namespace covenant::compiler
