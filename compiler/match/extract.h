/// Extraction: for a class of an e-graph, the term that costs least.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <span>
#include <vector>

#include "compiler/match/egraph.h"
#include "compiler/match/term.h"

namespace covenant::compiler::match {

/// Cost of a node by itself; `kNever` if it may not be part of a term.
using NodeCost = std::function<uint64_t(const EGraph&, Id node)>;
inline constexpr uint64_t kNever = std::numeric_limits<uint64_t>::max();

/// The chosen node of each class of a term, and what it costs. `cost == kNever`: there is no term.
struct Extraction {
  std::map<Id, Id> nodes;  ///< by class; those that the roots need
  uint64_t cost = kNever;
  uint64_t at_least = 0;  ///< no term costs less
  bool is_least() const { return cost == at_least; }
};

/// The least term if each use of a class costs again. Sums that pass 64 bits count as `kNever`.
Extraction extract_tree(const EGraph& graph, Id root, const NodeCost& cost);

/// The least terms for all roots if what they share costs once. Found by branch and bound if the roots reach at most
/// `kMostSearched` classes, which ends after so many steps with the best so far; of more classes, those of the least
/// trees. `at_least` is then a bound below all terms.
inline constexpr size_t kMostSearched = 4'096;
Extraction extract_shared(const EGraph& graph, std::span<const Id> roots, const NodeCost& cost,
                          uint64_t most_steps = 100'000);

/// The term of a root; nodes that it shares are shared. Precondition: the extraction has one.
Term term_of(const EGraph& graph, const Extraction& from, Id root);

}  // namespace covenant::compiler::match
