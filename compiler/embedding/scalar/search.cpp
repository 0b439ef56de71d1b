#include "compiler/embedding/scalar/search.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "acg/base/check.h"
#include "compiler/embedding/scalar/propagate.h"

namespace covenant::compiler::embedding::scalar {
namespace {

/// Dimensions of a tensor in the order of the first axes that index them; those that no axis does come first.
std::vector<size_t> dimensions_in(const AxisOrder& order, const Indices& indices) {
  std::vector<size_t> dimensions(indices.size());
  std::iota(dimensions.begin(), dimensions.end(), size_t{0});
  const auto place = [&](size_t dimension) {
    const auto axis = std::ranges::find_if(order, [&](size_t one) { return indices[dimension].mentions(one); });
    return axis == order.end() ? size_t{0} : static_cast<size_t>(axis - order.begin()) + 1;
  };
  std::ranges::stable_sort(dimensions, {}, place);
  return dimensions;
}

}  // namespace

AxisOrder plain_order(const Workload& workload) {
  AxisOrder order(workload.axes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  return order;
}

Search::Search(const Problem& problem, AxisOrder order) : problem_(problem), store_(problem) {
  check(std::ranges::is_permutation(order, plain_order(problem.workload)), "an order has each axis once");
  const bool is_instance = problem.sums == SumDomain::kInstances;
  dimensions_.push_back(is_instance ? order : dimensions_in(order, problem.workload.output.indices));
  dimensions_.push_back(order);
  for (const Access& input : problem.workload.inputs) dimensions_.push_back(dimensions_in(order, input.indices));
}

SearchState Search::run(uint64_t nodes) {
  if (nodes == 0) return SearchState::kOpen;
  const uint64_t most = effort_.nodes + nodes;
  if (effort_.nodes == 0) {
    const SearchState state = expand_root();
    if (state != SearchState::kOpen) return state;
  }
  Tuple value;
  while (!choices_.empty()) {
    if (effort_.nodes == most) return SearchState::kOpen;
    Choice& choice = choices_.back();
    store_.undo(choice.before);
    if (!choice.values.next(value)) {
      choices_.pop_back();
      continue;
    }
    ++effort_.nodes;
    effort_.depth = std::max(effort_.depth, static_cast<uint64_t>(choices_.size()));
    const size_t known = store_.assigned().size();
    if (!store_.assign(choice.variable, value) || !propagate(problem_, store_, known)) {
      ++effort_.fails;
    } else if (branch(choice.variable + 1) == SearchState::kSolution) {
      return SearchState::kSolution;
    }
  }
  return SearchState::kExhausted;
}

SearchState Search::expand_root() {
  ++effort_.nodes;
  if (propagate_root(problem_, store_)) return branch(0);
  ++effort_.fails;
  return SearchState::kExhausted;
}

/// Branches on the next variable, from `first` on, that is not assigned; a solution if there is none.
SearchState Search::branch(size_t first) {
  size_t variable = first;
  while (variable < problem_.graph.variables() && store_.is_assigned(variable)) ++variable;
  if (variable == problem_.graph.variables()) return SearchState::kSolution;
  choices_.push_back({variable, Cursor(store_.domain(variable), dimensions_of(variable)), store_.mark()});
  return SearchState::kOpen;
}

std::vector<size_t> Search::dimensions_of(size_t variable) const {
  const Graph& graph = problem_.graph;
  if (variable < graph.sums.end()) return dimensions_[0];
  if (variable < graph.operations.end()) return dimensions_[1];
  size_t input = 0;
  while (variable >= graph.inputs[input].end()) ++input;
  return dimensions_[2 + input];
}

Solution Search::solution() const {
  const auto values = [&](const Nodes& nodes) {
    std::vector<Tuple> all;
    for (size_t variable = nodes.first; variable < nodes.end(); ++variable) {
      check(store_.is_assigned(variable), "a solution is taken where there is none");
      all.push_back(store_.value(variable));
    }
    return all;
  };
  Solution solution{values(problem_.graph.operations), values(problem_.graph.sums), {}};
  for (Tuple& value : solution.output) value = output_element(problem_, value);
  for (const Nodes& nodes : problem_.graph.inputs) solution.inputs.push_back(values(nodes));
  return solution;
}

}  // namespace covenant::compiler::embedding::scalar
