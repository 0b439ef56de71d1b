/// Branch and bound for terms of which shared parts cost once.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "compiler/match/extract.h"

namespace covenant::compiler::match {

/// Least costs of terms in which each use costs again, and their root nodes, by class.
struct TreeCosts {
  std::vector<uint64_t> costs;
  std::vector<std::optional<Id>> nodes;
};
TreeCosts tree_costs(const EGraph& graph, const NodeCost& cost);

/// Chooses a node for one class after another. Below all that can follow lies what has been chosen and, for each class
/// that no term of the open ones can do without, the cheapest node.
class SharedSearch {
 public:
  SharedSearch(const EGraph& graph, std::span<const Id> roots, const NodeCost& cost, const TreeCosts& trees);

  /// Improves what `best` has, in so many steps, and says how far it may be from the least.
  void run(Extraction& best, uint64_t most_steps);

 private:
  struct Choice {
    Id node;
    uint64_t cost;
    std::vector<uint32_t> children;  ///< places, each once
  };
  struct State {
    std::vector<uint64_t> needed;  ///< a bit for each place
    std::vector<uint32_t> open;    ///< needed, directly, and without a node
    uint64_t bound = 0;
  };

  void add_choices(const EGraph& graph, uint32_t place, const NodeCost& cost, const TreeCosts& trees);
  void find_indispensable();
  void need(State& state, uint32_t place) const;
  void branch(const State& state);
  bool reaches(uint32_t from, uint32_t to);
  void keep(uint64_t cost);

  std::vector<Id> classes_;                   ///< by place
  std::vector<std::vector<Choice>> choices_;  ///< by place, those of the least trees first
  std::vector<uint64_t> least_;               ///< by place: cost of the cheapest node
  std::vector<std::vector<uint64_t>> indispensable_;
  std::vector<uint32_t> roots_;
  std::vector<const Choice*> chosen_;
  std::vector<uint32_t> seen_;  ///< by place: the question in which it was last met
  uint32_t question_ = 0;
  Extraction* best_ = nullptr;
  uint64_t steps_ = 0;
  uint64_t frontier_ = kNever;  ///< the least bound of what was left when the steps were used up
};

}  // namespace covenant::compiler::match
