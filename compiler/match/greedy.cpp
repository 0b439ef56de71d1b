#include "compiler/match/greedy.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <deque>

#include "acg/base/check.h"

namespace covenant::compiler::match {
namespace {

constexpr size_t kBits = 64;

/// Chosen nodes, with the classes of their terms.
class Greedy {
 public:
  Greedy(const EGraph& graph, const NodeCost& cost) : graph_(graph), cost_(cost), classes_(graph.classes()) {
    places_.resize(classes_.empty() ? 0 : classes_.back() + 1);
    for (uint32_t place = 0; place < classes_.size(); ++place) places_[classes_[place]] = place;
    chosen_.resize(places_.size());
    own_.resize(classes_.size());
    totals_.assign(classes_.size(), kNever);
    parts_.resize(classes_.size());
    union_.resize((classes_.size() + kBits - 1) / kBits);
  }

  std::vector<std::optional<Id>> run(std::span<const double> trees) {
    std::deque<uint32_t> open;
    std::vector<bool> is_open(classes_.size(), true);
    for (uint32_t place = 0; place < classes_.size(); ++place) open.push_back(place);
    std::ranges::stable_sort(open, {}, [&](uint32_t place) { return trees[classes_[place]]; });
    while (!open.empty()) {
      const uint32_t place = open.front();
      open.pop_front();
      is_open[place] = false;
      if (!improve(place)) continue;
      for (const Id parent : graph_.parents(classes_[place])) {
        const uint32_t above = places_[graph_.find(parent)];
        if (is_open[above]) continue;
        is_open[above] = true;
        open.push_back(above);
      }
    }
    return std::move(chosen_);
  }

 private:
  bool improve(uint32_t place) {
    bool is_better = false;
    for (const Id node : graph_.nodes(classes_[place])) {
      const uint64_t own = cost_(graph_, node);
      const uint64_t total = own == kNever ? kNever : with_parts(node, place, own);
      if (total >= totals_[place]) continue;
      totals_[place] = total;
      own_[place] = own;
      chosen_[classes_[place]] = node;
      parts_[place] = union_;
      parts_[place][place / kBits] |= uint64_t{1} << (place % kBits);
      is_better = true;
    }
    return is_better;
  }

  /// The cost of a node and of all parts of its children, which are then in `union_`; `kNever` if there is no such
  /// term.
  uint64_t with_parts(Id node, uint32_t place, uint64_t own) {
    std::ranges::fill(union_, 0);
    for (const Id child : graph_.children(node)) {
      const std::vector<uint64_t>& parts = parts_[places_[graph_.find(child)]];
      if (parts.empty()) return kNever;
      for (size_t i = 0; i < union_.size(); ++i) union_[i] |= parts[i];
    }
    if (((union_[place / kBits] >> (place % kBits)) & 1U) != 0) return kNever;
    uint64_t total = own;
    for (size_t i = 0; i < union_.size(); ++i) {
      for (uint64_t left = union_[i]; left != 0; left &= left - 1) {
        const uint64_t part = own_[i * kBits + static_cast<size_t>(std::countr_zero(left))];
        total = total > kNever - 1 - part ? kNever - 1 : total + part;
      }
    }
    return total;
  }

  const EGraph& graph_;
  const NodeCost& cost_;
  std::span<const Id> classes_;
  std::vector<uint32_t> places_;  ///< by class
  std::vector<std::optional<Id>> chosen_;
  std::vector<uint64_t> own_, totals_;
  std::vector<std::vector<uint64_t>> parts_;  ///< by place: a bit for each place; empty without a term
  std::vector<uint64_t> union_;
};

bool goes_in_a_circle(const EGraph& graph, std::span<const Id> roots, const std::vector<std::optional<Id>>& chosen) {
  enum class State : uint8_t { kNew, kWithin, kDone };
  std::vector<State> states(chosen.size());
  std::vector<std::pair<Id, bool>> open;
  for (const Id root : roots) open.emplace_back(graph.find(root), false);
  while (!open.empty()) {
    const auto [of, is_left] = open.back();
    open.pop_back();
    if (is_left) {
      states[of] = State::kDone;
      continue;
    }
    if (states[of] == State::kWithin) return true;
    if (states[of] == State::kDone) continue;
    states[of] = State::kWithin;
    open.emplace_back(of, true);
    check(chosen[of].has_value(), "a term of the roots");
    for (const Id child : graph.children(*chosen[of])) open.emplace_back(graph.find(child), false);
  }
  return false;
}

}  // namespace

std::optional<std::vector<std::optional<Id>>> greedy_nodes(const EGraph& graph, std::span<const Id> roots,
                                                           const NodeCost& cost, std::span<const double> trees) {
  std::vector<std::optional<Id>> chosen = Greedy(graph, cost).run(trees);
  if (goes_in_a_circle(graph, roots, chosen)) return std::nullopt;
  return chosen;
}

}  // namespace covenant::compiler::match
