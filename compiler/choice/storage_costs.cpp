#include "compiler/choice/storage_costs.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <span>

#include "compiler/binding/layer_codelet.h"
#include "compiler/codelet/print.h"
#include "compiler/codelet/vector_sizes.h"
#include "compiler/layers/gathered_copies.h"
#include "compiler/network/layer_traits.h"
#include "compiler/storage/vectors.h"

namespace covenant::compiler {
namespace {

void append(std::string& key, char before, uint64_t number) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, number);
  key += before;
  key.append(digits, end.ptr);
}

/// Everything that a layer's cycles depend on: its computation with all counts, and its storages, but not its
/// constants.
std::string key_of(const NetworkLayer& layer) {
  std::string key = layer.codelet ? print(*layer.codelet) : layer.operation;
  for (const auto& [name, value] : layer.layer.params) {
    const auto* count = std::get_if<int64_t>(&value);
    key += ' ';
    key += name;
    append(key, '=', count == nullptr ? 0 : static_cast<uint64_t>(*count));
  }
  for (const auto& [name, dtype] : layer.layer.dtypes) {
    key += ' ';
    key += name;
    append(key, ':', static_cast<uint64_t>(dtype));
  }
  for (const auto& [name, storage] : layer.views) {
    key += ' ';
    key += name;
    append(key, '@', storage.offset);
    for (const StorageDimension& one : storage.dimensions) {
      append(key, ',', one.size);
      append(key, '+', one.after);
      for (const acg::Stride& step : one.strides) append(key, 'x', step.stride);
    }
  }
  return key;
}

/// True if the layer alone reads what a product makes, and so may become part of it.
bool follows_product(const Network& network, const TensorUses& uses, size_t index) {
  return std::ranges::any_of(network.layers[index].activations, [&](const auto& used) {
    const std::span<const size_t> layers = uses.layers_of(used.second);
    return layers.size() == 2 && layers.back() == index && traits(network.layers[layers.front()]).multiplies;
  });
}

}  // namespace

std::vector<Lowering> StorageCosts::lowerings_of(const Network& network, const TensorUses& uses, size_t index) const {
  std::vector<Lowering> lowerings = compiler::lowerings_of(makers_, network, uses, index, machine_);
  const auto is_wished = [&](const Lowering& one) { return one.name == wishes_[index]; };
  if (std::ranges::any_of(lowerings, is_wished)) {
    std::erase_if(lowerings, std::not_fn(is_wished));
  } else if (follows_product(network, uses, index)) {
    std::erase_if(lowerings, [](const Lowering& one) { return one.has_own_rows; });
  }
  return lowerings;
}

std::optional<StorageCosts::Priced> StorageCosts::best_lowering(const Network& network, const TensorUses& uses,
                                                                size_t index) {
  const NetworkLayer& layer = network.layers[index];
  std::optional<Priced> best;
  for (Lowering& one : lowerings_of(network, uses, index)) {
    if (!missing_storages(network, layer, one).empty()) continue;
    const uint64_t cycles = cycles_of(lowered(layer, one));
    if (!best || cycles < best->cycles) best = Priced{std::move(one), cycles};
  }
  return best;
}

uint64_t StorageCosts::cycles_of(const Network& network, const TensorUses& uses, size_t index) {
  const uint64_t gathers = cycles_of_gathers(network, index);
  if (traits(network.layers[index]).form == LayerForm::kCopy && names_gather(wishes_[index])) return gathers;
  const std::optional<Priced> best = best_lowering(network, uses, index);
  return std::min(gathers, best ? best->cycles : kNever);
}

/// The fewest of the ways to gather that a copy has, or those of the one that it shall take; `kNever` if there is none.
uint64_t StorageCosts::cycles_of_gathers(const Network& network, size_t index) {
  const NetworkLayer& layer = network.layers[index];
  if (wishes_[index] == layer.lowering) return kNever;
  uint64_t fewest = kNever;
  for (const Gather& gather : gathers(network, layer, machine_)) {
    if (names_gather(wishes_[index]) && name_of(gather) != wishes_[index]) continue;
    fewest = std::min(fewest, cycles_of(gathered_alone(network, layer, gather, machine_)));
  }
  return fewest;
}

bool StorageCosts::works_lane_by_lane(const NetworkLayer& layer) const {
  return !traits(layer).multiplies || (traits(layer).is_by_channels && !has_transfer_engines(machine_));
}

/// Elements past the last channel of a vector on chip are undefined. A product multiplies them by zero weights; a layer
/// that works lane by lane would store them as the padding of its result, if that has some and an operand has none.
bool StorageCosts::stores_padding_of_nothing(const NetworkLayer& layer) const {
  if (!works_lane_by_lane(layer)) return false;
  if (has_transfer_engines(machine_)) {
    const auto has_none = [&](const auto& used) {
      const auto view = layer.views.find(used.first);
      return view != layer.views.end() && view->second.dimensions.back().after == 0;
    };
    const auto result = layer.activations.find("y");  // declared codelets may call it otherwise
    if (result != layer.activations.end() && has_none(*result)) return false;
    return std::ranges::any_of(layer.activations, has_none) && !std::ranges::all_of(layer.activations, has_none);
  }
  // Vectors of several pixels of one tensor meet those of one pixel of another.
  const auto dense = static_cast<size_t>(std::ranges::count_if(layer.views, [&](const auto& view) {
    const StorageDimension& channels = view.second.dimensions.back();
    const DType dtype = layer.layer.dtypes.at(view.first);
    return channels.after == 0 && channels.size < codelet::written_at_once(machine_, dtype);
  }));
  return dense != 0 && dense != layer.activations.size();
}

/// Layers of one shape are evaluated many times: for each move of each tensor that one of them uses.
uint64_t StorageCosts::cycles_of(const NetworkLayer& layer) {
  const auto [known, is_new] = known_.try_emplace(key_of(layer), 0);
  if (is_new) known->second = searched_cycles_of(layer);
  return known->second;
}

uint64_t StorageCosts::searched_cycles_of(const NetworkLayer& layer) {
  if (stores_padding_of_nothing(layer)) return kNever;
  const Result<codelet::Codelet> packed = packed_codelet(layer, machine_, declared_);
  if (!packed) return kNever;
  const Result<ScheduleSearch> found = search_.search(*packed);
  return found ? found->simulated.front().prediction.cycles : kNever;
}

}  // namespace covenant::compiler
