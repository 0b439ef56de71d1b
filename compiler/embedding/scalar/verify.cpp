#include "compiler/embedding/scalar/verify.h"

#include <algorithm>
#include <vector>

#include "acg/base/check.h"

namespace covenant::compiler::embedding::scalar {
namespace {

using Tuples = std::vector<Tuple>;

void check_different(Tuples tuples) {
  std::ranges::sort(tuples);
  check(std::ranges::adjacent_find(tuples) == tuples.end(), "an embedding uses a scalar twice");
}

/// The first point that differs from point 0 in the dimension; as many as there are points if none does.
size_t first_change(const Tuples& points, size_t dimension) {
  const auto differs = [&](const Tuple& point) { return point[dimension] != points.front()[dimension]; };
  return static_cast<size_t>(std::ranges::find_if(points, differs) - points.begin());
}

/// Dimensions change first at points 1, a, a * b, ..., and each point is where these sides put it.
void check_rectangle(const Tuples& points, bool is_dense) {
  std::vector<std::pair<size_t, size_t>> sides;  // points within, dimension
  for (size_t dimension = 0; dimension < points.front().size(); ++dimension) {
    const size_t change = first_change(points, dimension);
    if (change < points.size()) sides.emplace_back(change, dimension);
  }
  std::ranges::sort(sides);
  for (size_t n = 0; n < points.size(); ++n) {
    Tuple expected = points.front();
    for (size_t side = 0; side < sides.size(); ++side) {
      const auto [within, dimension] = sides[side];
      const size_t above = side + 1 < sides.size() ? sides[side + 1].first : points.size();
      const int64_t stride = points[within][dimension] - points.front()[dimension];
      check(above % within == 0 && stride > 0 && (stride == 1 || !is_dense), "an embedding has an irregular side");
      expected[dimension] += static_cast<int64_t>(n % above / within) * stride;
    }
    check(points[n] == expected, "elements of an embedding are no hyper-rectangle");
  }
}

void check_tensor(const Tuples& elements, const Box& whole, const ScalarRules& rules) {
  check_different(elements);
  check_rectangle(elements, rules.is_dense);
  for (size_t i = 0; i < whole.ranges.size(); ++i) {
    check(!rules.has_fixed_origin || elements.front()[i] == whole.ranges[i].first, "an embedding begins elsewhere");
    for (const Tuple& element : elements) check(whole.ranges[i].contains(element[i]), "an element is in no tensor");
  }
}

void check_operations(const Problem& problem, const Solution& solution) {
  const Graph& graph = problem.graph;
  check(solution.operations.size() == graph.operations.count, "an embedding leaves out operations");
  check_different(solution.operations);
  for (size_t i = 0; i < solution.operations.size(); ++i) {
    const Tuple& instance = solution.operations[i];
    check(contains(problem.instances, instance), "an embedding has an instance that is none");
    check(element_of(problem.workload.output.indices, instance) == solution.output[graph.sum_of[i]],
          "an operation adds to another element");
    for (size_t input = 0; input < graph.inputs.size(); ++input) {
      const size_t place = graph.inputs_of[i][input] - graph.inputs[input].first;
      check(element_of(problem.workload.inputs[input].indices, instance) == solution.inputs[input][place],
            "an operation reads another element");
    }
  }
}

}  // namespace

void verify(const Problem& problem, const Solution& solution) {
  check_operations(problem, solution);
  check_tensor(solution.output, elements_of(problem.workload.output.indices, problem.instances), problem.rules);
  for (size_t input = 0; input < solution.inputs.size(); ++input) {
    const Tuples& elements = solution.inputs[input];
    check_tensor(elements, problem.inputs[input], problem.rules);
    for (const size_t dimension : problem.shared_dimensions[input]) {
      check(!problem.rules.is_linear || first_change(elements, dimension) == elements.size(),
            "an embedding goes along a stencil");
    }
  }
}

}  // namespace covenant::compiler::embedding::scalar
