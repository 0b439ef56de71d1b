#include "compiler/layers/padded_images.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "acg/base/rounding.h"
#include "acg/graph/queries.h"
#include "compiler/layers/copy_layers.h"
#include "compiler/network/layer_params.h"
#include "compiler/network/layer_traits.h"
#include "compiler/network/tensor_uses.h"
#include "compiler/network/views.h"
#include "compiler/srdfg/names.h"
#include "compiler/storage/padding.h"
#include "compiler/storage/vectors.h"

namespace covenant::compiler {
namespace {

/// Images of one pixel may lie as the rows [N,C] that they were before a reshape: those have no pixels around them.
bool is_image(const Activation& tensor) { return tensor.shape.size() == 4; }

bool has_windows(const NetworkLayer& layer) { return traits(layer).form == LayerForm::kWindows; }

/// The value that a layer reads outside of its image: for a maximum one that never wins, for a sum one that adds
/// nothing.
int64_t fill_of(const NetworkLayer& layer, const Activation& image) {
  return layer.layer.params.contains("FILL") ? param(layer, "FILL") : image.zero_point;
}

/// The room that the windows of a layer need past its input.
Room room_for(const NetworkLayer& layer) {
  const auto reach = [&](char axis, const char* pad) {
    const auto of = [&](const char* name) { return param(layer, std::string(name) + axis); };
    const int64_t before = param(layer, pad);
    const int64_t last = (of("O") - 1) * of("S") + (of("K") - 1) * of("D") - before;
    return std::pair(static_cast<uint64_t>(before), static_cast<uint64_t>(std::max<int64_t>(0, last - of("I") + 1)));
  };
  const auto [top, bottom] = reach('H', "PT");
  const auto [left, right] = reach('W', "PL");
  return {{top, left}, {bottom, right}};
}

/// Around an image, for all that read its zero point there; none if one of its layers cannot see it so.
Room room_around(const Network& network, const TensorUses& uses, size_t image) {
  Room room;
  const Activation& tensor = network.activations[image];
  if (!is_image(tensor)) return room;
  for (const size_t index : uses.layers_of(image)) {
    const NetworkLayer& layer = network.layers[index];
    if (!traits(layer).sees_images) return {};
    const auto x = layer.activations.find("x");
    const bool reaches_past = has_windows(layer) && x != layer.activations.end() && x->second == image;
    if (reaches_past && fill_of(layer, tensor) == tensor.zero_point) room.grow(room_for(layer));
  }
  return room;
}

bool has_room(const Activation& image, const Room& room) {
  if (!is_image(image)) return false;
  const std::vector<StorageDimension>& d = image.storage.dimensions;
  const auto fits = [&](size_t axis) {
    const StorageDimension& one = d[axis == 0 ? kRowAxis : kColumnAxis];
    return one.before >= room.before[axis] && one.after >= room.after[axis];
  };
  return image.storage.is_filled && fits(0) && fits(1);
}

/// Images that windows reach past and that cannot have the required padding around them, because other data is there,
/// or because another layer needs another fill. They are copied.
class Copies {
 public:
  Copies(Network& network, const acg::Machine& machine) : network_(network), machine_(machine) {
    for (const Activation& activation : network.activations) names_.take(activation.name);
  }

  void run() {
    for (const NetworkLayer& layer : network_.layers) {
      if (!wants_copy(layer)) continue;
      rooms_[key_of(layer)].grow(room_for(layer));
    }
    std::vector<NetworkLayer> layers;
    for (NetworkLayer& layer : network_.layers) {
      if (wants_copy(layer)) {
        const Key key = key_of(layer);
        if (!copies_.contains(key)) layers.push_back(copy_around(key));
        layer.activations["x"] = copies_.at(key);
        set_views(network_, layer, machine_);
      }
      layers.push_back(std::move(layer));
    }
    network_.layers = std::move(layers);
  }

 private:
  using Key = std::pair<size_t, int64_t>;  ///< an image, and the fill around it

  Key key_of(const NetworkLayer& layer) const {
    const size_t image = layer.activations.at("x");
    return {image, fill_of(layer, network_.activations[image])};
  }

  bool wants_copy(const NetworkLayer& layer) const {
    if (!has_windows(layer)) return false;
    const Room room = room_for(layer);
    if (!room.is_any()) return false;
    const auto [image, fill] = key_of(layer);
    return !has_room(network_.activations[image], room) || network_.activations[image].zero_point != fill;
  }

  /// The same elements as an image.
  size_t as_image(size_t rows) {
    Activation image = network_.activations[rows];
    if (is_image(image)) return rows;
    image.name = names_.unique(image.name + "_image");
    image.shape.resize(4, 1);
    image.storage = *reshaped(image.storage, image.shape);
    network_.activations.push_back(std::move(image));
    return network_.activations.size() - 1;
  }

  NetworkLayer copy_around(const Key& key) {
    const size_t image = as_image(key.first);
    const int64_t fill = key.second;
    Activation around = network_.activations[image];
    around.name = names_.unique(around.name + "_padded");
    around.zero_point = static_cast<int32_t>(fill);
    around.storage = vector_storage(machine_, around.dtype, around.shape);
    around.storage = padded(around.storage, rooms_.at(key), channels_in_memory(around.storage));
    around.storage.allocation = network_.activations.size();
    copies_[key] = network_.activations.size();
    network_.activations.push_back(around);
    return copy_of(network_, machine_, around.name, image, copies_.at(key));
  }

  Network& network_;
  const acg::Machine& machine_;
  srdfg::Names names_;
  std::map<Key, Room> rooms_;
  std::map<Key, size_t> copies_;  ///< activations
};

}  // namespace

Network with_padded_images(Network network, const acg::Machine& machine) {
  if (has_transfer_engines(machine)) return network;
  const TensorUses uses(network);
  for (size_t i = 0; i < network.activations.size(); ++i) {
    const Room room = room_around(network, uses, i);
    if (!room.is_any() || !uses.has_free_storage(i)) continue;
    const Storage& image = network.activations[i].storage;
    set_storage(network, uses, i, padded(image, room, channels_in_memory(image)), machine);
  }
  Copies(network, machine).run();
  return network;
}

}  // namespace covenant::compiler
