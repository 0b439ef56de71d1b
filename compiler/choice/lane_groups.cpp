#include "compiler/choice/lane_groups.h"

#include <algorithm>
#include <numeric>

namespace covenant::compiler {
namespace {

/// The first of those that are joined with `one`; paths are halved on the way, so that all are short.
size_t first_of(std::vector<size_t>& before, size_t one) {
  while (before[one] != one) one = before[one] = before[before[one]];
  return one;
}

}  // namespace

std::optional<size_t> LaneGroup::position_of(size_t layer) const {
  const auto found = std::lower_bound(layers.begin(), layers.end(), layer);
  if (found == layers.end() || *found != layer) return std::nullopt;
  return static_cast<size_t>(found - layers.begin());
}

void LaneGroup::forget(size_t place) {
  if (!costs[place]) return;
  sum.now -= costs[place]->now;
  sum.dense -= costs[place]->dense;
  costs[place].reset();
  open.push_back(place);
}

void LaneGroup::set(size_t place, Cost cost) {
  costs[place] = cost;
  sum.now += cost.now;
  sum.dense += cost.dense;
}

LaneGroups::LaneGroups(size_t activations, const std::vector<std::vector<size_t>>& joined,
                       const std::vector<size_t>& members)
    : group_of_(activations) {
  std::vector<size_t> before(activations);
  std::iota(before.begin(), before.end(), size_t{0});
  for (const std::vector<size_t>& alike : joined) {
    for (const size_t one : alike) before[first_of(before, one)] = first_of(before, alike.front());
  }
  std::vector<std::optional<size_t>> known(activations);  // groups, by their first activation
  for (const size_t one : members) {
    std::optional<size_t>& group = known[first_of(before, one)];
    if (!group) {
      group = groups_.size();
      groups_.push_back({{}});
    }
    groups_[*group].activations.push_back(one);
    group_of_[one] = group;
  }
}

}  // namespace covenant::compiler
