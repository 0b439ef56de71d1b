#include "compiler/match/extract.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <optional>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "acg/base/check.h"
#include "compiler/match/greedy.h"

namespace covenant::compiler::match {
namespace {

uint64_t plus(uint64_t a, uint64_t b) { return a > kNever - b ? kNever : a + b; }
uint64_t greater(uint64_t a, uint64_t b) { return std::max(a, b); }
/// A tree costs twice as much with each level at which parts are shared: 64 bits do not hold that of a deep network.
constexpr double kNoTree = std::numeric_limits<double>::infinity();
double plus(double a, double b) {
  return std::max(a, b) == kNoTree ? kNoTree : std::min(a + b, std::numeric_limits<double>::max());
}

/// Least costs of terms and their root nodes, by class.
template <typename Cost>
struct Least {
  std::vector<Cost> costs;
  std::vector<std::optional<Id>> nodes;
};

/// A term costs its root and its children's costs, which are put together by `plus` or `greater`. Classes come in the
/// order of their costs (Knuth, "A Generalization of Dijkstra's Algorithm", 1977): each once, however deep a term is.
template <typename Cost>
Least<Cost> least_costs(const EGraph& graph, const NodeCost& cost, Cost never, Cost (*together)(Cost, Cost)) {
  check(graph.is_clean(), "terms are taken out of a clean graph");
  const size_t size = graph.classes().empty() ? 0 : graph.classes().back() + 1;
  Least<Cost> best{std::vector<Cost>(size, never), std::vector<std::optional<Id>>(size)};
  using Candidate = std::tuple<Cost, Id, Id>;  // its class and its node
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> candidates;
  std::unordered_map<Id, size_t> missing;  // children without a cost, by node
  const auto complete = [&](Id of, Id node) {
    Cost below = 0;
    for (const Id child : graph.children(node)) below = together(below, best.costs[child]);
    const uint64_t own = cost(graph, node);
    const Cost total = own == kNever ? never : plus(static_cast<Cost>(own), below);
    if (total != never) candidates.emplace(total, of, node);
  };
  for (const Id of : graph.classes()) {
    for (const Id node : graph.nodes(of)) {
      const size_t children = graph.children(node).size();
      if (children == 0) complete(of, node);
      missing.emplace(node, children);
    }
  }
  while (!candidates.empty()) {
    const auto [total, of, node] = candidates.top();
    candidates.pop();
    if (best.nodes[of]) continue;
    best.costs[of] = total;
    best.nodes[of] = node;
    for (const Id parent : graph.parents(of)) {
      const auto left = missing.find(parent);
      if (left == missing.end()) continue;  // it is not looked into any more
      left->second -= static_cast<size_t>(std::ranges::count(graph.children(parent), of));
      if (left->second == 0) complete(graph.find(parent), parent);
    }
  }
  return best;
}

/// The nodes that the roots need, of those chosen in all classes, and their costs, each once.
void collect(const EGraph& graph, std::span<const Id> roots, const std::vector<std::optional<Id>>& chosen,
             const NodeCost& cost, Extraction& into) {
  std::vector<Id> open(roots.begin(), roots.end());
  into.cost = 0;
  while (!open.empty()) {
    const Id of = graph.find(open.back());
    open.pop_back();
    const Id node = chosen[of].value();
    if (!into.nodes.emplace(of, node).second) continue;
    into.cost = plus(into.cost, cost(graph, node));
    open.insert(open.end(), graph.children(node).begin(), graph.children(node).end());
  }
}

/// Chooses a node for one class after another. Below all that can follow lies what has been chosen and, for each class
/// that no term of the open ones can do without, the cheapest node.
class SharedSearch {
 public:
  SharedSearch(const EGraph& graph, std::span<const Id> roots, const NodeCost& cost, const Least<double>& trees,
               Extraction& best)
      : best_(best) {
    std::map<Id, uint32_t> places;
    const auto place_of = [&](Id of) {
      const auto [known, is_new] = places.emplace(graph.find(of), static_cast<uint32_t>(classes_.size()));
      if (is_new) classes_.push_back(known->first);
      return known->second;
    };
    for (const Id root : roots) roots_.push_back(place_of(root));
    for (uint32_t place = 0; place < classes_.size(); ++place) {
      add_choices(graph, place, cost, trees);
      uint64_t& least = least_.emplace_back(kNever);
      for (Choice& choice : choices_.back()) {
        least = std::min(least, choice.cost);
        for (const Id child : graph.children(choice.node)) choice.children.push_back(place_of(child));
        std::ranges::sort(choice.children);
        choice.children.erase(std::ranges::unique(choice.children).begin(), choice.children.end());
      }
    }
    chosen_.resize(classes_.size());
    seen_.resize(classes_.size());
  }

