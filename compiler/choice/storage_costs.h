/// Predicted costs of layers with given storages, computed once for all equal layers.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/codelet/codelet.h"
#include "compiler/lowerings/conv_lowerings.h"
#include "compiler/network/network.h"
#include "compiler/network/tensor_uses.h"
#include "compiler/schedule/layer_search.h"

namespace covenant::compiler {

/// Cost of a layer that is impossible; a sum of many of them fits 64 bits.
inline constexpr uint64_t kNever = std::numeric_limits<uint32_t>::max() * uint64_t{1} << 16;

class StorageCosts {
 public:
  /// `wishes[i]`: the way in which layer i shall be done, or empty. All but `wishes` outlive the costs.
  StorageCosts(std::vector<std::string> wishes, LayerSearch& search, const std::vector<codelet::Codelet>& declared)
      : wishes_(std::move(wishes)), search_(search), machine_(search.machine()), declared_(declared) {}

  /// The best lowering for which all tensors are laid out as required; nothing if there is none.
  std::optional<ConvLowering> best_way(const Network& network, const TensorUses& uses, size_t index);

  /// Cycles of a layer in its best way, or `kNever`.
  uint64_t cycles_of(const Network& network, const TensorUses& uses, size_t index);

  /// True if layer `index` may use the lowering `name`. If its wished lowering does not exist, it may use all.
  bool is_wanted(size_t index, const std::string& name, const std::vector<ConvLowering>& ways) const;

  /// True if each lane of a result comes from the same lane of the input. In registers this also holds for products
  /// without sums over channels.
  bool works_lane_by_lane(const NetworkLayer& layer) const;

 private:
  bool stores_padding_of_nothing(const NetworkLayer& layer) const;
  uint64_t cycles_of(const NetworkLayer& layer);
  uint64_t searched_cycles_of(const NetworkLayer& layer);

  std::vector<std::string> wishes_;
  LayerSearch& search_;
  const acg::Machine& machine_;
  const std::vector<codelet::Codelet>& declared_;
  std::map<std::string, uint64_t> known_;  ///< cycles, by all that they depend on
};

}  // namespace covenant::compiler
