#include "compiler/choice/choose_storage.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "acg/base/check.h"
#include "compiler/choice/lane_groups.h"
#include "compiler/choice/storage_costs.h"
#include "compiler/lowerings/lowering.h"
#include "compiler/lowerings/verify.h"
#include "compiler/network/copy_views.h"
#include "compiler/network/dense_storage.h"
#include "compiler/network/layer_traits.h"
#include "compiler/network/tensor_uses.h"
#include "compiler/network/views.h"

namespace covenant::compiler {
namespace {

using Storages = std::map<size_t, Storage>;  ///< by activation

/// A change of what others touch too must save at least one cycle of this many: predictions are no exacter.
constexpr uint64_t kWorthwhile = 64;

/// Costs depend on shapes, and on how scales are represented; layers are copied often.
Network without_constants(Network network) {
  for (NetworkLayer& layer : network.layers) {
    std::erase_if(layer.constants, [&](const auto& one) {
      const auto dtype = layer.layer.dtypes.find(one.first);
      return dtype == layer.layer.dtypes.end() || dtype->second != DType::kF32;
    });
  }
  return network;
}

bool lie_alike(const Storage& a, const Storage& b) {
  return a.memory == b.memory && a.offset == b.offset && a.dimensions == b.dimensions && a.is_filled == b.is_filled;
}

/// Storages for some tensors, and dense channels for all others of some groups.
struct Move {
  Storages own;
  std::set<size_t> groups{};
};

/// The effect of a move on all layers that use its tensors.
struct Gain {
  uint64_t old_cycles = 0;
  uint64_t new_cycles = 0;
  size_t layers = 0;
};

/// So many layers are looked at for each move.
constexpr size_t kFew = 16;

struct Known {
  Gain gain;
  size_t changes = 0;  ///< changes of the network before it was computed
};

class Chooser {
 public:
  Chooser(const Network& network, const std::vector<std::string>& wishes, LayerSearch& search,
          const LoweringMakers& makers, const std::vector<codelet::Codelet>& declared)
      : whole_(network),
        network_(without_constants(network)),
        uses_(network_),
        costs_(wishes, search, makers, declared),
        declared_(declared),
        machine_(search.machine()),
        now_(network.layers.size()),
        groups_(make_groups()),
        beside_(network.activations.size()) {
    check(wishes.size() == network.layers.size(), "one wish per layer");
    for (LaneGroup& group : groups_.all()) {
      std::set<size_t> layers;
      for (const size_t one : group.activations)
        layers.insert(uses_.layers_of(one).begin(), uses_.layers_of(one).end());
      group.layers.assign(layers.begin(), layers.end());
      group.costs.resize(group.layers.size());
      for (size_t place = 0; place < group.layers.size(); ++place) group.open.push_back(place);
    }
  }

  Network run() {
    // Every change saves cycles, so this ends; few networks need a second round.
    while (improve()) {
    }
    Network result = whole_;
    set_storages(result, network_.activations, machine_);
    for (size_t i = 0; i < result.layers.size(); ++i) {
      const std::optional<StorageCosts::Priced> best = costs_.best_lowering(network_, uses_, i);
      if (best && best->lowering.name != "plain") result.layers[i] = lowered(result, i, best->lowering);
    }
    return result;
  }

 private:
  /// The other tensors of layers that work lane by lane are dense where one of them is: from layer to layer.
  LaneGroups make_groups() const {
    std::vector<size_t> members;
    std::vector<bool> is_member(network_.activations.size());
    for (size_t i = 0; i < network_.activations.size(); ++i) {
      if (!uses_.has_free_storage(i) || !dense_storage(i)) continue;
      members.push_back(i);
      is_member[i] = true;
    }
    std::vector<std::vector<size_t>> joined;
    for (const NetworkLayer& layer : network_.layers) {
      if (!costs_.works_lane_by_lane(layer)) continue;
      std::vector<size_t> alike;
      for (const auto& [name, activation] : layer.activations) {
        if (is_member[activation]) alike.push_back(activation);
      }
      if (alike.size() > 1) joined.push_back(std::move(alike));
    }
    return {network_.activations.size(), joined, members};
  }

  /// A lowering that does not fit is a mistake of its maker.
  NetworkLayer lowered(const Network& network, size_t index, const Lowering& lowering) const {
    const Status fits = verify_lowering(lowering, network, index, machine_, declared_);
    check(static_cast<bool>(fits), "lowering '" + lowering.name + "' of the maker '" + lowering.maker +
                                       "': " + (fits ? "" : render(fits.error())));
    return compiler::lowered(network.layers[index], lowering);
  }

