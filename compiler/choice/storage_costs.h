/// Predicted costs of layers with given storages, computed once for all equal layers.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/codelet/codelet.h"
#include "compiler/lowerings/lowering.h"
#include "compiler/lowerings/makers.h"
#include "compiler/network/network.h"
#include "compiler/network/tensor_uses.h"
#include "compiler/schedule/layer_search.h"

namespace covenant::compiler {

/// Cost of a layer that is impossible; a sum of many of them fits 64 bits.
inline constexpr uint64_t kNever = std::numeric_limits<uint32_t>::max() * uint64_t{1} << 16;

class StorageCosts {
 public:
  /// `wishes[i]`: name of the lowering that layer i shall have, or empty. All but `wishes` outlive the costs.
  StorageCosts(std::vector<std::string> wishes, LayerSearch& search, const LoweringMakers& makers,
               const std::vector<codelet::Codelet>& declared)
      : wishes_(std::move(wishes)), search_(search), machine_(search.machine()), makers_(makers), declared_(declared) {}

  /// The lowerings that layer `index` may have: the wished one, or all if there is no such; but none with rows of its
  /// own for a layer that may be fused with a product. Whether it is, and the rows that it gets, is decided later.
  std::vector<Lowering> lowerings_of(const Network& network, const TensorUses& uses, size_t index) const;

  /// A lowering, and the cycles that are predicted for it.
  struct Priced {
    Lowering lowering;
    uint64_t cycles = kNever;
  };
  /// The best of those whose wanted storages the tensors have; nothing if there is none.
  std::optional<Priced> best_lowering(const Network& network, const TensorUses& uses, size_t index);

  /// Cycles of a layer in its best lowering, or of a copy that gathers; `kNever` if there is neither.
  uint64_t cycles_of(const Network& network, const TensorUses& uses, size_t index);

  /// The same of a layer as it is.
  uint64_t cycles_of(const NetworkLayer& layer);

  /// True if each lane of a result comes from the same lane of the input. In registers this also holds for products
  /// without sums over channels.
  bool works_lane_by_lane(const NetworkLayer& layer) const;

 private:
  uint64_t cycles_of_gathers(const Network& network, size_t index);
  bool stores_padding_of_nothing(const NetworkLayer& layer) const;
  uint64_t searched_cycles_of(const NetworkLayer& layer);

  std::vector<std::string> wishes_;
  LayerSearch& search_;
  const acg::Machine& machine_;
  const LoweringMakers& makers_;
  const std::vector<codelet::Codelet>& declared_;
  std::map<std::string, uint64_t> known_;  ///< cycles, by all that they depend on
};

}  // namespace covenant::compiler
