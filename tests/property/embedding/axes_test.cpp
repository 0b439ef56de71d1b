#include "compiler/embedding/axes.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <iostream>
#include <limits>
#include <random>
#include <set>
#include <vector>

#include "compiler/embedding/text.h"
#include "compiler/embedding/verify.h"
#include "tests/property/embedding/brute_force.h"
#include "tests/property/embedding/random_workload.h"
#include "tests/support/seed.h"

namespace covenant::compiler::embedding {
namespace {

using test::Assignment;

/// Moves to the next step. False after the last one.
bool next(std::vector<int64_t>& iteration, const std::vector<Trip>& trips) {
  for (size_t t = trips.size(); t-- > 0;) {
    if (++iteration[t] < trips[t].count) return true;
    iteration[t] = 0;
  }
  return false;
}

Assignment assignment_of(const Embedding& embedding, const Workload& workload, const Instruction& instruction) {
  Assignment assignment{embedding.is_exchanged, {}, {}};
  const std::vector<Trip> trips = trips_of(embedding, workload, instruction);
  std::vector<int64_t> iteration(trips.size(), 0);
  do {
    const Origin origin = origin_of(embedding, workload, trips, iteration);
    std::vector<std::optional<test::Point>> points;
    std::set<test::Point> done;
    for (const auto& point : test::points_of(instruction)) {
      points.push_back(instance_at(embedding, workload, instruction, origin, point));
      if (points.back()) done.insert(*points.back());
    }
    if (assignment.points.empty()) assignment.points = points;
    if (!done.empty()) assignment.steps.insert(done);
  } while (next(iteration, trips));
  return assignment;
}

std::string described(const std::set<Assignment>& some) {
  std::string text;
  for (const Assignment& one : some) {
    text += one.is_exchanged ? "\n  exchanged:" : "\n ";
    for (const auto& point : one.points) {
      text += " (";
      for (size_t a = 0; point && a < point->size(); ++a)
        text += std::to_string((*point)[a]) + (a + 1 < point->size() ? "," : "");
      text += ")";
    }
  }
  return text;
}

std::set<Relaxation> random_relaxations(std::mt19937_64& random) {
  std::set<Relaxation> allowed;
  for (const Relaxation one : all_relaxations()) {
    if (one != Relaxation::kBand && random() % 2 == 0) allowed.insert(one);
  }
  return allowed;
}

/// Calls `expect` with drawn cases, each from a seed of its own.
template <typename Expect>
void for_drawn(int count, int64_t most_instances, int64_t most_places, Expect expect) {
  for (int i = 0; i < count; ++i) {
    const uint64_t seed = test::seed() * 100'000 + static_cast<uint64_t>(i);
    std::mt19937_64 random(seed);
    const Instruction instruction = test::random_instruction(random, most_places);
    const Workload workload = test::random_workload(random, instruction.compute, most_instances);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + test::text_of(workload) + " into " + print(instruction));
    expect(random, workload, instruction);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(AxisSolver, FindsWhatAnEnumerationOfAllAssignmentsFinds) {
  size_t embeddings = 0, flat = 0, with = 0;
  for_drawn(1000, 14, 6, [&](std::mt19937_64& random, const Workload& workload, const Instruction& instruction) {
    Rules rules;
    rules.allowed = random_relaxations(random);
    rules.every_order = true;
    rules.only_full = false;
    const Found found = embeddings_of(workload, instruction, rules);
    ASSERT_TRUE(found.is_complete);
    std::set<Assignment> solved;
    for (const Embedding& one : found.embeddings) solved.insert(assignment_of(one, workload, instruction));
    EXPECT_EQ(solved.size(), found.embeddings.size()) << "one is found twice";
    const auto forms = test::all_assignments(workload, instruction, rules.allowed);
    std::set<Assignment> all;
    for (const auto& [one, form] : forms) all.insert(one);
    EXPECT_EQ(solved, all) << "under " << names_of(rules.allowed) << ", solved:" << described(solved)
                           << "\nenumerated:" << described(all);
    for (const Embedding& one : found.embeddings) flat += one.flat.empty() ? 0 : 1;
    embeddings += all.size();
    with += all.empty() ? 0 : 1;

    rules.only_full = true;
    std::set<Assignment> full;
    for (const Embedding& one : embeddings_of(workload, instruction, rules).embeddings) {
      full.insert(assignment_of(one, workload, instruction));
    }
    EXPECT_EQ(full, test::full_ones(forms)) << "of" << described(all);
  });
  std::cout << embeddings << " embeddings, " << flat << " of them with axes counted as one, of " << with
            << " of 1000 cases\n";
  EXPECT_GT(embeddings, 1000U);
  EXPECT_GT(with, 300U);
  EXPECT_GT(flat, 30U);
}

/// Steps through the workload: each instance once, and instances of one step share elements as the instruction's do.
void expect_right(const Embedding& embedding, const Workload& workload, const Instruction& instruction) {
  const auto points = test::points_of(instruction);
  const std::vector<Trip> trips = trips_of(embedding, workload, instruction);
  std::set<std::vector<int64_t>> done;
  std::vector<int64_t> iteration(trips.size(), 0);
  int64_t count = 0;
  const auto element = [](const Access& access, const std::vector<int64_t>& point) {
    std::vector<int64_t> indices;
    for (const AffineIndex& index : access.indices) indices.push_back(index.at(point));
    return indices;
  };
  do {
    ++count;
    const Origin origin = origin_of(embedding, workload, trips, iteration);
    std::vector<std::pair<std::vector<int64_t>, std::vector<int64_t>>> real;
    for (const auto& point : points) {
      const auto instance = instance_at(embedding, workload, instruction, origin, point);
      if (!instance) continue;
      EXPECT_TRUE(done.insert(*instance).second) << "done twice";
      real.emplace_back(point, *instance);
    }
    for (const auto& [point, instance] : real) {
      for (const auto& [other, twin] : real) {
        const auto is_same = [&, &point = point, &other = other](const InstructionOperand& operand) {
          return std::ranges::all_of(operand.axes, [&](size_t axis) { return point[axis] == other[axis]; });
        };
        EXPECT_EQ(is_same(instruction.output), element(workload.output, instance) == element(workload.output, twin));
        for (size_t i = 0; i < instruction.inputs.size(); ++i) {
          const Access& access = access_of(workload, embedding, i);
          if (!is_same(instruction.inputs[i])) continue;
          EXPECT_EQ(element(access, instance), element(access, twin));
        }
      }
    }
  } while (next(iteration, trips));
  EXPECT_EQ(count, steps(embedding, workload, instruction));
  EXPECT_EQ(static_cast<int64_t>(done.size()), instances(workload));
}

TEST(AxisSolver, FindsEmbeddingsWhoseStepsDoEachInstanceOnce) {
  size_t banded = 0, count = 0;
  for_drawn(1500, 60, 12, [&](std::mt19937_64&, const Workload& workload, const Instruction& instruction) {
    const Found found = embeddings_of(workload, instruction, relaxed());
    ASSERT_TRUE(found.is_complete);
    for (const Embedding& embedding : found.embeddings) {
      SCOPED_TRACE(print(embedding, workload, instruction));
      ++count;
      banded += embedding.band.empty() ? 0 : 1;
      expect_right(embedding, workload, instruction);
      const Status verified = verify(embedding, workload, instruction);
      EXPECT_TRUE(verified) << render(verified.error());
      const Result<Embedding> parsed = parse_embedding(print(embedding, workload, instruction), workload, instruction);
      ASSERT_TRUE(parsed) << render(parsed.error());
      EXPECT_EQ(*parsed, embedding);
      if (testing::Test::HasFailure()) return;
    }
  });
  std::cout << count << " embeddings, " << banded << " of them banded\n";
  EXPECT_GT(banded, 200U);
}

TEST(AxisSolver, NamesTheRelaxationsThatAnEmbeddingNeeds) {
  for_drawn(500, 60, 12, [&](std::mt19937_64& random, const Workload& workload, const Instruction& instruction) {
    for (const Embedding& embedding : embeddings_of(workload, instruction, relaxed()).embeddings) {
      const std::set<Relaxation> used = relaxations_of(embedding, workload, instruction);
      Rules rules;
      rules.allowed = used;
      rules.only_full = false;
      const auto found = embeddings_of(workload, instruction, rules).embeddings;
      EXPECT_NE(std::ranges::find(found, embedding), found.end())
          << print(embedding, workload, instruction) << " is not found under " << names_of(used);
      for (const Relaxation one : used) {
        rules.allowed.erase(one);
        const auto fewer = embeddings_of(workload, instruction, rules).embeddings;
        EXPECT_EQ(std::ranges::find(fewer, embedding), fewer.end())
            << print(embedding, workload, instruction) << " does not need " << name_of(one);
        rules.allowed.insert(one);
      }
      if (testing::Test::HasFailure() || random() % 8 == 0) return;
    }
  });
}

TEST(AxisSolver, PrunesNothingThatIsBest) {
  for_drawn(1500, 200, 16, [&](std::mt19937_64&, const Workload& workload, const Instruction& instruction) {
    std::vector<Embedding> best;
    int64_t least = std::numeric_limits<int64_t>::max();
    for (const Embedding& embedding : embeddings_of(workload, instruction, relaxed()).embeddings) {
      const int64_t cost = steps(embedding, workload, instruction);
      if (cost < least) best.clear();
      least = std::min(least, cost);
      if (cost == least) best.push_back(embedding);
    }
    EXPECT_EQ(embeddings_of(workload, instruction, relaxed(), fewest_steps(workload, instruction)).embeddings, best);
  });
}

}  // namespace
}  // namespace covenant::compiler::embedding
