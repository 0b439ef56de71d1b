// Banded embeddings, compared with an enumeration of what stands in the columns of a matrix and which elements of the
// other operand meet it.
#include <algorithm>
#include <gtest/gtest.h>
#include <iostream>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/embedding/axes.h"
#include "tests/property/embedding/brute_force.h"
#include "tests/property/embedding/random_workload.h"
#include "tests/support/embedding/workloads.h"
#include "tests/support/seed.h"

namespace covenant::compiler::embedding {
namespace {

using test::Point;

/// The first step: an instance for each column and inner element, or nothing.
using Step = std::vector<std::optional<Point>>;

/// Sums of products of a constant w: each dimension of x has an output axis, a tap, or both; the last axis is one of w.
Workload drawn_workload(std::mt19937_64& random) {
  Workload workload;
  workload.compute = "GEMM";
  struct Term {
    size_t dimension;
    bool is_tap;
  };
  std::vector<Term> terms;
  const size_t dimensions = 1 + random() % 2;
  for (size_t d = 0; d < dimensions; ++d) {
    const uint64_t kind = random() % 4;
    if (kind != 0) terms.push_back({d, false});
    if (kind != 1) terms.push_back({d, true});
  }
  const size_t axes = terms.size() + 1;
  workload.output.tensor = "out";
  Access x{"x", DType::kI8, {}, std::vector<AffineIndex>(dimensions, {0, std::vector<int64_t>(axes, 0)}), {}, false};
  Access w{"w", DType::kI8, {}, {}, {}, true};
  const auto own = [&](Access& access, size_t axis) {
    access.indices.push_back({0, std::vector<int64_t>(axes, 0)});
    access.indices.back().coefficients[axis] = 1;
  };
  for (size_t a = 0; a < axes; ++a) {
    const bool is_tap = a < terms.size() && terms[a].is_tap;
    workload.axes.push_back(
        {std::string(1, static_cast<char>('a' + a)), static_cast<int64_t>(1 + random() % 4), is_tap});
    if (a < terms.size()) x.indices[terms[a].dimension].coefficients[a] = static_cast<int64_t>(1 + random() % 3);
    if (!is_tap) own(workload.output, a);
    if (is_tap || a == terms.size() || random() % 3 == 0) own(w, a);
  }
  workload.inputs = {x, w};
  return workload;
}

/// All rows of up to `most` points that form a hyper-rectangle from the origin within a box, by trying all sequences
/// whose points ascend along single axes.
std::set<std::vector<Point>> rectangles(const Point& box, int64_t most) {
  std::set<std::vector<Point>> all{{Point(box.size(), 0)}};
  for (std::set<std::vector<Point>> last = all; !last.empty();) {
    std::set<std::vector<Point>> longer;
    for (const std::vector<Point>& row : last) {
      for (size_t axis = 0; axis < box.size(); ++axis) {
        if (row.back()[axis] != 0) continue;
        // The row so far, repeated along one more axis.
        std::vector<Point> repeated = row;
        for (int64_t at = 1; at < box[axis]; ++at) {
          for (Point point : row) {
            point[axis] = at;
            repeated.push_back(point);
          }
          if (static_cast<int64_t>(repeated.size()) <= most) longer.insert(repeated);
        }
      }
    }
    all.insert(longer.begin(), longer.end());
    last = longer;
  }
  return all;
}

/// The first steps of all embeddings into so many columns and inner elements.
std::set<Step> all_first_steps(const Workload& workload, int64_t columns, int64_t inner) {
  std::vector<size_t> outputs;
  std::vector<Point> instances{{}};
  Point extents;
  for (size_t a = 0; a < workload.axes.size(); ++a) {
    std::vector<Point> longer;
    for (const Point& point : instances) {
      for (int64_t at = 0; at < workload.axes[a].extent; ++at) {
        longer.push_back(point);
        longer.back().push_back(at);
      }
    }
    instances = longer;
    if (workload.axes[a].is_reduction) continue;
    outputs.push_back(a);
    extents.push_back(workload.axes[a].extent);
  }
  const auto output_of = [&](const Point& instance) {
    Point output;
    for (const size_t a : outputs) output.push_back(instance[a]);
    return output;
  };
  const auto element_of = [&](const Point& instance) {
    Point element;
    for (const AffineIndex& index : workload.inputs[0].indices) element.push_back(index.at(instance));
    return element;
  };
  std::set<Step> all;
  for (const std::vector<Point>& row : rectangles(extents, columns)) {
    // All that these outputs see, as a box of positions: from 0 on, in steps of the greatest distance that meets all.
    const size_t dimensions = workload.inputs[0].indices.size();
    Point farthest(dimensions, 0), lattice(dimensions, 0);
    for (const Point& instance : instances) {
      if (std::ranges::find(row, output_of(instance)) == row.end()) continue;
      const Point element = element_of(instance);
      for (size_t d = 0; d < dimensions; ++d) {
        farthest[d] = std::max(farthest[d], element[d]);
        lattice[d] = std::gcd(lattice[d], element[d]);
      }
    }
    Point window;
    for (size_t d = 0; d < dimensions; ++d) window.push_back(farthest[d] == 0 ? 1 : farthest[d] / lattice[d] + 1);
    for (const std::vector<Point>& positions : rectangles(window, inner)) {
      Step step(static_cast<size_t>(columns * inner));
      for (size_t q = 0; q < row.size(); ++q) {
        for (size_t p = 0; p < positions.size(); ++p) {
          Point element;
          for (size_t d = 0; d < dimensions; ++d) element.push_back(positions[p][d] * lattice[d]);
          const auto instance = std::ranges::find_if(
              instances, [&](const Point& one) { return output_of(one) == row[q] && element_of(one) == element; });
          if (instance != instances.end()) step[q * static_cast<size_t>(inner) + p] = *instance;
        }
      }
      all.insert(step);
    }
  }
  return all;
}

TEST(Bands, AreAllThatAnEnumerationFinds) {
  size_t steps = 0, banded = 0;
  for (uint64_t i = 0; i < 500; ++i) {
    const uint64_t seed = test::seed() * 100'000 + i;
    std::mt19937_64 random(seed);
    const Workload workload = drawn_workload(random);
    const auto columns = static_cast<int64_t>(2 + random() % 5), inner = static_cast<int64_t>(2 + random() % 7);
    const Instruction instruction = test::gemm(1, static_cast<uint64_t>(columns), static_cast<uint64_t>(inner));
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + test::text_of(workload) + " into " + print(instruction));
    Rules rules = relaxed();
    rules.allowed.erase(Relaxation::kExchange);
    rules.every_order = true;
    rules.only_full = false;
    std::set<Step> solved;
    for (const Embedding& one : embeddings_of(workload, instruction, rules).embeddings) {
      const bool is_dense = std::ranges::all_of(one.positions, [](const std::vector<Factor>& factors) {
        return std::ranges::all_of(factors, [](const Factor& factor) { return factor.stride == 1; });
      });
      if (!is_dense || !one.flat.empty()) continue;  // tests/property/embedding/axes_test.cpp has these
      Step step;
      for (const Point& point : test::points_of(instruction)) {
        step.push_back(instance_at(one, workload, instruction, origin_of(one, workload, {}, {}), point));
      }
      solved.insert(step);
      banded += one.band.empty() ? 0 : 1;
    }
    const std::set<Step> all = all_first_steps(workload, columns, inner);
    EXPECT_EQ(solved.size(), all.size());
    EXPECT_TRUE(solved == all);
    steps += all.size();
    if (HasFailure()) return;
  }
  std::cout << steps << " first steps, " << banded << " banded embeddings\n";
  EXPECT_GT(banded, 1000U);
}

/// The fewest steps, and the fewest elements of packed weights.
std::pair<int64_t, int64_t> fewest(const Workload& workload, const Instruction& instruction, const Rules& rules) {
  std::pair<int64_t, int64_t> least(std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::max());
  for (const Embedding& one : embeddings_of(workload, instruction, rules).embeddings) {
    least.first = std::min(least.first, steps(one, workload, instruction));
    least.second = std::min(least.second, packed_elements(one, workload, instruction, 1));
  }
  return least;
}

TEST(Bands, FullOnesTakeAsFewStepsAndWeightsAsAllDo) {
  size_t longer = 0;
  for (uint64_t i = 0; i < 500; ++i) {
    const uint64_t seed = test::seed() * 100'000 + i;
    std::mt19937_64 random(seed);
    Workload workload = drawn_workload(random);
    for (Axis& axis : workload.axes) axis.extent = static_cast<int64_t>(1 + random() % 12);
    const Instruction instruction = test::gemm(1 + random() % 2, 2 + random() % 5, 2 + random() % 7);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + test::text_of(workload) + " into " + print(instruction));
    Rules rules;
    for (const Relaxation one : all_relaxations()) {
      if (one == Relaxation::kBand || random() % 4 != 0) rules.allowed.insert(one);
    }
    const size_t full = embeddings_of(workload, instruction, rules).embeddings.size();
    const auto least = fewest(workload, instruction, rules);
    rules.only_full = false;
    EXPECT_EQ(least, fewest(workload, instruction, rules)) << "under " << names_of(rules.allowed);
    longer += embeddings_of(workload, instruction, rules).embeddings.size() > full ? 1 : 0;
    if (HasFailure()) return;
  }
  EXPECT_GT(longer, 100U);
}

TEST(Bands, MoreOutputsTakeMoreStepsWhereTheirWindowIsLonger) {
  // Two outputs at a time see their two positions at once: 5 steps. Four see four, two at a time: 3 * 2 steps.
  Workload workload;
  workload.compute = "GEMM";
  workload.axes = {{"o", 9, false}};
  workload.output = {"out", DType::kI32, {9}, {{0, {1}}}, {}, false};
  workload.inputs = {{"x", DType::kI8, {9}, {{0, {1}}}, {}, false}, {"w", DType::kI8, {1}, {{0, {0}}}, {}, true}};
  const Instruction instruction = test::gemm(1, 4, 2);
  Rules rules;
  rules.allowed = {Relaxation::kPad, Relaxation::kBand};
  EXPECT_EQ(fewest(workload, instruction, rules).first, 5);
  // Every second element: not side by side.
  workload.inputs[0].indices[0].coefficients[0] = 2;
  EXPECT_EQ(fewest(workload, instruction, rules).first, 9);
  rules.allowed.insert(Relaxation::kStrided);
  EXPECT_EQ(fewest(workload, instruction, rules).first, 5);
}

}  // namespace
}  // namespace covenant::compiler::embedding
