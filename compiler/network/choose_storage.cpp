#include "compiler/network/choose_storage.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <optional>

#include "acg/base/check.h"
#include "compiler/codelet/vector_sizes.h"
#include "compiler/network/choose.h"
#include "compiler/network/conv_lowerings.h"
#include "compiler/network/padded_images.h"

namespace covenant::compiler {
namespace {

using Storages = std::map<size_t, Storage>;  ///< by activation

/// Of a layer that cannot be done so; a sum of many of them fits.
constexpr uint64_t kNever = std::numeric_limits<uint32_t>::max() * uint64_t{1} << 16;

/// A change of what others touch too must save at least one cycle of this many: predictions are no exacter.
constexpr uint64_t kWorthwhile = 64;

class Chooser {
 public:
  Chooser(const Network& network, const std::vector<std::string>& wishes, LayerSearch& search,
          const std::vector<codelet::Codelet>& declared)
      : whole_(network),
        network_(without_constants(network)),
        wishes_(wishes),
        search_(search),
        machine_(search.machine()),
        declared_(declared) {
    check(wishes.size() == network.layers.size(), "one wish per layer");
  }

  Network run() {
    // Every change saves cycles, so this ends; few networks need a second round.
    while (improve()) {
    }
    Network result = whole_;
    for (size_t i = 0; i < result.activations.size(); ++i) {
      set_storage(result, i, network_.activations[i].storage, machine_);
    }
    for (size_t i = 0; i < result.layers.size(); ++i) {
      const std::optional<ConvLowering> best = best_way(network_, i);
      if (!best || best->name == "plain") continue;
      for (ConvLowering& way : conv_lowerings(result, i, machine_)) {
        if (way.name == best->name) result.layers[i] = std::move(way.layer);
      }
    }
    return result;
  }

 private:
  /// Costs depend on shapes, and on how scales are represented; a network is copied often.
  static Network without_constants(Network network) {
    for (NetworkLayer& layer : network.layers) {
      std::erase_if(layer.constants, [&](const auto& one) {
        const auto dtype = layer.layer.dtypes.find(one.first);
        return dtype == layer.layer.dtypes.end() || dtype->second != DType::kF32;
      });
    }
    return network;
  }

  bool improve() {
    bool changed = false;
    for (size_t i = 0; i < network_.layers.size(); ++i) {
      const std::vector<Storages> moves = moves_of(i);
      if (moves.empty()) continue;
      const Network before = network_;
      uint64_t most = 0;
      for (const Storages& move : moves) {
        const Network after = with(before, move);
        const std::vector<size_t> touched = layers_of(before, move);
        const uint64_t old_cycles = cycles_of(before, touched);
        const uint64_t new_cycles = cycles_of(after, touched);
        const uint64_t least = touched.size() > 1 ? old_cycles / kWorthwhile : 0;
        if (new_cycles + least + most >= old_cycles) continue;
        most = old_cycles - new_cycles;
        network_ = after;
        changed = true;
      }
    }
    return changed;
  }

  /// What the layer's ways need, and dense channels for its tensors; alone, and with those that must lie alike.
  std::vector<Storages> moves_of(size_t index) const {
    std::vector<Storages> moves;
    const auto add = [&](const Storages& move) {
      moves.push_back(move);
      const Storages whole = with_neighbours(move);
      if (whole.size() > move.size()) moves.push_back(whole);
    };
    for (const ConvLowering& way : conv_lowerings(network_, index, machine_)) {
      if (!way.storages.empty() && is_wanted(index, way.name)) add(way.storages);
    }
    for (const auto& [name, activation] : network_.layers[index].activations) {
      if (const std::optional<Storage> dense = dense_storage(activation)) add({{activation, *dense}});
    }
    return moves;
  }

  /// The other tensors of layers that work lane by lane are dense where one of them is: from layer to layer.
  Storages with_neighbours(const Storages& move) const {
    Storages result = move;
    std::vector<size_t> open;
    for (const auto& [activation, storage] : move) open.push_back(activation);
    while (!open.empty()) {
      const size_t moved = open.back();
      open.pop_back();
      for (const NetworkLayer& layer : network_.layers) {
        if (!works_lane_by_lane(layer) || !uses(layer, moved)) continue;
        for (const auto& [name, activation] : layer.activations) {
          const std::optional<Storage> dense = dense_storage(activation);
          if (dense && result.emplace(activation, *dense).second) open.push_back(activation);
        }
      }
    }
    return result;
  }

  /// Does each lane of a result come from the same lane of what is read? In registers those of products do, too, that
  /// have no sums over channels.
  bool works_lane_by_lane(const NetworkLayer& layer) const {
    return !is_product(layer) || (layer.operation == "conv_channels" && !has_transfer_engines(machine_));
  }

  static bool uses(const NetworkLayer& layer, size_t activation) {
    return std::any_of(layer.activations.begin(), layer.activations.end(),
                       [&](const auto& used) { return used.second == activation; });
  }

