/// All embeddings by enumeration: every assignment of an instruction's instances to instances of a workload, filtered
/// by the definition. It knows no factors, no roles and no classes of axes; for tiny sizes only.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "compiler/embedding/embedding.h"
#include "compiler/embedding/rules.h"

namespace covenant::test {

using Point = std::vector<int64_t>;

/// The workload's instance for each instance of the instruction, in row-major order, in the first step (nothing: idle),
/// and what each step does.
struct Assignment {
  bool is_exchanged = false;
  std::vector<std::optional<Point>> points;
  std::set<std::set<Point>> steps;
  auto operator<=>(const Assignment&) const = default;
};

/// A run of equal steps along one axis of the workload; one past the last: along axes that are counted as one.
struct Direction {
  size_t axis = 0;
  int64_t distance = 1;
  int64_t length = 1;
};

/// One way to see an assignment as a hyper-rectangle.
struct Form {
  std::vector<size_t> flat;                               ///< axes that are counted as one
  std::map<std::pair<size_t, size_t>, Direction> places;  ///< by axis of the instruction, and of the workload
};

/// All assignments under these rules, without bands, each with all its forms, those of fewest flat axes first;
/// `only_full` and orders are left to the caller.
std::map<Assignment, std::vector<Form>> all_assignments(const compiler::embedding::Workload& workload,
                                                        const compiler::embedding::Instruction& instruction,
                                                        const std::set<compiler::embedding::Relaxation>& allowed);

/// Without those of which another one is a larger form: each direction in the same place, with the same distances, at
/// least as long.
std::set<Assignment> full_ones(const std::map<Assignment, std::vector<Form>>& all);

/// The points of the instruction's box, in row-major order.
std::vector<std::vector<int64_t>> points_of(const compiler::embedding::Instruction& instruction);

}  // namespace covenant::test
