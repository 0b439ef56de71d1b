/// On drawn tiny workloads the axis solver finds exactly the embeddings that the scalar solver finds and that cover a
/// workload: translates of theirs do each instance once. Rieber, Acosta and Fröning leave that to the generated code.
/// Translates are along axes; what the axis solver finds in axes that it counts as one, without dividing each, is left
/// out here.
#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>

#include "compiler/embedding/axes.h"
#include "compiler/embedding/scalar/portfolio.h"
#include "tests/support/embedding_scalar/workloads.h"
#include "tests/support/seed.h"

namespace covenant::compiler::embedding {
namespace {

using scalar::Tuple;
using Tuples = std::vector<Tuple>;

/// True if translates of these numbers cover [0, extent) without touching.
bool tiles(const std::set<int64_t>& numbers, int64_t extent) {
  std::set<int64_t> left;
  for (int64_t value = 0; value < extent; ++value) left.insert(value);
  while (!left.empty()) {
    const int64_t shift = *left.begin() - *numbers.begin();
    for (const int64_t number : numbers) {
      if (left.erase(number + shift) == 0) return false;
    }
  }
  return true;
}

/// The instances are a product of numbers along each axis, which tile it.
bool covers(const Tuples& operations, const Workload& workload) {
  size_t product = 1;
  for (size_t axis = 0; axis < workload.axes.size(); ++axis) {
    std::set<int64_t> numbers;
    for (const Tuple& instance : operations) numbers.insert(instance[axis]);
    if (!tiles(numbers, workload.axes[axis].extent)) return false;
    product *= numbers.size();
  }
  return product == operations.size();  // which are different
}

/// Each axis of the instruction goes along one axis of the workload.
bool is_not_fused(const Tuples& operations, const Tuples& points) {
  std::map<std::vector<bool>, std::set<size_t>> moved;  // by axis of the instruction: axes of the workload
  for (size_t i = 0; i < points.size(); ++i) {
    std::vector<bool> place;
    for (const int64_t value : points[i]) place.push_back(value != 0);
    if (std::ranges::count(place, true) != 1) continue;
    for (size_t axis = 0; axis < operations[i].size(); ++axis) {
      if (operations[i][axis] != operations.front()[axis]) moved[place].insert(axis);
    }
  }
  return std::ranges::all_of(moved, [](const auto& entry) { return entry.second.size() == 1; });
}

std::set<Tuples> by_scalars(const Workload& workload, const Instruction& instruction, const Tuples& points,
                            bool may_fuse) {
  const scalar::AllSolutions all = scalar::all_solutions(scalar::problem_of(workload, instruction, {}));
  EXPECT_TRUE(all.is_complete);
  std::set<Tuples> found;
  for (const scalar::Solution& solution : all.solutions) {
    if (!covers(solution.operations, workload)) continue;
    if (may_fuse || is_not_fused(solution.operations, points)) found.insert(solution.operations);
  }
  return found;
}

std::set<Tuples> by_axes(const Workload& workload, const Instruction& instruction, const Tuples& points,
                         bool may_fuse) {
  Rules rules = strict();
  if (may_fuse) rules.allowed.insert(Relaxation::kFuse);
  rules.every_order = true;
  const Found found = embeddings_of(workload, instruction, rules);
  EXPECT_TRUE(found.is_complete);
  std::set<Tuples> made;
  for (const Embedding& embedding : found.embeddings) {
    const std::vector<Trip> trips = trips_of(embedding, workload, instruction);
    const Origin origin = origin_of(embedding, workload, trips, std::vector<int64_t>(trips.size(), 0));
    Tuples operations;
    for (const Tuple& point : points) {
      operations.push_back(instance_at(embedding, workload, instruction, origin, point).value_or(Tuple{}));
    }
    if (!embedding.flat.empty()) continue;  // axes that are counted as one
    EXPECT_TRUE(made.insert(operations).second) << "the same embedding twice";
  }
  return made;
}

std::string print(const Workload& workload, const Instruction& instruction) {
  std::string text = print(instruction) + " in";
  for (const Axis& axis : workload.axes) text += " " + axis.name + "=" + std::to_string(axis.extent);
  for (const Access& access : {workload.output, workload.inputs[0], workload.inputs[1]}) {
    text += " " + access.tensor + "[";
    for (const AffineIndex& index : access.indices) {
      for (size_t a = 0; a < index.coefficients.size(); ++a) {
        if (index.mentions(a)) text += "+" + std::to_string(index.coefficients[a]) + workload.axes[a].name;
      }
      text += ",";
    }
    text += "]";
  }
  return text;
}

/// 500 draws; `least` of them with embeddings, so that they mean something.
void expect_equal(bool may_fuse, size_t least) {
  std::mt19937_64 random(test::seed());
  size_t with_embeddings = 0;
  size_t fused = 0;
  for (int round = 0; round < 500; ++round) {
    const Workload workload = round % 2 == 0 ? test::draw_workload(random) : test::draw_product(random);
    const Instruction instruction = test::draw_instruction(random, 16);
    SCOPED_TRACE("COVENANT_SEED=" + std::to_string(test::seed()) + " round " + std::to_string(round) + ": " +
                 print(workload, instruction));
    std::vector<int64_t> sizes;
    for (const InstructionAxis& axis : instruction.axes) sizes.push_back(axis.size);
    const Tuples points = test::grid(sizes);
    const std::set<Tuples> expected = by_scalars(workload, instruction, points, may_fuse);
    ASSERT_EQ(by_axes(workload, instruction, points, may_fuse), expected);
    with_embeddings += expected.empty() ? 0 : 1;
    fused += std::ranges::all_of(expected, [&](const Tuples& one) { return is_not_fused(one, points); }) ? 0 : 1;
  }
  EXPECT_GE(with_embeddings, least);
  EXPECT_GE(fused, may_fuse ? 1U : 0U);
}

TEST(AxisSolver, StrictEmbeddingsAreThoseOfScalars) { expect_equal(false, 50); }
TEST(AxisSolver, FusedEmbeddingsAreThoseOfScalars) { expect_equal(true, 50); }

}  // namespace
}  // namespace covenant::compiler::embedding
