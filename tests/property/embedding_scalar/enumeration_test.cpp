/// On drawn tiny workloads and instructions the scalar solver finds exactly the solutions that an enumeration of all
/// assignments finds, which is written here by what a solution means and shares nothing with the propagators.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <random>
#include <set>

#include "compiler/embedding/scalar/portfolio.h"
#include "compiler/embedding/scalar/propagate.h"
#include "tests/support/embedding_scalar/workloads.h"
#include "tests/support/seed.h"

namespace covenant::compiler::embedding::scalar {
namespace {

using Tuples = std::vector<Tuple>;

/// An operand as the enumeration sees it: elements by the point of the instruction on the operand's axes.
struct Elements {
  std::map<Tuple, Tuple> by_point;  // sorted by point, the last axis fastest
};

class Enumeration {
 public:
  Enumeration(const Workload& workload, const Instruction& instruction, const ScalarRules& rules)
      : workload_(workload), instruction_(instruction), rules_(rules) {
    std::vector<int64_t> extents;
    std::vector<int64_t> sizes;
    for (const Axis& axis : workload.axes) extents.push_back(axis.extent);
    for (const InstructionAxis& axis : instruction.axes) sizes.push_back(axis.size);
    instances_ = test::grid(extents);
    points_ = test::grid(sizes);
    operands_.resize(instruction.inputs.size() + 1);
  }

  /// Instances of the operations of each solution.
  std::set<Tuples> solutions() {
    extend();
    return found_;
  }

 private:
  const InstructionOperand& operand(size_t i) const {
    return i == 0 ? instruction_.output : instruction_.inputs[i - 1];
  }
  const Access& access(size_t i) const { return i == 0 ? workload_.output : workload_.inputs[i - 1]; }

  Tuple element(size_t i, const Tuple& instance) const {
    Tuple element;
    for (const AffineIndex& index : access(i).indices) element.push_back(index.at(instance));
    return element;
  }

  /// Tries every instance for the next point that shares elements with those before exactly where the points do.
  void extend() {
    if (chosen_.size() == points_.size()) {
      if (holds_rules()) found_.insert(chosen_);
      return;
    }
    for (const Tuple& instance : instances_) {
      if (std::ranges::find(chosen_, instance) != chosen_.end()) continue;
      const std::vector<Elements> before = operands_;
      if (add(instance)) {
        chosen_.push_back(instance);
        extend();
        chosen_.pop_back();
      }
      operands_ = before;
    }
  }

  bool add(const Tuple& instance) {
    const Tuple& point = points_[chosen_.size()];
    for (size_t i = 0; i < operands_.size(); ++i) {
      Tuple own;
      for (const size_t axis : operand(i).axes) own.push_back(point[axis]);
      const Tuple read = element(i, instance);
      for (const auto& [other, at] : operands_[i].by_point) {
        if ((other == own) != (at == read)) return false;
      }
      operands_[i].by_point[own] = read;
    }
    return true;
  }

  bool holds_rules() const {
    for (size_t i = 0; i < operands_.size(); ++i) {
      Tuples elements;
      for (const auto& [point, element] : operands_[i].by_point) elements.push_back(element);
      if (!is_rectangle(elements, 1, {})) return false;
      if (rules_.has_fixed_origin && elements.front() != lowest(i)) return false;
      if (rules_.is_linear && i > 0 && !is_linear(i, elements)) return false;
    }
    return true;
  }

  /// The lowest index in each dimension of all elements that are accessed.
  Tuple lowest(size_t i) const {
    Tuple lowest = element(i, instances_.front());
    for (const Tuple& instance : instances_) {
      const Tuple one = element(i, instance);
      for (size_t d = 0; d < one.size(); ++d) lowest[d] = std::min(lowest[d], one[d]);
    }
    return lowest;
  }

  bool is_linear(size_t i, const Tuples& elements) const {
    for (size_t d = 0; d < elements.front().size(); ++d) {
      int64_t axes = 0;
      for (size_t axis = 0; axis < workload_.axes.size(); ++axis) {
        if (workload_.axes[axis].extent > 1 && access(i).indices[d].coefficients[axis] != 0) ++axes;
      }
      const bool varies =
          std::ranges::any_of(elements, [&](const Tuple& one) { return one[d] != elements.front()[d]; });
      if (axes > 1 && varies) return false;
    }
    return true;
  }

