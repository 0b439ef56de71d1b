#include "compiler/embedding/scalar/access.h"

namespace covenant::compiler::embedding::scalar {
namespace {

Tuple first_of(const Box& box) {
  Tuple first;
  for (const Range& range : box.ranges) first.push_back(range.first);
  return first;
}

}  // namespace

bool fix_origins(const Problem& problem, Store& store) {
  if (!store.assign(problem.graph.sums.first, first_of(problem.output))) return false;
  for (size_t input = 0; input < problem.inputs.size(); ++input) {
    if (!store.assign(problem.graph.inputs[input].first, first_of(problem.inputs[input]))) return false;
  }
  return true;
}

bool propagate_linear_access(const Problem& problem, Store& store, size_t input, size_t variable) {
  if (problem.shared_dimensions[input].empty()) return true;
  Box alike = problem.inputs[input];
  for (const size_t dimension : problem.shared_dimensions[input]) {
    alike.ranges[dimension] = {store.value(variable)[dimension], 1, 1};
  }
  const Nodes& nodes = problem.graph.inputs[input];
  for (size_t other = nodes.first; other < nodes.end(); ++other) {
    if (!store.keep(other, alike)) return false;
  }
  return true;
}

}  // namespace covenant::compiler::embedding::scalar
