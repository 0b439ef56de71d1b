/// All embeddings by enumeration: every assignment of an instruction's instances to instances of a workload, filtered
/// by the definition. It knows no factors, no roles and no classes of axes; for tiny sizes only.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "compiler/embedding/embedding.h"
#include "compiler/embedding/rules.h"

namespace covenant::test {

/// The workload's instance for each instance of the instruction, in row-major order; nothing: idle.
struct Assignment {
  bool is_exchanged = false;
  std::vector<std::optional<std::vector<int64_t>>> points;
  auto operator<=>(const Assignment&) const = default;
};

/// All of them under these rules, without bands; `only_full` and orders are left to the caller.
std::set<Assignment> all_assignments(const compiler::embedding::Workload& workload,
                                     const compiler::embedding::Instruction& instruction,
                                     const std::set<compiler::embedding::Relaxation>& allowed);

/// Without those of which another one is a larger form: each direction in the same place, with the same distances, at
/// least as long.
std::set<Assignment> full_ones(const std::set<Assignment>& all, const compiler::embedding::Instruction& instruction);

/// The points of the instruction's box, in row-major order.
std::vector<std::vector<int64_t>> points_of(const compiler::embedding::Instruction& instruction);

}  // namespace covenant::test