  /// True if the first `within` elements, repeated along further dimensions, are all elements in their order.
  bool is_rectangle(const Tuples& elements, size_t within, const std::set<size_t>& used) const {
    if (within == elements.size()) return true;
    for (size_t length = 2; within * length <= elements.size(); ++length) {
      if (elements.size() % (within * length) != 0) continue;
      for (size_t d = 0; d < elements.front().size(); ++d) {
        const int64_t stride = elements[within][d] - elements.front()[d];
        if (used.contains(d) || stride <= 0 || (rules_.is_dense && stride != 1)) continue;
        bool fits = true;
        for (size_t n = within; n < within * length; ++n) {
          Tuple expected = elements[n % within];
          expected[d] += static_cast<int64_t>(n / within) * stride;
          fits = fits && elements[n] == expected;
        }
        std::set<size_t> now = used;
        now.insert(d);
        if (fits && is_rectangle(elements, within * length, now)) return true;
      }
    }
    return false;
  }

  const Workload& workload_;
  const Instruction& instruction_;
  const ScalarRules& rules_;
  Tuples instances_;
  Tuples points_;
  Tuples chosen_;
  std::vector<Elements> operands_;  // output first
  std::set<Tuples> found_;
};

struct Drawn {
  Workload workload;
  Instruction instruction;
  ScalarRules rules;
};

/// So small that all assignments can be tried.
Drawn draw(std::mt19937_64& random) {
  while (true) {
    Drawn drawn{test::draw_workload(random), test::draw_instruction(random, 6), {}};
    drawn.rules.is_dense = test::draw(random, 0, 2) != 0;
    drawn.rules.has_fixed_origin = test::draw(random, 0, 2) != 0;
    drawn.rules.is_linear = test::draw(random, 0, 2) != 0;
    const double tries =
        std::pow(static_cast<double>(instances(drawn.workload)), static_cast<double>(instances(drawn.instruction)));
    if (tries <= 3e5) return drawn;
  }
}

std::string print(const Drawn& drawn) {
  std::string text = embedding::print(drawn.instruction) + " in";
  for (const Axis& axis : drawn.workload.axes) text += " " + axis.name + "=" + std::to_string(axis.extent);
  for (const Access& access : {drawn.workload.output, drawn.workload.inputs[0], drawn.workload.inputs[1]}) {
    text += " " + access.tensor + "[";
    for (const AffineIndex& index : access.indices) {
      for (size_t a = 0; a < index.coefficients.size(); ++a) {
        if (index.mentions(a)) text += "+" + std::to_string(index.coefficients[a]) + drawn.workload.axes[a].name;
      }
      text += ",";
    }
    text += "]";
  }
  return text + (drawn.rules.is_dense ? " dense" : "") + (drawn.rules.has_fixed_origin ? " origin" : "") +
         (drawn.rules.is_linear ? " linear" : "");
}

/// Every solution survives propagation after any of its values were chosen.
void expect_kept(const Problem& problem, const Solution& solution, std::mt19937_64& random) {
  Tuples values = solution.output;
  values.insert(values.end(), solution.operations.begin(), solution.operations.end());
  for (const Tuples& input : solution.inputs) values.insert(values.end(), input.begin(), input.end());
  Store store(problem);
  ASSERT_TRUE(propagate_root(problem, store));
  for (int step = 0; step < 3; ++step) {
    const size_t variable = random() % values.size();
    const size_t known = store.assigned().size();
    ASSERT_TRUE(store.assign(variable, values[variable]));
    ASSERT_TRUE(propagate(problem, store, known));
    for (size_t other = 0; other < values.size(); ++other) ASSERT_TRUE(store.domain(other).contains(values[other]));
  }
}

TEST(Enumeration, FindsTheSameSolutions) {
  std::mt19937_64 random(test::seed());
  size_t with_solutions = 0;
  for (int round = 0; round < 1000; ++round) {
    const Drawn drawn = draw(random);
    SCOPED_TRACE("COVENANT_SEED=" + std::to_string(test::seed()) + " round " + std::to_string(round) + ": " +
                 print(drawn));
    const Problem problem = problem_of(drawn.workload, drawn.instruction, drawn.rules);
    const AllSolutions all = all_solutions(problem);
    ASSERT_TRUE(all.is_complete);
    std::set<Tuples> found;
    for (const Solution& solution : all.solutions) found.insert(solution.operations);
    ASSERT_EQ(found, Enumeration(drawn.workload, drawn.instruction, drawn.rules).solutions());
    with_solutions += found.empty() ? 0 : 1;
    if (!all.solutions.empty()) expect_kept(problem, all.solutions[random() % all.solutions.size()], random);
    for (const Strategy strategy : {Strategy::kNone, Strategy::kAssets}) {
      const ScalarSearch first = search_scalars(problem, strategy, plain_order(drawn.workload));
      ASSERT_EQ(first.solution.has_value(), !found.empty());
      ASSERT_EQ(first.is_complete, found.empty());
      if (first.solution) {
        EXPECT_TRUE(found.contains(first.solution->operations));
      }
    }
  }
  EXPECT_GT(with_solutions, 120U) << "draws have become too poor to mean something";
}

}  // namespace
}  // namespace covenant::compiler::embedding::scalar
