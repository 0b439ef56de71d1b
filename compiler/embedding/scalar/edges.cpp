#include "compiler/embedding/scalar/edges.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace covenant::compiler::embedding::scalar {
namespace {

/// Keeps the instances of a variable's domain whose element is this one.
bool keep_instances(const Indices& indices, const Tuple& element, Store& store, size_t variable) {
  if (store.is_assigned(variable)) return element_of(indices, store.value(variable)) == element;
  std::vector<Box> parts;
  for (const Box& box : store.domain(variable).boxes()) append_instances(indices, element, box, parts);
  return store.replace(variable, Domain(std::move(parts)));
}

bool propagate_operation(const Problem& problem, Store& store, size_t variable) {
  const Graph& graph = problem.graph;
  const Tuple instance = store.value(variable);
  const size_t operation = variable - graph.operations.first;
  const Tuple element = element_of(problem.workload.output.indices, instance);
  const size_t sum = graph.sum_of[operation];
  const bool is_connected = problem.sums == SumDomain::kInstances
                                ? keep_instances(problem.workload.output.indices, element, store, sum)
                                : store.assign(sum, element);
  if (!is_connected) return false;
  for (size_t input = 0; input < graph.inputs.size(); ++input) {
    const Indices& indices = problem.workload.inputs[input].indices;
    if (!store.assign(graph.inputs_of[operation][input], element_of(indices, instance))) return false;
  }
  return true;
}

/// The group that the variable belongs to.
const Nodes& group_of(const Problem& problem, size_t variable) {
  if (variable < problem.graph.sums.end()) return problem.graph.sums;
  if (problem.graph.operations.contains(variable)) return problem.graph.operations;
  return *std::ranges::find_if(problem.graph.inputs, [&](const Nodes& nodes) { return nodes.contains(variable); });
}

/// Values of a sum's or an operation's variable that belong to the same element of the output as a value of it.
std::vector<Box> same_output(const Problem& problem, size_t variable, const Tuple& value) {
  const bool is_element = variable < problem.graph.sums.end() && problem.sums == SumDomain::kElements;
  if (is_element) return {point(value)};
  std::vector<Box> boxes;
  const Indices& indices = problem.workload.output.indices;
  append_instances(indices, element_of(indices, value), problem.instances, boxes);
  return boxes;
}

}  // namespace

bool propagate_dataflow(const Problem& problem, Store& store, size_t variable) {
  const Graph& graph = problem.graph;
  if (graph.operations.contains(variable)) return propagate_operation(problem, store, variable);
  const auto input = std::ranges::find_if(
      graph.inputs, [&](const Nodes& nodes) { return variable >= nodes.first && variable < nodes.end(); });
  const bool is_input = input != graph.inputs.end();
  const Access& access =
      is_input ? problem.workload.inputs[static_cast<size_t>(input - graph.inputs.begin())] : problem.workload.output;
  const Tuple element = is_input ? store.value(variable) : output_element(problem, store.value(variable));
  return std::ranges::all_of(graph.operations_of[variable], [&](size_t operation) {
    return keep_instances(access.indices, element, store, operation);
  });
}

bool propagate_parallel(const Problem& problem, Store& store, size_t variable) {
  if (variable >= problem.graph.operations.end()) return true;
  const std::vector<size_t>& set = problem.graph.parallel[problem.graph.parallel_set_of[variable]];
  if (set.size() == 1) return true;
  const std::vector<Box> boxes = same_output(problem, variable, store.value(variable));
  if (variable != set.front()) return store.remove(set.front(), boxes);
  return std::all_of(set.begin() + 1, set.end(), [&](size_t other) { return store.remove(other, boxes); });
}

bool propagate_all_different(const Problem& problem, Store& store, std::span<const size_t> variables) {
  std::vector<Tuple> values;
  for (const size_t variable : variables) values.push_back(store.value(variable));
  std::ranges::sort(values);
  if (std::ranges::adjacent_find(values) != values.end()) return false;
  std::vector<Box> points;
  for (const Tuple& value : values) points.push_back(point(value));
  const Nodes& group = group_of(problem, variables.front());
  for (size_t other = group.first; other < group.end(); ++other) {
    const bool is_one = std::ranges::find(variables, other) != variables.end();
    if (!is_one && !store.remove(other, points)) return false;
  }
  return true;
}

}  // namespace covenant::compiler::embedding::scalar
