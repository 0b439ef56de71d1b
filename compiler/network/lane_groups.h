/// Tensors that layers which work lane by lane join: they save cycles only where all of them are dense.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace covenant::compiler {

/// One group, the layers that touch it, and what these cost: sums that a change of one tensor changes in one place.
struct LaneGroup {
  struct Cost {
    uint64_t now = 0;    ///< of the layer as its tensors lie
    uint64_t dense = 0;  ///< with all tensors of the group dense
  };

  std::vector<size_t> activations;
  std::vector<size_t> layers{};              ///< in their order
  std::vector<std::optional<Cost>> costs{};  ///< by place in `layers`; none if a tensor of the layer has moved since
  std::vector<size_t> open{};                ///< places without costs
  Cost sum{};                                ///< of those that are known

  /// Where a layer of the group stands in `layers`; none if it touches no tensor of the group.
  std::optional<size_t> place_of(size_t layer) const;
  void forget(size_t place);
  void set(size_t place, Cost cost);
};

/// `joined[i]`: activations that must lie alike. Each of `members` is in one group, and no other one.
class LaneGroups {
 public:
  LaneGroups(size_t activations, const std::vector<std::vector<size_t>>& joined, const std::vector<size_t>& members);

  std::optional<size_t> group_of(size_t activation) const { return group_of_[activation]; }
  LaneGroup& operator[](size_t group) { return groups_[group]; }
  const LaneGroup& operator[](size_t group) const { return groups_[group]; }
  std::span<LaneGroup> all() { return groups_; }

 private:
  std::vector<std::optional<size_t>> group_of_;
  std::vector<LaneGroup> groups_;
};

}  // namespace covenant::compiler
