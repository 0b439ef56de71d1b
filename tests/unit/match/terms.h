/// Graphs, terms and rules for tests of matching.
#pragma once

#include <algorithm>
#include <gtest/gtest.h>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "acg/base/diagnostic.h"
#include "compiler/match/pattern.h"
#include "compiler/match/rules.h"
#include "compiler/match/saturate.h"
#include "compiler/match/term.h"

namespace covenant::compiler::match::testing {

inline Term term(std::string_view text) {
  Result<Term> read = parse_term(text);
  EXPECT_TRUE(read) << (read ? "" : render(read.error()));
  return read ? *read : Term{{{"wrong", {}, false}}};
}
inline Id add(EGraph& graph, std::string_view text) { return add_term(graph, term(text)); }

inline std::vector<Rule> rules(std::string_view text, const Conditions& known = {}) {
  Result<std::vector<Rule>> read = parse_rules(text, "test.rules", known);
  EXPECT_TRUE(read) << (read ? "" : render(read.error()));
  return read ? *std::move(read) : std::vector<Rule>{};
}

/// Whether the two are in one class after a rebuild; a term that is not there is equal to none.
inline bool are_equal(const EGraph& graph, std::string_view a, std::string_view b) {
  const auto one = lookup_term(graph, term(a)), other = lookup_term(graph, term(b));
  return one && other && *one == *other;
}

/// The fault of a clean graph: a node without its class as its children's parent, with children that are no
/// leaders, that is not found or is found elsewhere, or that another one is the same as. Nothing if all is well.
inline std::string fault(const EGraph& graph) {
  std::map<std::pair<Symbol, std::vector<Id>>, Id> seen;
  std::set<Id> hidden;  ///< with children, by which they are known
  size_t nodes = 0;
  for (const Id of : graph.classes()) {
    if (graph.find(of) != of) return "a class that is no leader";
    for (const Id node : graph.nodes(of)) {
      ++nodes;
      const std::vector<Id> children(graph.children(node).begin(), graph.children(node).end());
      for (const Id child : children) {
        if (graph.find(child) != child) return "a child that is no leader";
        if (std::ranges::find(graph.parents(child), node) == graph.parents(child).end()) return "a parent is missing";
      }
      if (graph.find(node) != of) return "a node of another class";
      if (!seen.emplace(std::pair(graph.operation(node), children), of).second) return "two nodes are the same";
      if (graph.lookup(graph.operation(node), children) != of) return "a node is not found";
    }
    for (const Id parent : graph.parents(of)) {
      const std::span<const Id> beside = graph.nodes(parent);
      if (std::ranges::find(beside, parent) == beside.end()) hidden.insert(parent);
      if (std::ranges::find(graph.children(parent), of) == graph.children(parent).end()) return "a parent too many";
    }
  }
  return nodes + hidden.size() == graph.node_count() ? "" : "a count of nodes";
}

/// Saturates, with a look at the graph after each iteration, until a term of the form `to` is in the class of `from`.
/// Returns whether it is. `also`, if any, is in the graph from the beginning.
inline bool proves(std::string_view from, std::string_view to, const std::vector<Rule>& by,
                   Analysis* analysis = nullptr, Limits limits = {}, const char* also = nullptr) {
  EGraph graph(analysis);
  const Id root = add(graph, from);
  if (also != nullptr) add(graph, also);
  const Pattern pattern(graph, term(to));
  bool is_found = false;
  limits.is_done = [&](const EGraph& now) {
    EXPECT_EQ(fault(now), "");
    pattern.search_in(now, root, [&](Id, std::span<const Id>) {
      is_found = true;
      return false;
    });
    return is_found;
  };
  const Saturation done = saturate(graph, by, limits);
  const Iteration& last = done.iterations.back();
  std::cout << from << ": " << (is_found ? "proven" : "not proven") << " after " << done.iterations.size()
            << " iterations, " << last.nodes << " nodes, " << last.classes << " classes\n";
  return is_found;
}

}  // namespace covenant::compiler::match::testing
