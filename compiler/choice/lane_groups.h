/// Groups of tensors that are joined by layers which work lane by lane: making one dense saves cycles only if all of
/// them are.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace covenant::compiler {

/// One group, the layers that touch it, and what these cost: sums that a change of one tensor changes in one place.
struct LaneGroup {
  struct Cost {
    uint64_t now = 0;    ///< cycles of the layer with the present storages
    uint64_t dense = 0;  ///< cycles with all tensors of the group dense
  };

  std::vector<size_t> activations;
  std::vector<size_t> layers{};              ///< in ascending order
  std::vector<std::optional<Cost>> costs{};  ///< by place in `layers`; nothing if a tensor of the layer has moved since
  std::vector<size_t> open{};                ///< places without costs
  Cost sum{};                                ///< sum of the known costs

  /// Place of a layer in `layers`; nothing if it uses no tensor of the group.
  std::optional<size_t> position_of(size_t layer) const;
  void forget(size_t place);
  void set(size_t place, Cost cost);
};

/// `joined[i]`: activations that must be laid out alike. Each of `members` is in exactly one group.
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