  bool improve() {
    bool changed = false;
    for (size_t i = 0; i < network_.layers.size(); ++i) {
      const std::vector<Move> moves = moves_of(i);
      uint64_t most = 0;
      const Move* best = nullptr;
      for (const Move& move : moves) {
        const Gain gain = gain_of(move);
        const uint64_t least = gain.layers > 1 ? gain.old_cycles / kWorthwhile : 0;
        if (gain.new_cycles + least + most >= gain.old_cycles) continue;
        most = gain.old_cycles - gain.new_cycles;
        best = &move;
      }
      if (best == nullptr) continue;
      make(*best);
      changed = true;
    }
    return changed;
  }

  /// Storages that the layer's lowerings need, and dense channels for its tensors; alone, and together with tensors
  /// that must be laid out alike.
  std::vector<Move> moves_of(size_t index) {
    std::vector<Move> moves;
    const auto add = [&](const Storages& wanted) {
      const std::optional<Storages> own = with_slices(wanted);
      if (!own) return;
      moves.push_back({*own});
      std::set<size_t> groups = groups_beside(*own);
      if (!groups.empty()) moves.push_back({*own, std::move(groups)});
    };
    for (const Lowering& one : costs_.lowerings_of(network_, uses_, index)) {
      const Storages missing = missing_storages(network_, network_.layers[index], one);
      if (!missing.empty()) add(missing);
    }
    for (const auto& [name, activation] : network_.layers[index].activations) {
      if (const std::optional<Storage> dense = dense_storage(activation)) add({{activation, *dense}});
    }
    return moves;
  }

  /// These storages, and those of slices of their tensors; nothing if a slice cannot have one.
  std::optional<Storages> with_slices(const Storages& wanted) const {
    Storages own;
    for (const auto& [activation, storage] : wanted) {
      std::optional<Storages> slices = uses_.with_slices(activation, storage);
      if (!slices) return std::nullopt;
      own.merge(*slices);
    }
    return own;
  }

  /// Groups with a tensor that is not in `own`, but is used together with one of them by a layer that works lane by
  /// lane.
  std::set<size_t> groups_beside(const Storages& own) {
    std::set<size_t> groups;
    for (const auto& [moved, storage] : own) {
      for (const size_t group : groups_beside(moved)) {
        if (!is_within(group, own)) groups.insert(group);
      }
    }
    return groups;
  }

  const std::set<size_t>& groups_beside(size_t moved) {
    std::optional<std::set<size_t>>& beside = beside_[moved];
    if (beside) return *beside;
    beside.emplace();
    for (const size_t layer : uses_.layers_of(moved)) {
      if (!costs_.works_lane_by_lane(network_.layers[layer])) continue;
      for (const auto& [name, activation] : network_.layers[layer].activations) {
        if (const std::optional<size_t> group = groups_.group_of(activation)) beside->insert(*group);
      }
    }
    return *beside;
  }

  bool is_within(size_t group, const Storages& own) const {
    const std::vector<size_t>& members = groups_[group].activations;
    return members.size() <= own.size() &&
           std::ranges::all_of(members, [&](size_t member) { return own.contains(member); });
  }

  std::optional<Storage> dense_storage(size_t activation) const {
    return compiler::dense_storage(network_, uses_, activation, machine_);
  }

  /// All storages that a move changes in its groups but `largest`.
  Storages stated(const Move& move, std::optional<size_t> largest) const {
    Storages result = move.own;
    for (const size_t group : move.groups) {
      if (group == largest) continue;
      for (const size_t one : groups_[group].activations) result.emplace(one, dense_storage(one).value());
    }
    return result;
  }

  /// Moves of tensors that many layers use are evaluated for each of those layers.
  Gain gain_of(const Move& move) {
    size_t users = 0;
    for (const auto& [activation, storage] : move.own) users += uses_.layers_of(activation).size();
    if (users <= kFew) return summed_gain_of(move);
    Known& known = gains_[key_of(move)];
    if (known.changes != changes_) known = {summed_gain_of(move), changes_};
    return known.gain;
  }

  static std::string key_of(const Move& move) {
    std::string key;
    for (const auto& [activation, storage] : move.own) key += std::to_string(activation) + " " + print(storage) + ";";
    for (const size_t group : move.groups) key += " " + std::to_string(group);
    return key;
  }

  /// Tensors of a move are evaluated one by one, except those of the largest group, for which sums are kept.
  Gain summed_gain_of(const Move& move) {
    const auto smaller = [&](size_t a, size_t b) { return groups_[a].layers.size() < groups_[b].layers.size(); };
    const auto found = std::max_element(move.groups.begin(), move.groups.end(), smaller);
    const std::optional<size_t> largest = found == move.groups.end() ? std::nullopt : std::optional(*found);
    const Storages moved = stated(move, largest);
    std::set<size_t> touched;
    for (const auto& [activation, storage] : moved) {
      touched.insert(uses_.layers_of(activation).begin(), uses_.layers_of(activation).end());
    }
    Gain gain{0, 0, touched.size()};
    for (const size_t layer : touched) gain.old_cycles += cycles_now(layer);
    if (largest) add_group(groups_[*largest], touched, gain);
    const std::vector<size_t> layers(touched.begin(), touched.end());
    gain.new_cycles += cycles_after(moved, largest, layers);
    return gain;
  }

