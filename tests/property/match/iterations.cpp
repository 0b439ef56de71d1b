// The graph after each iteration of saturation, as JSON, for another implementation to be compared with.
//
// Standard input: the most iterations and nodes, a term in a line of its own, rules. An iteration that ends at the
// limit of nodes is left out: it is not whole.
#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iostream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "compiler/match/extract.h"
#include "compiler/match/pattern.h"
#include "compiler/match/rules.h"
#include "compiler/match/saturate.h"

namespace covenant::compiler::match {
namespace {

/// Classes by the number of their nodes, nodes by their operation, and what the least tree of the root costs.
std::string counts(const EGraph& graph, Id root) {
  std::map<std::string, size_t> operations;
  std::vector<size_t> sizes;
  for (const Id of : graph.classes()) {
    sizes.push_back(graph.nodes(of).size());
    for (const Id node : graph.nodes(of)) ++operations[graph.name(graph.operation(node))];
  }
  std::ranges::sort(sizes);
  std::string by_operation;
  for (const auto& [name, count] : operations) {
    by_operation += fmt::format("{}\"{}\": {}", by_operation.empty() ? "" : ", ", name, count);
  }
  const NodeCost one = [](const EGraph&, Id) { return uint64_t{1}; };
  return fmt::format(R"({{"nodes": {}, "classes": {}, "sizes": [{}], "operations": {{{}}}, "cost": {}}})",
                     graph.node_count(), graph.class_count(), fmt::join(sizes, ", "), by_operation,
                     extract_tree(graph, root, one).cost);
}

int refuse(const Diagnostic& diagnostic) {
  std::cerr << render(diagnostic) << "\n";
  return 1;
}

int run() {
  Limits limits{.matches = 0};
  std::string text;
  std::cin >> limits.iterations >> limits.nodes >> std::ws;
  std::getline(std::cin, text);
  const Result<Term> term = parse_term(text);
  if (!term) return refuse(term.error());
  const std::string rest{std::istreambuf_iterator<char>(std::cin), {}};
  const Result<std::vector<Rule>> rules = parse_rules(rest, "<stdin>");
  if (!rules) return refuse(rules.error());

  EGraph graph;
  const Id root = add_term(graph, *term);
  graph.rebuild();
  std::vector<std::string> all{counts(graph, root)};
  limits.is_done = [&](const EGraph& now) {
    all.push_back(counts(now, root));
    return false;
  };
  const Saturation done = saturate(graph, *rules, limits);
  if (done.stop == Stop::kNodes) all.pop_back();
  std::cout << fmt::format("{{\"is_saturated\": {}, \"iterations\": [{}]}}\n", done.stop == Stop::kSaturated,
                           fmt::join(all, ",\n"));
  return 0;
}

}  // namespace
}  // namespace covenant::compiler::match

int main() { return covenant::compiler::match::run(); }
