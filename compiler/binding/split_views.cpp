#include "compiler/binding/split_views.h"

#include <set>

#include "compiler/codelet/rewrite.h"
#include "compiler/codelet/split_loop.h"

namespace covenant::compiler {
namespace {

using codelet::Codelet;
using codelet::Compute;
using codelet::Expression;
using codelet::Operation;
using codelet::Reference;
using codelet::Surrogate;

/// For one loop: how many elements of a dimension one step of each part but the outermost covers.
using Boundaries = std::map<std::string, std::set<int64_t>>;

/// The loop that alone indexes a dimension of a tensor; empty if none does.
std::string loop_over(const Codelet& codelet, const std::string& tensor, size_t dimension) {
  std::string found;
  const auto look = [&](const Reference& reference) {
    if (reference.surrogate != tensor || reference.indices.size() <= dimension) return;
    const Expression& index = reference.indices[dimension];
    if (index.terms().size() != 1 || index.terms()[0].names.size() != 1) return;
    const std::string& variable = index.terms()[0].names[0];
    if (index == Expression::variable(variable)) found = variable;
  };
  for_each_operation(codelet.body, [&](const Operation& operation, const auto& /*loops*/) {
    const auto* compute = std::get_if<Compute>(&operation.op);
    if (compute == nullptr) return;
    look(compute->destination);
    for (const auto& operand : compute->operands) {
      if (const auto* reference = std::get_if<Reference>(&operand)) look(*reference);
    }
  });
  return found;
}

void add_boundaries(const Codelet& codelet, const Surrogate& surrogate, const Storage& storage, Boundaries& to) {
  std::vector<uint64_t> shape;
  for (const int64_t size : constants(surrogate.shape)) shape.push_back(static_cast<uint64_t>(size));
  const Result<Storage> view = reshaped(storage, shape);
  if (!view) return;
  for (size_t d = 0; d + 1 < shape.size(); ++d) {
    const std::vector<acg::Stride>& steps = view->dimensions[d].strides;
    const std::string variable = steps.size() > 1 ? loop_over(codelet, surrogate.name, d) : "";
    if (variable.empty()) continue;
    int64_t within = 1;
    for (size_t i = steps.size(); i-- > 1;) {
      within *= static_cast<int64_t>(steps[i].count);
      to[variable].insert(within);
    }
  }
}

/// Trips of the parts of a loop of `all`, outermost first; none if the boundaries of two views do not fit each other.
std::vector<int64_t> trips_between(const std::set<int64_t>& boundaries, int64_t all) {
  std::vector<int64_t> trips;
  int64_t within = 1;
  for (const int64_t boundary : boundaries) {
    if (boundary % within != 0) return {};
    trips.insert(trips.begin(), boundary / within);
    within = boundary;
  }
  if (all % within != 0) return {};
  trips.insert(trips.begin(), all / within);
  return trips;
}

int64_t trips_of(const Codelet& codelet, const std::string& variable) {
  int64_t trips = 0;
  for_each_operation(codelet.body, [&](const Operation& operation, const auto& /*loops*/) {
    const auto* loop = std::get_if<codelet::Loop>(&operation.op);
    if (loop != nullptr && loop->variable == variable) trips = loop->upper.constant().value();
  });
  return trips;
}

}  // namespace

Codelet with_split_views(const Codelet& bound, const NetworkLayer& layer) {
  Boundaries boundaries;
  for (const auto& [name, storage] : layer.views) {
    const Surrogate* surrogate = find_surrogate(bound, name);
    if (surrogate != nullptr && surrogate->strides.empty()) add_boundaries(bound, *surrogate, storage, boundaries);
  }
  Codelet result = bound;
  for (const auto& [variable, within] : boundaries) {
    const std::vector<int64_t> trips = trips_between(within, trips_of(bound, variable));
    if (trips.empty()) continue;
    if (std::optional<Codelet> split = with_split_loop(result, variable, trips)) result = std::move(*split);
  }
  return result;
}

}  // namespace covenant::compiler
