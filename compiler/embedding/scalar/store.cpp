#include "compiler/embedding/scalar/store.h"

#include <algorithm>
#include <utility>

namespace covenant::compiler::embedding::scalar {
Store::Store(const Problem& problem)
    : domains_(problem.graph.variables()),
      is_assigned_(problem.graph.variables(), 0),
      values_(problem.graph.variables()),
      saved_period_(problem.graph.variables(), 0) {
  const auto set = [&](const Nodes& nodes, const Box& box) {
    for (size_t variable = nodes.first; variable < nodes.end(); ++variable) {
      domains_[variable] = Domain(box);
      if (!domains_[variable].is_single()) continue;
      is_assigned_[variable] = 1;
      values_[variable] = domains_[variable].first();
      assigned_.push_back(variable);
    }
  };
  set(problem.graph.sums, problem.output);
  set(problem.graph.operations, problem.instances);
  for (size_t i = 0; i < problem.inputs.size(); ++i) set(problem.graph.inputs[i], problem.inputs[i]);
}

bool Store::assign(size_t variable, const Tuple& value) {
  if (is_assigned(variable)) return values_[variable] == value;
  return domains_[variable].contains(value) && replace(variable, Domain(point(value)));
}

bool Store::keep(size_t variable, const Box& box) {
  if (is_assigned(variable)) return contains(box, values_[variable]);
  return replace(variable, kept(domains_[variable], box));
}

bool Store::remove(size_t variable, std::span<const Box> boxes) {
  const auto is_touched = [&](const Box& box) {
    return std::ranges::any_of(domains_[variable].boxes(), [&](const Box& own) { return overlap(own, box); });
  };
  if (std::ranges::none_of(boxes, is_touched)) return true;
  if (is_assigned(variable)) return false;
  return replace(variable, without(domains_[variable], boxes));
}

bool Store::replace(size_t variable, Domain part) {
  if (part.is_empty()) return false;
  Domain& domain = domains_[variable];
  if (std::ranges::equal(part.boxes(), domain.boxes())) return true;
  if (std::exchange(saved_period_[variable], period_) != period_) trail_.push_back({variable, std::move(domain)});
  domain = std::move(part);
  if (domain.is_single()) {
    is_assigned_[variable] = 1;
    values_[variable] = domain.first();
    assigned_.push_back(variable);
  }
  return true;
}

Store::Mark Store::mark() {
  ++period_;
  return {trail_.size(), assigned_.size()};
}

void Store::undo(const Mark& mark) {
  for (; assigned_.size() > mark.assigned; assigned_.pop_back()) is_assigned_[assigned_.back()] = 0;
  for (; trail_.size() > mark.trail; trail_.pop_back()) {
    domains_[trail_.back().variable] = std::move(trail_.back().before);
  }
  ++period_;
}

}  // namespace covenant::compiler::embedding::scalar