  /// As many channels as there are, between layers: they fit one vector only several times over. Where no engine moves
  /// tiles, a layer writes whole vectors, which then hold several pixels of a row.
  std::optional<Storage> dense_storage(size_t activation) const {
    const Activation& tensor = network_.activations[activation];
    if (tensor.shape.size() != 4 || !has_free_storage(network_, activation)) return {};
    const uint64_t channels = tensor.shape[1], at_once = codelet::written_at_once(machine_, tensor.dtype);
    if (channels >= at_once) return {};
    if (has_transfer_engines(machine_)) {
      const bool is_inner = !is_boundary(network_.inputs, activation) && !is_boundary(network_.outputs, activation);
      return is_inner ? std::optional(channels_last(tensor.storage.memory, tensor.shape, {})) : std::nullopt;
    }
    const uint64_t pixels = at_once / channels;
    if (at_once % channels != 0 || tensor.shape[3] % pixels != 0) return {};
    return with_dense_channels(tensor, pixels);
  }

  Network with(const Network& network, const Storages& move) const {
    Network result = network;
    for (const auto& [activation, storage] : move) set_storage(result, activation, storage, machine_);
    return result;
  }

  static std::vector<size_t> layers_of(const Network& network, const Storages& move) {
    std::vector<size_t> touched;
    for (size_t i = 0; i < network.layers.size(); ++i) {
      const bool touches = std::any_of(move.begin(), move.end(),
                                       [&](const auto& moved) { return uses(network.layers[i], moved.first); });
      if (touches) touched.push_back(i);
    }
    return touched;
  }

  /// Is this a way in which the layer may be done? If there is none of the wished name, all are.
  bool is_wanted(size_t index, const std::string& name) const {
    const std::string& wish = wishes_[index];
    if (wish.empty() || wish == name) return true;
    const std::vector<ConvLowering> ways = conv_lowerings(network_, index, machine_);
    return std::none_of(ways.begin(), ways.end(), [&](const ConvLowering& way) { return way.name == wish; });
  }

  uint64_t cycles_of(const Network& network, const std::vector<size_t>& layers) {
    uint64_t sum = 0;
    for (const size_t layer : layers) {
      const std::optional<ConvLowering> way = best_way(network, layer);
      sum += way ? cycles_of(way->layer) : kNever;
    }
    return sum;
  }

  /// Of those for which all tensors lie as they must; none if there is none. Only one is asked for nothing.
  std::optional<ConvLowering> best_way(const Network& network, size_t index) {
    std::optional<ConvLowering> best;
    uint64_t fewest = kNever;
    for (ConvLowering& way : conv_lowerings(network, index, machine_)) {
      if (!way.storages.empty() || !is_wanted(index, way.name)) continue;
      const uint64_t cycles = cycles_of(way.layer);
      if (best && cycles >= fewest) continue;
      fewest = cycles;
      best = std::move(way);
    }
    return best;
  }

  /// What lies past the last channel of a vector on chip is nothing. A product meets it with zero weights; a layer that
  /// works lane by lane would store it as the padding of a result that has some.
  bool stores_padding_of_nothing(const NetworkLayer& layer) const {
    if (!works_lane_by_lane(layer)) return false;
    if (has_transfer_engines(machine_)) return !layer.views.empty() && layer.views.size() != layer.activations.size();
    // Vectors of several pixels of one tensor meet those of one pixel of another.
    const auto dense = static_cast<size_t>(std::ranges::count_if(layer.views, [&](const auto& view) {
      const StorageDimension& channels = view.second.dimensions.back();
      const DType dtype = layer.layer.dtypes.at(view.first);
      return channels.after == 0 && channels.size < codelet::written_at_once(machine_, dtype);
    }));
    return dense != 0 && dense != layer.activations.size();
  }

  /// Layers of one shape are asked about many times: for each move of each tensor that one of them touches.
  uint64_t cycles_of(const NetworkLayer& layer) {
    const auto [known, is_new] = known_.try_emplace(key_of(layer), 0);
    if (is_new) known->second = searched_cycles_of(layer);
    return known->second;
  }

  /// All that its cycles depend on: what it computes with counts and where its tensors lie, not the constants.
  static std::string key_of(const NetworkLayer& layer) {
    std::string key = layer.operation;
    for (const auto& [name, value] : layer.layer.params) {
      const auto* count = std::get_if<int64_t>(&value);
      key += fmt::format(" {}={}", name, count == nullptr ? 0 : *count);
    }
    for (const auto& [name, dtype] : layer.layer.dtypes) key += fmt::format(" {}:{}", name, covenant::name(dtype));
    for (const auto& [name, storage] : layer.views) {
      key += fmt::format(" {}@{}", name, storage.offset);
      for (const StorageDimension& one : storage.dimensions) {
        key += fmt::format(",{}+{}", one.size, one.after);
        for (const acg::Stride& step : one.strides) key += fmt::format("x{}", step.stride);
      }
    }
    return key;
  }

  uint64_t searched_cycles_of(const NetworkLayer& layer) {
    if (stores_padding_of_nothing(layer)) return kNever;
    const Result<codelet::Codelet> packed = packed_codelet(layer, machine_, declared_);
    if (!packed) return kNever;
    const Result<ScheduleSearch> found = search_.search(*packed);
    return found ? found->simulated.front().prediction.cycles : kNever;
  }

  const Network& whole_;
  Network network_;  ///< as far as it is decided on
  const std::vector<std::string>& wishes_;
  LayerSearch& search_;
  const acg::Machine& machine_;
  const std::vector<codelet::Codelet>& declared_;
  std::map<std::string, uint64_t> known_;  ///< cycles, by `key_of`
};

}  // namespace

Network choose_storages(const Network& network, const std::vector<std::string>& wishes, LayerSearch& search,
                        const std::vector<codelet::Codelet>& declared) {
  return Chooser(network, wishes, search, declared).run();
}

}  // namespace covenant::compiler
