#include "compiler/match/shared_search.h"

#include <algorithm>
#include <bit>
#include <map>

#include "acg/base/check.h"

namespace covenant::compiler::match {
namespace {

constexpr size_t kBits = 64;
/// Classes up to which what is indispensable is computed: it takes their square in bits.
constexpr size_t kMostIndispensable = 16'384;

void set(std::vector<uint64_t>& bits, uint32_t place) { bits[place / kBits] |= uint64_t{1} << (place % kBits); }

}  // namespace

SharedSearch::SharedSearch(const EGraph& graph, std::span<const Id> roots, const NodeCost& cost,
                           const TreeCosts& trees) {
  std::map<Id, uint32_t> places;
  const auto place_of = [&](Id of) {
    const auto [known, is_new] = places.emplace(graph.find(of), static_cast<uint32_t>(classes_.size()));
    if (is_new) classes_.push_back(known->first);
    return known->second;
  };
  for (const Id root : roots) roots_.push_back(place_of(root));
  for (uint32_t place = 0; place < classes_.size(); ++place) {
    choices_.emplace_back();
    add_choices(graph, place, cost, trees);
    for (Choice& choice : choices_.back()) {
      for (const Id child : graph.children(choice.node)) choice.children.push_back(place_of(child));
      std::ranges::sort(choice.children);
      choice.children.erase(std::ranges::unique(choice.children).begin(), choice.children.end());
    }
    uint64_t least = kNever;
    for (const Choice& choice : choices_.back()) least = std::min(least, choice.cost);
    least_.push_back(least);
  }
  find_indispensable();
  chosen_.resize(classes_.size());
  seen_.resize(classes_.size());
}

/// Nodes of a class of which there are terms, by the costs of their least trees.
void SharedSearch::add_choices(const EGraph& graph, uint32_t place, const NodeCost& cost, const TreeCosts& trees) {
  std::vector<std::pair<uint64_t, Id>> ordered;
  for (const Id node : graph.nodes(classes_[place])) {
    uint64_t total = cost(graph, node);
    for (const Id child : graph.children(node)) {
      const uint64_t below = trees.costs[graph.find(child)];
      total = total > kNever - below ? kNever : total + below;
    }
    if (total != kNever) ordered.emplace_back(total, node);
  }
  std::ranges::stable_sort(ordered, {}, [](const auto& one) { return one.first; });
  for (const auto& [total, node] : ordered) choices_[place].push_back({node, cost(graph, node), {}});
}

/// The greatest sets of which each has its class, and what all of its nodes need through their children: every term of
/// a class has, by induction over its height, all of them.
void SharedSearch::find_indispensable() {
  const size_t size = classes_.size();
  const size_t words = (size + kBits - 1) / kBits;
  const bool is_small = size <= kMostIndispensable;
  indispensable_.assign(size, std::vector<uint64_t>(words, is_small ? ~uint64_t{0} : 0));
  for (uint32_t place = 0; !is_small && place < size; ++place) set(indispensable_[place], place);
  std::vector<uint64_t> all(words), one(words);
  for (bool changes = is_small; changes;) {
    changes = false;
    for (uint32_t place = static_cast<uint32_t>(size); place-- > 0;) {
      std::ranges::fill(all, ~uint64_t{0});
      for (const Choice& choice : choices_[place]) {
        std::ranges::fill(one, 0);
        for (const uint32_t child : choice.children) {
          for (size_t i = 0; i < words; ++i) one[i] |= indispensable_[child][i];
        }
        for (size_t i = 0; i < words; ++i) all[i] &= one[i];
      }
      set(all, place);
      if (all == indispensable_[place]) continue;
      indispensable_[place] = all;
      changes = true;
    }
  }
}

/// A class becomes part of the term.
void SharedSearch::need(State& state, uint32_t place) const {
  if (chosen_[place] != nullptr || std::ranges::find(state.open, place) != state.open.end()) return;
  state.open.push_back(place);
  for (size_t i = 0; i < state.needed.size(); ++i) {
    for (uint64_t fresh = indispensable_[place][i] & ~state.needed[i]; fresh != 0; fresh &= fresh - 1) {
      const auto bit = static_cast<uint32_t>(i * kBits) + static_cast<uint32_t>(std::countr_zero(fresh));
      if (bit < least_.size()) state.bound += least_[bit];
    }
    state.needed[i] |= indispensable_[place][i];
  }
}

/// Whether what has been chosen leads from one place to another.
bool SharedSearch::reaches(uint32_t from, uint32_t to) {
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

void SharedSearch::keep(uint64_t cost) {
  best_->cost = cost;
  best_->nodes.clear();
  for (uint32_t place = 0; place < chosen_.size(); ++place) {
    if (chosen_[place] != nullptr) best_->nodes.emplace(classes_[place], chosen_[place]->node);
  }
}

void SharedSearch::branch(const State& state) {
  if (state.bound >= best_->cost) return;
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
    next.bound += choice.cost - least_[place];
    for (const uint32_t child : choice.children) need(next, child);
    branch(next);
    chosen_[place] = nullptr;
  }
}

void SharedSearch::run(Extraction& best, uint64_t most_steps) {
  best_ = &best;
  steps_ = most_steps;
  State state;
  state.needed.resize((classes_.size() + kBits - 1) / kBits);
  for (const uint32_t root : roots_) need(state, root);
  branch(state);
  best.at_least = std::min(best.cost, frontier_);
}

}  // namespace covenant::compiler::match