  size_t size() const { return classes_.size(); }

  void run(uint64_t most_steps) {
    find_indispensable();
    steps_ = most_steps;
    State state;
    state.needed.resize(words());
    for (const uint32_t root : roots_) need(state, root);
    branch(state);
    best_.at_least = std::max(best_.at_least, std::min(best_.cost, frontier_));
  }

 private:
  struct Choice {
    Id node;
    uint64_t cost;                   ///< by itself
    double tree;                     ///< of its least tree
    std::vector<uint32_t> children;  ///< places, each once
  };
  struct State {
    std::vector<uint64_t> needed;  ///< a bit for each place
    std::vector<uint32_t> open;    ///< needed, directly, and without a node
    uint64_t bound = 0;
  };

  static constexpr size_t kBits = 64;
  size_t words() const { return (size() + kBits - 1) / kBits; }

  /// Nodes of a class of which there are terms, by the costs of their least trees.
  void add_choices(const EGraph& graph, uint32_t place, const NodeCost& cost, const Least<double>& trees) {
    std::vector<Choice>& choices = choices_.emplace_back();
    for (const Id node : graph.nodes(classes_[place])) {
      const uint64_t own = cost(graph, node);
      double total = own == kNever ? kNoTree : static_cast<double>(own);
      for (const Id child : graph.children(node)) total = plus(total, trees.costs[graph.find(child)]);
      if (total != kNoTree) choices.push_back({node, own, total, {}});
    }
    std::ranges::stable_sort(choices, {}, &Choice::tree);
  }

  /// Classes that every term of a class has, by induction over its height: the greatest sets of which each has its
  /// class and what all of its nodes need through their children.
  void find_indispensable() {
    indispensable_.assign(size(), std::vector<uint64_t>(words(), ~uint64_t{0}));
    std::vector<uint64_t> all(words()), one(words());
    for (bool changes = true; changes;) {
      changes = false;
      for (auto place = static_cast<uint32_t>(size()); place-- > 0;) {
        std::ranges::fill(all, ~uint64_t{0});
        for (const Choice& choice : choices_[place]) {
          std::ranges::fill(one, 0);
          for (const uint32_t child : choice.children) {
            for (size_t i = 0; i < words(); ++i) one[i] |= indispensable_[child][i];
          }
          for (size_t i = 0; i < words(); ++i) all[i] &= one[i];
        }
        all[place / kBits] |= uint64_t{1} << (place % kBits);
        if (all == indispensable_[place]) continue;
        indispensable_[place] = all;
        changes = true;
      }
    }
  }

  /// A class becomes part of the term.
  void need(State& state, uint32_t place) const {
    if (chosen_[place] != nullptr || std::ranges::find(state.open, place) != state.open.end()) return;
    state.open.push_back(place);
    for (size_t i = 0; i < state.needed.size(); ++i) {
      for (uint64_t fresh = indispensable_[place][i] & ~state.needed[i]; fresh != 0; fresh &= fresh - 1) {
        const size_t bit = i * kBits + static_cast<size_t>(std::countr_zero(fresh));
        if (bit < size()) state.bound = plus(state.bound, least_[bit]);
      }
      state.needed[i] |= indispensable_[place][i];
    }
  }

  /// Whether what has been chosen leads from one place to another.
  bool reaches(uint32_t from, uint32_t to) {
    ++question_;
    std::vector<uint32_t> open{from};
    while (!open.empty()) {
      const uint32_t place = open.back();
      open.pop_back();
      if (place == to) return true;
      if (std::exchange(seen_[place], question_) == question_ || chosen_[place] == nullptr) continue;
      open.insert(open.end(), chosen_[place]->children.begin(), chosen_[place]->children.end());
    }
    return false;
  }

