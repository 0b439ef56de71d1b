#include "compiler/embedding/scalar/graph.h"

#include <algorithm>
#include <numeric>

#include "acg/base/check.h"

namespace covenant::compiler::embedding::scalar {
namespace {

using Axes = std::vector<size_t>;

/// The points of an instruction one after the other, the last axis fastest.
class Point {
 public:
  explicit Point(const Instruction& instruction) : axes_(instruction.axes), values_(axes_.size(), 0) {}

  void advance() {
    for (size_t axis = axes_.size(); axis-- > 0;) {
      if (++values_[axis] < axes_[axis].size) return;
      values_[axis] = 0;
    }
  }

  /// Its place among the points of some axes, the last one of which is fastest.
  size_t place(const Axes& axes) const {
    size_t place = 0;
    for (const size_t axis : axes) {
      place = place * static_cast<size_t>(axes_[axis].size) + static_cast<size_t>(values_[axis]);
    }
    return place;
  }

 private:
  const std::vector<InstructionAxis>& axes_;
  std::vector<int64_t> values_;
};

size_t points(const Instruction& instruction, const Axes& axes) {
  return std::accumulate(axes.begin(), axes.end(), size_t{1}, [&](size_t product, size_t axis) {
    return product * static_cast<size_t>(instruction.axes[axis].size);
  });
}

void check_operand(const Instruction& instruction, const InstructionOperand& operand) {
  for (const size_t axis : operand.axes) {
    check(axis < instruction.axes.size(), "an operand has an axis that the instruction has not");
    check(std::ranges::count(operand.axes, axis) == 1, "an axis indexes an operand twice");
  }
}

/// Sums are parallel to each other, operations to those at the same place of other sums.
void add_parallel_sets(const Instruction& instruction, Graph& graph) {
  Axes reductions;
  for (size_t axis = 0; axis < instruction.axes.size(); ++axis) {
    if (!instruction.output.mentions(axis)) reductions.push_back(axis);
  }
  graph.parallel.resize(1 + points(instruction, reductions));
  graph.parallel_set_of.resize(graph.operations.end());
  for (size_t sum = graph.sums.first; sum < graph.sums.end(); ++sum) graph.parallel.front().push_back(sum);
  Point point(instruction);
  for (size_t operation = graph.operations.first; operation < graph.operations.end(); ++operation, point.advance()) {
    const size_t set = 1 + point.place(reductions);
    graph.parallel[set].push_back(operation);
    graph.parallel_set_of[operation] = set;
  }
}

}  // namespace

Graph graph_of(const Instruction& instruction) {
  check_operand(instruction, instruction.output);
  for (const InstructionOperand& input : instruction.inputs) check_operand(instruction, input);
  Graph graph;
  graph.sums = {0, points(instruction, instruction.output.axes)};
  graph.operations = {graph.sums.end(), static_cast<size_t>(instances(instruction))};
  size_t next = graph.operations.end();
  for (const InstructionOperand& input : instruction.inputs) {
    graph.inputs.push_back({next, points(instruction, input.axes)});
    next = graph.inputs.back().end();
  }
  graph.operations_of.resize(next);
  Point point(instruction);
  for (size_t operation = graph.operations.first; operation < graph.operations.end(); ++operation, point.advance()) {
    graph.sum_of.push_back(point.place(instruction.output.axes));
    graph.operations_of[graph.sum_of.back()].push_back(operation);
    std::vector<size_t>& inputs = graph.inputs_of.emplace_back();
    for (size_t input = 0; input < instruction.inputs.size(); ++input) {
      inputs.push_back(graph.inputs[input].first + point.place(instruction.inputs[input].axes));
      graph.operations_of[inputs.back()].push_back(operation);
    }
  }
  add_parallel_sets(instruction, graph);
  return graph;
}

}  // namespace covenant::compiler::embedding::scalar
