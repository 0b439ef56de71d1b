/// Depth-first search for embeddings on the scalar level.
///
/// Source: Rieber, Acosta and Fröning, "The Programming of Deep Learning Accelerators as a Constraint Satisfaction
/// Problem", section 4.2. Variables are selected backwards through the dataflow graph (sums, operations, elements of
/// inputs), values in lexicographic order. Deterministic: two searches expand the same nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "compiler/embedding/scalar/cursor.h"
#include "compiler/embedding/scalar/problem.h"
#include "compiler/embedding/scalar/store.h"

namespace covenant::compiler::embedding::scalar {

/// Axes of the workload in the order in which its layout has them, the slowest first: "NCHW" is n, oc, oh, ow, then
/// those that are summed over.
using AxisOrder = std::vector<size_t>;

/// Axes as the workload lists them.
AxisOrder plain_order(const Workload& workload);

/// Which scalars of the workload the scalars of the instruction are; positions are in the order of graph.h.
struct Solution {
  std::vector<Tuple> operations;           ///< instances
  std::vector<Tuple> output;               ///< elements
  std::vector<std::vector<Tuple>> inputs;  ///< elements of each
  auto operator<=>(const Solution&) const = default;
};

/// Effort of a search. A node is the root, or a value tried for a variable; it fails if propagation empties a domain.
struct Effort {
  uint64_t nodes = 0;
  uint64_t fails = 0;
  uint64_t depth = 0;  ///< most values chosen at once
  bool operator==(const Effort&) const = default;
};

enum class SearchState : uint8_t {
  kOpen,       ///< stopped at its budget
  kSolution,   ///< stands at a solution; the next call goes on after it
  kExhausted,  ///< every node was expanded or excluded: all solutions were seen
};

/// A search that can be stopped and goes on where it was.
class Search {
 public:
  /// `problem` must outlive the search. Precondition: `order` has each axis of the workload once.
  Search(const Problem& problem, AxisOrder order);

  /// Expands nodes until a solution, the end, or so many more nodes.
  SearchState run(uint64_t nodes);
  const Effort& effort() const { return effort_; }
  /// Precondition: the last state was kSolution.
  Solution solution() const;

 private:
  /// A variable that is branched on, and the values that are left to try.
  struct Choice {
    size_t variable;
    Cursor values;
    Store::Mark before;
  };
  SearchState expand_root();
  SearchState branch(size_t first);
  std::vector<size_t> dimensions_of(size_t variable) const;

  const Problem& problem_;
  std::vector<std::vector<size_t>> dimensions_;  ///< of sums, operations and each input: the slowest first
  Store store_;
  std::vector<Choice> choices_;
  Effort effort_;
};

}  // namespace covenant::compiler::embedding::scalar