  void keep(uint64_t cost) {
    best_.cost = cost;
    best_.nodes.clear();
    for (uint32_t place = 0; place < size(); ++place) {
      if (chosen_[place] != nullptr) best_.nodes.emplace(classes_[place], chosen_[place]->node);
    }
  }

  /// As deep as there are classes.
  void branch(const State& state) {
    if (state.bound >= best_.cost) return;
    if (steps_ == 0) {
      frontier_ = std::min(frontier_, state.bound);
      return;
    }
    --steps_;
    if (state.open.empty()) return keep(state.bound);
    const auto fewest = std::ranges::min_element(
        state.open, {}, [&](uint32_t place) { return std::pair(choices_[place].size(), place); });
    const uint32_t place = *fewest;
    for (const Choice& choice : choices_[place]) {
      const auto leads_back = [&](uint32_t child) { return reaches(child, place); };
      if (std::ranges::any_of(choice.children, leads_back)) continue;
      chosen_[place] = &choice;
      State next = state;
      std::erase(next.open, place);
      next.bound = plus(next.bound, choice.cost - least_[place]);
      for (const uint32_t child : choice.children) need(next, child);
      branch(next);
      chosen_[place] = nullptr;
    }
  }

  std::vector<Id> classes_;                   ///< by place
  std::vector<std::vector<Choice>> choices_;  ///< by place, those of the least trees first
  std::vector<uint64_t> least_;               ///< by place: cost of the cheapest node
  std::vector<std::vector<uint64_t>> indispensable_;
  std::vector<uint32_t> roots_;
  std::vector<const Choice*> chosen_;
  std::vector<uint64_t> seen_;  ///< by place: the question in which it was last met
  uint64_t question_ = 0;
  Extraction& best_;
  uint64_t steps_ = 0;
  uint64_t frontier_ = kNever;  ///< the least bound of what was left when the steps were used up
};

}  // namespace

Extraction extract_tree(const EGraph& graph, Id root, const NodeCost& cost) {
  const Least<uint64_t> best = least_costs<uint64_t>(graph, cost, kNever, plus);
  Extraction result;
  const uint64_t least = best.costs[graph.find(root)];
  if (least != kNever) collect(graph, std::span(&root, 1), best.nodes, cost, result);
  result.cost = result.at_least = least;
  return result;
}

Extraction extract_shared(const EGraph& graph, std::span<const Id> roots, const NodeCost& cost, uint64_t most_steps) {
  // No term lacks the nodes on its costliest way down.
  const Least<uint64_t> ways = least_costs<uint64_t>(graph, cost, kNever, greater);
  Extraction result;
  for (const Id root : roots) result.at_least = std::max(result.at_least, ways.costs[graph.find(root)]);
  if (result.at_least == kNever) return result;
  const Least<double> trees = least_costs<double>(graph, cost, kNoTree, plus);
  collect(graph, roots, trees.nodes, cost, result);
  if (graph.class_count() <= kMostGreedy) {
    if (const auto chosen = greedy_nodes(graph, roots, cost, trees.costs)) {
      Extraction greedy;
      collect(graph, roots, *chosen, cost, greedy);
      greedy.at_least = result.at_least;
      if (greedy.cost < result.cost) result = std::move(greedy);
    }
  }
  SharedSearch search(graph, roots, cost, trees, result);
  if (search.size() <= kMostSearched) search.run(most_steps);
  return result;
}

Term term_of(const EGraph& graph, const Extraction& from, Id root) {
  check(from.cost != kNever, "a term that can be extracted");
  Term term;
  std::map<Id, uint32_t> places;
  std::vector<std::pair<Id, bool>> open{{graph.find(root), false}};
  while (!open.empty()) {
    const auto [of, has_children] = open.back();
    open.pop_back();
    if (places.contains(of)) continue;
    const Id node = from.nodes.at(of);
    if (!has_children) {
      open.emplace_back(of, true);
      for (const Id child : graph.children(node)) open.emplace_back(graph.find(child), false);
      continue;
    }
    TermNode made{graph.name(graph.operation(node)), {}, false};
    for (const Id child : graph.children(node)) made.children.push_back(places.at(graph.find(child)));
    places.emplace(of, static_cast<uint32_t>(term.nodes.size()));
    term.nodes.push_back(std::move(made));
  }
  return term;
}

}  // namespace covenant::compiler::match
