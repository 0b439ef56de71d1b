#include "compiler/match/extract.h"

#include <algorithm>
#include <deque>
#include <optional>

#include "acg/base/check.h"
#include "compiler/match/shared_search.h"

namespace covenant::compiler::match {
namespace {

uint64_t plus(uint64_t a, uint64_t b) { return a > kNever - b ? kNever : a + b; }

/// The nodes that the roots need, of those chosen in all classes, and their costs, each once.
void collect(const EGraph& graph, std::span<const Id> roots, const std::vector<std::optional<Id>>& chosen,
             const NodeCost& cost, Extraction& into) {
  std::vector<Id> open(roots.begin(), roots.end());
  into.cost = 0;
  while (!open.empty()) {
    const Id of = graph.find(open.back());
    open.pop_back();
    const Id node = *chosen[of];
    if (!into.nodes.emplace(of, node).second) continue;
    into.cost = plus(into.cost, cost(graph, node));
    open.insert(open.end(), graph.children(node).begin(), graph.children(node).end());
  }
}

}  // namespace

TreeCosts tree_costs(const EGraph& graph, const NodeCost& cost) {
  check(graph.is_clean(), "terms are taken out of a clean graph");
  const size_t size = graph.classes().empty() ? 0 : graph.classes().back() + 1;
  TreeCosts best{std::vector<uint64_t>(size, kNever), std::vector<std::optional<Id>>(size)};
  std::deque<Id> open(graph.classes().begin(), graph.classes().end());
  std::vector<bool> is_open(size, true);
  while (!open.empty()) {
    const Id of = open.front();
    open.pop_front();
    is_open[of] = false;
    bool is_better = false;
    for (const Id node : graph.nodes(of)) {
      uint64_t total = cost(graph, node);
      for (const Id child : graph.children(node)) total = plus(total, best.costs[child]);
      if (total >= best.costs[of]) continue;  // only what is better: so there are no circles of nodes without cost
      best.costs[of] = total;
      best.nodes[of] = node;
      is_better = true;
    }
    if (!is_better) continue;
    for (const Id parent : graph.parents(of)) {
      const Id above = graph.find(parent);
      if (is_open[above]) continue;
      is_open[above] = true;
      open.push_back(above);
    }
  }
  return best;
}

Extraction extract_tree(const EGraph& graph, Id root, const NodeCost& cost) {
  const TreeCosts best = tree_costs(graph, cost);
  Extraction result;
  const uint64_t least = best.costs[graph.find(root)];
  if (least != kNever) collect(graph, std::span(&root, 1), best.nodes, cost, result);
  result.cost = result.at_least = least;
  return result;
}

Extraction extract_shared(const EGraph& graph, std::span<const Id> roots, const NodeCost& cost, uint64_t most_steps) {
  const TreeCosts best = tree_costs(graph, cost);
  Extraction result;
  const auto has_term = [&](Id root) { return best.costs[graph.find(root)] != kNever; };
  if (!std::ranges::all_of(roots, has_term)) {
    result.at_least = kNever;
    return result;
  }
  collect(graph, roots, best.nodes, cost, result);
  SharedSearch search(graph, roots, cost, best);
  search.run(result, most_steps);
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
