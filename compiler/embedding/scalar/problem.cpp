#include "compiler/embedding/scalar/problem.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "acg/base/check.h"

namespace covenant::compiler::embedding::scalar {
namespace {

std::vector<size_t> shared_dimensions_of(const Access& access, const std::vector<Axis>& axes) {
  std::vector<size_t> shared;
  for (size_t dimension = 0; dimension < access.indices.size(); ++dimension) {
    size_t iterators = 0;
    for (size_t axis = 0; axis < axes.size(); ++axis) {
      if (axes[axis].extent > 1 && access.indices[dimension].mentions(axis)) ++iterators;
    }
    if (iterators > 1) shared.push_back(dimension);
  }
  return shared;
}

/// `bound` times the largest factor of an axis in the index, at most `count`.
int64_t bounded_count(const AffineIndex& index, int64_t bound, int64_t count) {
  int64_t stride = 1;
  for (const int64_t coefficient : index.coefficients) stride = std::max(stride, std::abs(coefficient));
  return stride > count / bound ? count : bound * stride;
}

}  // namespace

Problem problem_of(Workload workload, Instruction instruction, const ScalarRules& rules, SumDomain sums) {
  check(workload.inputs.size() == instruction.inputs.size(), "workload and instruction differ in their inputs");
  Problem problem;
  problem.graph = graph_of(instruction);
  std::vector<int64_t> extents;
  for (const Axis& axis : workload.axes) extents.push_back(axis.extent);
  problem.instances = box_of(extents);
  problem.output =
      sums == SumDomain::kInstances ? problem.instances : elements_of(workload.output.indices, problem.instances);
  for (const Access& input : workload.inputs) {
    problem.inputs.push_back(elements_of(input.indices, problem.instances));
    problem.shared_dimensions.push_back(shared_dimensions_of(input, workload.axes));
  }
  problem.workload = std::move(workload);
  problem.instruction = std::move(instruction);
  problem.rules = rules;
  problem.sums = sums;
  return problem;
}

Problem bounded(Problem problem, int64_t bound) {
  check(bound > 0, "a bound of domains is not positive");
  for (Range& range : problem.instances.ranges) range.count = std::min(range.count, bound);
  for (Range& range : problem.output.ranges) range.count = std::min(range.count, bound);
  for (size_t input = 0; input < problem.inputs.size(); ++input) {
    std::vector<Range>& ranges = problem.inputs[input].ranges;
    for (size_t i = 0; i < ranges.size(); ++i) {
      ranges[i].count = bounded_count(problem.workload.inputs[input].indices[i], bound, ranges[i].count);
    }
  }
  return problem;
}

Tuple output_element(const Problem& problem, const Tuple& value) {
  return problem.sums == SumDomain::kInstances ? element_of(problem.workload.output.indices, value) : value;
}

}  // namespace covenant::compiler::embedding::scalar
