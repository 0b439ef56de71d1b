#include "compiler/choice/replacements.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "acg/base/check.h"
#include "compiler/choice/storage_costs.h"
#include "compiler/layers/gathered_copies.h"
#include "compiler/layers/pixel_blocks.h"
#include "compiler/layers/transposed_copies.h"
#include "compiler/network/layer_traits.h"
#include "compiler/network/tensor_uses.h"

namespace covenant::compiler {
namespace {

/// Ways in blocks of pixels whose schedules are searched for one layer: those with the best estimates.
constexpr size_t kMostTried = 4;

/// One way to do the work of a layer by others: appends their tensors to the network, and takes names.
using Replacement = std::function<std::vector<NetworkLayer>(Network&, TakenNames&)>;

class Replacer {
 public:
  Replacer(const Network& network, const std::vector<std::string>& wishes, LayerSearch& search,
           const LoweringMakers& makers, const std::vector<codelet::Codelet>& declared)
      : before_(network),
        uses_(before_),
        wishes_(wishes),
        network_(network),
        costs_(wishes, search, makers, declared),
        machine_(search.machine()),
        names_(names_in(network)) {
    check(wishes.size() == network.layers.size(), "one wish per layer");
    network_.layers.clear();
  }

  Network run() {
    for (size_t i = 0; i < before_.layers.size(); ++i) {
      const NetworkLayer& layer = before_.layers[i];
      const std::optional<Replacement> best = best_for(i);
      if (!best) {
        network_.layers.push_back(layer);
        continue;
      }
      for (NetworkLayer& made : (*best)(network_, names_)) network_.layers.push_back(std::move(made));
    }
    return std::move(network_);
  }

 private:
  std::optional<Replacement> best_for(size_t index) {
    const NetworkLayer& layer = before_.layers[index];
    if (traits(layer).form == LayerForm::kCopy)
      return has_wished_way(index) ? std::nullopt : cheapest(turned(layer), costs_.cycles_of(before_, uses_, index));
    if (!traits(layer).multiplies) return std::nullopt;
    const uint64_t most = std::numeric_limits<uint64_t>::max();
    const std::vector<PixelBlock> all = pixel_blocks(network_, layer, machine_, most);
    if (all.empty()) return std::nullopt;
    const auto wished =
        std::ranges::find_if(all, [&](const PixelBlock& one) { return name_of(one) == wishes_[index]; });
    if (wished != all.end()) return in_blocks(layer, *wished);
    const uint64_t cycles = fewest_cycles_of(index);
    std::vector<Replacement> ways;
    for (const PixelBlock& block : pixel_blocks(network_, layer, machine_, cycles)) {
      if (ways.size() < kMostTried) ways.push_back(in_blocks(layer, block));
    }
    return cheapest(ways, cycles);
  }

  /// A copy that shall stay one, or gather.
  bool has_wished_way(size_t index) const {
    return wishes_[index] == before_.layers[index].lowering || names_gather(wishes_[index]);
  }

  std::vector<Replacement> turned(const NetworkLayer& copy) const {
    std::vector<Replacement> ways;
    for (const uint64_t run : run_lengths(network_, copy, machine_)) {
      ways.emplace_back([this, &copy, run](Network& network, TakenNames& names) {
        return transposed_copy(network, copy, run, machine_, names);
      });
    }
    return ways;
  }

  Replacement in_blocks(const NetworkLayer& convolution, const PixelBlock& block) const {
    return [this, &convolution, block](Network& network, TakenNames& names) {
      return in_pixel_blocks(network, convolution, block, machine_, names);
    };
  }

  /// Nothing if none takes fewer cycles than these.
  std::optional<Replacement> cheapest(const std::vector<Replacement>& ways, uint64_t cycles) {
    std::optional<Replacement> best;
    const size_t activations = network_.activations.size();
    for (const Replacement& way : ways) {
      TakenNames names;  // of layers that are priced and forgotten
      uint64_t others = 0;
      for (const NetworkLayer& layer : way(network_, names)) others += costs_.cycles_of(layer);
      network_.activations.resize(activations);
      if (others >= cycles) continue;
      cycles = others;
      best = way;
    }
    return best;
  }

  /// The fewest of all lowerings, wherever they want the layer's tensors; 0 if it has a wanted one, so that it stays.
  uint64_t fewest_cycles_of(size_t index) {
    uint64_t fewest = kNever;
    for (const Lowering& one : costs_.lowerings_of(before_, uses_, index)) {
      if (one.name == wishes_[index]) return 0;
      fewest = std::min(fewest, costs_.cycles_of(lowered(before_.layers[index], one)));
    }
    return fewest;
  }

  const Network& before_;
  const TensorUses uses_;
  const std::vector<std::string>& wishes_;
  Network network_;
  StorageCosts costs_;
  const acg::Machine& machine_;
  TakenNames names_;
};

}  // namespace

Network with_replacements(const Network& network, const std::vector<std::string>& wishes, LayerSearch& search,
                          const LoweringMakers& makers, const std::vector<codelet::Codelet>& declared) {
  return Replacer(network, wishes, search, makers, declared).run();
}

}  // namespace covenant::compiler
