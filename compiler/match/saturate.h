/// Equality saturation: rules are applied to an e-graph until nothing new comes or a limit is reached.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "compiler/match/egraph.h"
#include "compiler/match/rules.h"

namespace covenant::compiler::match {

/// Places in which a rule is applied in an iteration at most: they are kept until all rules have been looked for.
inline constexpr size_t kMostMatches = 4'000'000;

/// Counts, never seconds: a search ends in the same place on every machine.
struct Limits {
  size_t iterations = 30;
  size_t nodes = 10'000;  ///< after a rule has been applied where it was found; one application may pass it
  /// Most places in which a rule's left side is found in an iteration, whether or not its conditions hold there; it is
  /// left out of this iteration and the next ones if there are more. Both numbers double each time (back-off, as egg
  /// has it), up to `kMostMatches`, which is also what 0 stands for.
  size_t matches = 1'000;
  size_t left_out = 5;  ///< iterations, with the one in which there are more
  /// Asked before each iteration and after each rule: false ends the search.
  std::function<bool()> goes_on = {};
  /// Asked after each iteration, of the clean graph: true ends the search.
  std::function<bool(const EGraph&)> is_done = {};
};

enum class Stop : uint8_t { kSaturated, kDone, kIterations, kNodes, kEnded };

/// Counts of the graph after an iteration.
struct Iteration {
  size_t nodes = 0;
  size_t classes = 0;
  std::vector<size_t> united;  ///< by rule: classes that have become one
};

struct Saturation {
  Stop stop = Stop::kSaturated;
  std::vector<Iteration> iterations;
};

/// In each iteration all rules are looked for in the same graph, then applied in their order. The graph is clean
/// afterwards, however the search ends. `kSaturated` only if no rule was left out.
Saturation saturate(EGraph& graph, std::span<const Rule> rules, const Limits& limits = {});

}  // namespace covenant::compiler::match
