#include "compiler/lowerings/pixel_vectors.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <optional>
#include <set>

#include "compiler/binding/layer_codelet.h"
#include "compiler/codelet/vector_sizes.h"
#include "compiler/network/layer_params.h"
#include "compiler/network/layer_traits.h"
#include "compiler/storage/padding.h"
#include "compiler/storage/vectors.h"

namespace covenant::compiler {
namespace {

std::string name_of(uint64_t pixels) { return fmt::format("vectors of {} pixels", pixels); }

/// A layer of rows [P,C], element by element: every tensor of its codelet has that shape.
bool is_elementwise(const NetworkLayer& layer) {
  const LayerTraits& seen = traits(layer);
  if (seen.form != LayerForm::kLanes || seen.codelet.empty() || layer.codelet || !layer.constants.empty()) return false;
  if (!layer.layer.params.contains("P") || !layer.layer.params.contains("C")) return false;
  const Result<codelet::Codelet> codelet = codelet_of(layer, {});
  const std::vector<codelet::Expression> rows{codelet::Expression::variable("P"), codelet::Expression::variable("C")};
  return codelet && std::ranges::all_of(codelet->surrogates, [&](const codelet::Surrogate& one) {
           return one.kind == codelet::SurrogateKind::kParam || one.shape == rows;
         });
}

/// Numbers of adjacent pixels that are worth a look, of rows of `columns` with so many `channels`.
std::set<uint64_t> lengths(uint64_t columns, uint64_t channels, uint64_t lanes) {
  std::set<uint64_t> pixels{lanes / channels, std::lcm(lanes, channels) / channels, columns};
  std::erase_if(pixels, [&](uint64_t one) { return one < 2 || columns % one != 0; });
  return pixels;
}

/// Sizes of an elementwise layer on images.
struct Images {
  uint64_t pixels = 0;  ///< all of them
  uint64_t columns = 0;
  uint64_t channels = 0;
  uint64_t lanes = 0;
};

/// Nothing for other layers, and where all channels fill whole vectors.
std::optional<Images> images_of(const Network& network, const NetworkLayer& layer, const acg::Machine& machine) {
  if (!has_transfer_engines(machine) || layer.activations.empty() || !is_elementwise(layer)) return std::nullopt;
  const Activation& first = network.activations[layer.activations.begin()->second];
  if (first.shape.size() != 4) return std::nullopt;
  Images images{first.shape[0] * first.shape[kRowAxis] * first.shape[kColumnAxis], first.shape[kColumnAxis],
                first.shape[kChannelAxis], 1};
  for (const auto& [name, used] : layer.activations) {
    const Activation& tensor = network.activations[used];
    if (tensor.shape != first.shape) return std::nullopt;
    images.lanes = std::max(images.lanes, codelet::written_at_once(machine, tensor.dtype));
  }
  const bool has_all = count(layer, "P") * count(layer, "C") == images.pixels * images.channels;
  return has_all && images.channels % images.lanes != 0 ? std::optional(images) : std::nullopt;
}

}  // namespace

std::vector<Lowering> pixel_vector_lowerings(const Network& network, const TensorUses& uses, size_t index,
                                             const acg::Machine& machine) {
  const NetworkLayer& plain = network.layers.at(index);
  const std::optional<Images> images = images_of(network, plain, machine);
  if (!images || count(plain, "C") != images->channels) return {};
  std::map<std::string, Storage> wanted;
  for (const auto& [name, used] : plain.activations) {
    const Activation& tensor = network.activations[used];
    if (has_adjacent_pixels(tensor.storage)) continue;
    if (!uses.moves_with_slices(used)) return {};
    wanted[name] = channels_last(tensor.storage.memory, tensor.shape, {});
  }
  std::vector<Lowering> made;
  for (const uint64_t pixels : lengths(images->columns, images->channels, images->lanes)) {
    Lowering& one = made.emplace_back(Lowering{.name = name_of(pixels),
                                               .maker = "pixel_vectors",
                                               .operation = plain.operation,
                                               .params = plain.layer.params,
                                               .storages = wanted,
                                               .has_own_rows = true});
    one.params["P"] = static_cast<int64_t>(images->pixels / pixels);
    one.params["C"] = static_cast<int64_t>(images->channels * pixels);
  }
  return made;
}

std::vector<NetworkLayer> with_other_rows(const Network& network, const NetworkLayer& layer,
                                          const acg::Machine& machine) {
  const std::optional<Images> images = images_of(network, layer, machine);
  const auto is_adjacent = [&](const auto& used) {
    return has_adjacent_pixels(network.activations[used.second].storage);
  };
  if (!images || !std::ranges::all_of(layer.activations, is_adjacent)) return {};
  std::set<uint64_t> all = lengths(images->columns, images->channels, images->lanes);
  all.insert(1);
  std::vector<NetworkLayer> others;
  for (const uint64_t pixels : all) {
    if (count(layer, "C") == images->channels * pixels) continue;
    NetworkLayer& one = others.emplace_back(layer);
    one.lowering = pixels == 1 ? "plain" : name_of(pixels);
    set_count(one, "P", images->pixels / pixels);
    set_count(one, "C", images->channels * pixels);
  }
  return others;
}

}  // namespace covenant::compiler
