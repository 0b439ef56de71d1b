#include "compiler/network/padded_images.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "acg/base/rounding.h"
#include "acg/graph/queries.h"
#include "compiler/network/conv_lowerings.h"

namespace covenant::compiler {
namespace {

constexpr size_t kChannels = 1, kRows = 2, kColumns = 3;  // of [N,C,H,W]

/// Pixels on each side of an image.
struct Room {
  std::array<uint64_t, 2> before{}, after{};  ///< of rows, of columns
  bool is_any() const { return before[0] + before[1] + after[0] + after[1] > 0; }
  void grow(const Room& other) {
    for (size_t i = 0; i < 2; ++i) {
      before[i] = std::max(before[i], other.before[i]);
      after[i] = std::max(after[i], other.after[i]);
    }
  }
};

int64_t param(const NetworkLayer& layer, const std::string& name) {
  return std::get<int64_t>(layer.layer.params.at(name));
}

bool has_windows(const NetworkLayer& layer) {
  return layer.operation.starts_with("conv") || layer.operation == "max_pool" ||
         layer.operation.starts_with("average_pool");
}

/// Other layers take rows of elements, for which padding would be some of them.
bool sees_images(const NetworkLayer& layer) {
  constexpr std::array<std::string_view, 8> kElementwise{"add", "clip",         "lookup", "to_signed",
                                                         "mul", "mul_channels", "max",    "min"};
  return has_windows(layer) || layer.operation == "global_average_pool" ||
         std::find(kElementwise.begin(), kElementwise.end(), layer.operation) != kElementwise.end();
}

/// Does a layer read the zero point outside of its image? Where padding never wins it reads the least number there is.
bool wants_zero_point(const NetworkLayer& layer, const Activation& image) {
  return layer.operation != "max_pool" || param(layer, "FILL") == image.zero_point;
}

/// What the windows of a layer reach past its input.
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

Storage padded(const Activation& image, const Room& room, uint64_t channels) {
  Storage storage = channels_last(image.storage.memory, image.shape, {.channels = channels});
  const uint64_t row = (room.before[1] + image.shape[kColumns] + room.after[1]) * channels;
  const uint64_t rows = room.before[0] + image.shape[kRows] + room.after[0];
  storage.dimensions[kColumns].before = room.before[1];
  storage.dimensions[kColumns].after = room.after[1];
  storage.dimensions[kRows].before = room.before[0];
  storage.dimensions[kRows].after = room.after[0];
  storage.dimensions[kRows].strides = {{image.shape[kRows], row}};
  storage.dimensions[0].strides = {{image.shape[0], rows * row}};
  storage.offset = room.before[0] * row + room.before[1] * channels;
  storage.is_filled = room.is_any();
  return storage;
}

/// Around an image, for all that read it; none if one of them cannot read it so.
Room room_around(const Network& network, size_t image) {
  Room room;
  for (const NetworkLayer& layer : network.layers) {
    for (const auto& [name, used] : layer.activations) {
      if (used != image) continue;
      if (!sees_images(layer)) return {};
      if (!has_windows(layer) || name != "x") continue;
      const Room wanted = room_for(layer);
      if (wanted.is_any() && !wants_zero_point(layer, network.activations[image])) return {};
      room.grow(wanted);
    }
  }
  return room;
}

}  // namespace

bool has_transfer_engines(const acg::Machine& machine) {
  return std::any_of(machine.edges.begin(), machine.edges.end(),
                     [&](const acg::Edge& edge) { return acg::transfer_ends(machine, edge).has_value(); });
}

Storage with_dense_channels(const Activation& image, uint64_t pixels) {
  const StorageDimension& rows = image.storage.dimensions[kRows];
  const StorageDimension& columns = image.storage.dimensions[kColumns];
  const Room room{{rows.before, round_up(columns.before, pixels)}, {rows.after, round_up(columns.after, pixels)}};
  return padded(image, room, image.shape[kChannels]);
}

void pad_images(Network& network, const acg::Machine& machine) {
  if (has_transfer_engines(machine)) return;
  for (size_t i = 0; i < network.activations.size(); ++i) {
    const Room room = room_around(network, i);
    if (room.is_any() && has_free_storage(network, i)) {
      set_storage(network, i, padded(network.activations[i], room, channels_in_memory(network.activations[i].storage)),
                  machine);
    }
  }
}

}  // namespace covenant::compiler