  /// Adds the layers of a group that are not in `touched`.
  void add_group(LaneGroup& group, const std::set<size_t>& touched, Gain& gain) {
    for (const size_t place : std::exchange(group.open, {})) {
      const size_t layer = group.layers[place];
      group.set(place, {cycles_now(layer), cycles_after({}, group_with(layer, group), {layer})});
    }
    LaneGroup::Cost others = group.sum;
    size_t count = group.layers.size();
    for (const size_t layer : touched) {
      const std::optional<size_t> place = group.position_of(layer);
      if (!place) continue;
      others.now -= group.costs[*place]->now;
      others.dense -= group.costs[*place]->dense;
      --count;
    }
    gain.old_cycles += others.now;
    gain.new_cycles += others.dense;
    gain.layers += count;
  }

  /// The number of a group of which a layer touches a tensor.
  std::optional<size_t> group_with(size_t layer, const LaneGroup& wanted) const {
    for (const auto& [name, activation] : network_.layers[layer].activations) {
      const std::optional<size_t> group = groups_.group_of(activation);
      if (group && &groups_[*group] == &wanted) return group;
    }
    return std::nullopt;
  }

  uint64_t cycles_now(size_t layer) {
    std::optional<uint64_t>& known = now_[layer];
    if (!known) known = costs_.cycles_of(network_, uses_, layer);
    return *known;
  }

  /// Cycles of `layers` with the storages in `moved`, and with all other tensors of `dense_group` that they use dense.
  uint64_t cycles_after(Storages moved, std::optional<size_t> dense_group, const std::vector<size_t>& layers) {
    for (const size_t layer : layers) {
      for (const auto& [name, activation] : network_.layers[layer].activations) {
        if (!dense_group || groups_.group_of(activation) != dense_group || moved.contains(activation)) continue;
        moved.emplace(activation, dense_storage(activation).value());
      }
    }
    std::vector<NetworkLayer> before;
    for (const size_t layer : layers) before.push_back(network_.layers[layer]);
    exchange(moved);
    uint64_t cycles = 0;
    for (const size_t layer : layers) {
      if (!can_see(network_.layers[layer])) {
        cycles += kNever;
        continue;
      }
      set_views(network_, network_.layers[layer], machine_);
      cycles += costs_.cycles_of(network_, uses_, layer);
    }
    exchange(moved);
    for (size_t i = 0; i < layers.size(); ++i) network_.layers[layers[i]] = std::move(before[i]);
    return cycles;
  }

  /// False for a copy between tensors that lie too differently for one.
  bool can_see(const NetworkLayer& layer) const {
    if (traits(layer).form != LayerForm::kCopy) return true;
    const auto storage = [&](const char* name) { return network_.activations[layer.activations.at(name)].storage; };
    return static_cast<bool>(common_steps(storage("x"), storage("y"), kCopyDimensions));
  }

  /// Puts `storages` in the place of those that tensors have, which it takes.
  void exchange(Storages& storages) {
    for (auto& [activation, storage] : storages) {
      Storage& own = network_.activations[activation].storage;
      storage.allocation = own.allocation;
      storage.lifetime = own.lifetime;
      std::swap(own, storage);
    }
  }

  void make(const Move& move) {
    ++changes_;
    for (const auto& [activation, storage] : stated(move, std::nullopt)) {
      if (lie_alike(network_.activations[activation].storage, storage)) continue;
      set_storage(network_, uses_, activation, storage, machine_);
      for (const size_t layer : uses_.layers_of(activation)) forget(layer);
    }
  }

  void forget(size_t layer) {
    now_[layer].reset();
    for (const auto& [name, activation] : network_.layers[layer].activations) {
      const std::optional<size_t> number = groups_.group_of(activation);
      if (!number) continue;
      LaneGroup& group = groups_[*number];
      group.forget(group.position_of(layer).value());
    }
  }

  const Network& whole_;
  Network network_;  ///< as far as it is decided on
  TensorUses uses_;
  StorageCosts costs_;
  const std::vector<codelet::Codelet>& declared_;
  const acg::Machine& machine_;
  std::vector<std::optional<uint64_t>> now_;  ///< cycles of layers with the present storages
  LaneGroups groups_;
  std::vector<std::optional<std::set<size_t>>> beside_;  ///< by activation: groups that layers join with it
  size_t changes_ = 1;                                   ///< number of changes to the network
  std::map<std::string, Known> gains_;                   ///< by move
};

}  // namespace

Network choose_storages(const Network& network, const std::vector<std::string>& wishes, LayerSearch& search,
                        const LoweringMakers& makers, const std::vector<codelet::Codelet>& declared) {
  return Chooser(network, wishes, search, makers, declared).run();
}

}  // namespace covenant::compiler
