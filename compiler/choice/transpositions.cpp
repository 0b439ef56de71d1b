#include "compiler/choice/transpositions.h"

#include <utility>

#include "compiler/choice/storage_costs.h"
#include "compiler/layers/transposed_copies.h"
#include "compiler/network/layer_traits.h"

namespace covenant::compiler {
namespace {

class Transposer {
 public:
  Transposer(const Network& network, LayerSearch& search, const std::vector<codelet::Codelet>& declared)
      : network_(network),
        costs_({}, search, no_makers_, declared),
        machine_(search.machine()),
        names_(names_in(network)) {
    network_.layers.clear();
  }

  Network run(const std::vector<NetworkLayer>& layers) {
    for (const NetworkLayer& layer : layers) {
      if (traits(layer).form == LayerForm::kCopy) {
        add_copy(layer);
      } else {
        network_.layers.push_back(layer);
      }
    }
    return std::move(network_);
  }

 private:
  /// The copy, or the layers in its place; their elements that are left over are a copy again.
  void add_copy(const NetworkLayer& copy) {
    uint64_t least = costs_.cycles_of(copy);
    std::optional<uint64_t> best;
    const size_t activations = network_.activations.size();
    for (const uint64_t run : run_lengths(network_, copy, machine_)) {
      TakenNames names = names_;
      uint64_t cycles = 0;
      for (const NetworkLayer& layer : transposed_copy(network_, copy, run, machine_, names)) {
        cycles += costs_.cycles_of(layer);
      }
      network_.activations.resize(activations);
      if (cycles >= least) continue;
      least = cycles;
      best = run;
    }
    if (!best) return network_.layers.push_back(copy);
    for (NetworkLayer& layer : transposed_copy(network_, copy, *best, machine_, names_)) {
      if (traits(layer).multiplies) set_permutation(layer);
      network_.layers.push_back(std::move(layer));
    }
  }

  Network network_;
  const LoweringMakers no_makers_;
  StorageCosts costs_;
  const acg::Machine& machine_;
  TakenNames names_;
};

}  // namespace

Network with_transpositions(const Network& network, LayerSearch& search,
                            const std::vector<codelet::Codelet>& declared) {
  return Transposer(network, search, declared).run(network.layers);
}

}  // namespace covenant::compiler
