#include "compiler/network/views.h"

#include <algorithm>
#include <utility>

#include "acg/base/failure.h"
#include "compiler/network/axis_views.h"
#include "compiler/network/copy_views.h"
#include "compiler/network/layer_params.h"
#include "compiler/network/layer_traits.h"
#include "compiler/storage/vectors.h"

namespace covenant::compiler {
namespace {

/// Images of one channel lie so whichever of their dimensions is called the last.
bool has_channels_last(const Storage& storage) {
  const std::vector<StorageDimension>& d = storage.dimensions;
  return d.size() == 4 && d[1].strides.back().stride == 1 && d[3].strides.back().stride == channels_in_memory(storage);
}

/// Whole vectors of channels, as every layer takes them without more words.
bool is_usual(const Activation& tensor, const acg::Machine& machine) {
  const size_t rank = tensor.shape.size();
  if ((rank != 4 && rank != 2) || tensor.storage.offset != 0) return false;
  return tensor.storage.dimensions == vector_storage(machine, tensor.dtype, tensor.shape).dimensions;
}

/// A matrix product takes the pixels and channels of an image as one dimension.
bool is_flattened(LayerForm form, const Activation& tensor) {
  return form == LayerForm::kMatrix && tensor.shape.size() == 4 && tensor.shape[2] * tensor.shape[3] > 1;
}

/// The views that one layer has of its activations.
class LayerViews {
 public:
  LayerViews(const Network& network, const NetworkLayer& layer, const LayerTraits& traits, const acg::Machine& machine)
      : network_(network), layer_(layer), traits_(traits), machine_(machine) {}

  /// By the activation's name; those that the layer takes as they lie are missing.
  std::map<std::string, Storage> made() const {
    const bool all = is_ordered() || ((has_parts() || is_turned()) && !traits_.multiplies);
    std::map<std::string, Storage> views;
    for (const auto& [name, used] : layer_.activations) {
      if (traits_.form == LayerForm::kRows && name == "w") continue;  // in tiles, as in the codelet after packing
      const Activation& tensor = network_.activations[used];
      if (all || is_once_a_row(name) || is_flattened(traits_.form, tensor) || !is_usual(tensor, machine_)) {
        views[name] = view_of(name, tensor);
      }
    }
    return views;
  }

 private:
  bool is_ordered() const {
    return traits_.form == LayerForm::kCopy || traits_.form == LayerForm::kAlongAxis ||
           traits_.form == LayerForm::kRows || traits_.form == LayerForm::kChannels ||
           traits_.form == LayerForm::kStored;
  }

  /// One of the tensors lies within another one.
  bool has_parts() const {
    return std::ranges::any_of(layer_.activations, [&](const auto& used) {
      return network_.activations[used.second].storage.allocation != used.second;
    });
  }

  /// One of the tensors has its dimensions in another order than usual: all are seen in that of the result.
  bool is_turned() const {
    return std::ranges::any_of(layer_.activations, [&](const auto& used) {
      const Activation& tensor = network_.activations[used.second];
      return !has_channels_last(tensor.storage) && order_of(tensor.storage) != memory_order(tensor.shape.size());
    });
  }

  /// True for a tensor whose values are the same in all lanes and are read from one of them.
  bool is_once_a_row(const std::string& name) const { return name == "r" && traits_.has_row_sums; }

  /// The view of one activation, with dimensions in the codelet's order.
  Storage view_of(const std::string& name, const Activation& tensor) const {
    if (is_flattened(traits_.form, tensor)) return flattened(tensor.storage);
    switch (traits_.form) {
      case LayerForm::kRows:
        return row_view(name, tensor.storage);
      case LayerForm::kPixels:
      case LayerForm::kChannels:
      case LayerForm::kWindows:
      case LayerForm::kMatrix: {
        Storage view = permuted(tensor.storage, memory_order(tensor.shape.size()));
        if (is_once_a_row(name)) view.dimensions.pop_back();
        return view;
      }
      case LayerForm::kCopy:
        return copied_view(network_, layer_, name, machine_);
      case LayerForm::kStored:
        return tensor.storage;
      case LayerForm::kAlongAxis:
        return along_axis(network_, layer_, tensor.storage);
      case LayerForm::kLanes:
        break;
    }
    return lane_view(tensor);
  }

  /// The view that a layer on rows has of one of its activations: columns in T chunks of L, except the first operand of
  /// a product and of sums; one number per row is viewed L times. Numbers of channels are one row of each image.
  Storage row_view(const std::string& name, const Storage& storage) const {
    const bool has_rows = layer_.layer.params.contains("M");  // sums of columns are one row
    const bool has_chunks = layer_.layer.params.contains("T");
    const bool is_row_number = !has_chunks || name == "r" || name == "m" || name == "d";
    if (name == "x" && traits_.multiplies) return storage;
    Storage view = storage;
    if (view.dimensions.size() == 2) view.dimensions.insert(view.dimensions.begin(), {1, 0, 0, {{1, 1}}});
    const uint64_t chunk = count(layer_, "L");
    view.dimensions.back() = {chunk, 0, 0, {{chunk, 1}}};
    if (!has_rows || name == "c") view.dimensions.erase(view.dimensions.begin() + 1);
    if (is_row_number) return view;
    const uint64_t chunks = count(layer_, "T");
    view.dimensions.insert(view.dimensions.end() - 1, {chunks, 0, 0, {{chunks, chunk}}});
    return view;
  }

  /// The view in which lanes of all tensors lie beside each other: dimensions in the order of the result.
  Storage lane_view(const Activation& tensor) const {
    const auto y = layer_.activations.find("y");  // declared codelets may call it otherwise
    const Activation& result =
        network_.activations[y == layer_.activations.end() ? layer_.activations.begin()->second : y->second];
    if (tensor.shape == result.shape) return permuted(tensor.storage, order_of(result.storage));
    const Result<Storage> alike = reshaped(tensor.storage, result.shape);  // [N,C,1,1] beside [N,C]
    if (!alike) {                                                          // a layer of a network that was read as text
      Diagnostic diagnostic = alike.error();
      diagnostic.subject = layer_.layer.name;
      throw Failure{std::move(diagnostic)};
    }
    return permuted(*alike, order_of(result.storage));
  }

  const Network& network_;
  const NetworkLayer& layer_;
  const LayerTraits& traits_;
  const acg::Machine& machine_;
};

}  // namespace

void set_views(const Network& network, NetworkLayer& layer, const acg::Machine& machine) {
  const LayerTraits& seen = traits(layer);
  if (seen.form == LayerForm::kAlongAxis) fill_lanes(network, machine, layer);
  for (const auto& [name, used] : layer.activations) layer.views.erase(name);
  layer.views.merge(LayerViews(network, layer, seen, machine).made());
}

}  // namespace covenant::compiler
