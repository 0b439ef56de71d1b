#include "compiler/match/saturate.h"

#include <algorithm>
#include <optional>

#include "compiler/match/pattern.h"

namespace covenant::compiler::match {
namespace {

constexpr size_t kMostDoublings = 16;

/// A rule with its pattern, and when it is left out.
struct Searched {
  const Rule* rule;
  Pattern pattern;
  std::optional<Template> right;               ///< unless the rule makes what is equal
  std::vector<std::vector<size_t>> arguments;  ///< of its conditions: places among the variables
  size_t times_left_out = 0;
  size_t left_out_until = 0;  ///< iteration
  std::vector<Id> found;      ///< a class and those of the variables, one after another
  std::vector<Id> given;      ///< to a condition

  Searched(EGraph& graph, const Rule& of) : rule(&of), pattern(graph, of.left) {
    const std::vector<std::string>& names = pattern.variables();
    if (!of.makes) right.emplace(graph, of.right, names);
    for (const Rule::Asked& asked : of.conditions) {
      std::vector<size_t>& places = arguments.emplace_back();
      for (const std::string& name : asked.variables) {
        places.push_back(static_cast<size_t>(std::ranges::find(names, name) - names.begin()));
      }
    }
  }
  size_t width() const { return 1 + pattern.variables().size(); }

  bool holds(const EGraph& graph, std::span<const Id> variables) {
    for (size_t i = 0; i < arguments.size(); ++i) {
      given.clear();
      for (const size_t place : arguments[i]) given.push_back(variables[place]);
      if (!rule->conditions[i].holds(graph, given)) return false;
    }
    return true;
  }
};

class Search {
 public:
  Search(EGraph& graph, std::span<const Rule> rules, const Limits& limits) : graph_(graph), limits_(limits) {
    for (const Rule& rule : rules) rules_.emplace_back(graph, rule);
  }

  Stop run(std::vector<Iteration>& done) {
    graph_.rebuild();
    while (done.size() < limits_.iterations) {
      if (!goes_on()) return Stop::kEnded;
      for (Searched& one : rules_) find(one, done.size());
      const size_t before = graph_.changes();
      Iteration& made = done.emplace_back();
      const std::optional<Stop> cut = apply(made);
      graph_.rebuild();
      made.nodes = graph_.node_count();
      made.classes = graph_.class_count();
      if (limits_.is_done && limits_.is_done(graph_)) return Stop::kDone;
      if (cut) return *cut;
      if (graph_.changes() == before && !take_back(done.size() - 1)) return Stop::kSaturated;
    }
    return Stop::kIterations;
  }

 private:
  bool goes_on() const { return !limits_.goes_on || limits_.goes_on(); }

  void find(Searched& one, size_t iteration) {
    one.found.clear();
    if (iteration < one.left_out_until) return;
    const size_t shift = std::min<size_t>(one.times_left_out, kMostDoublings);
    const size_t most = limits_.matches == 0 ? kMostMatches : std::min(limits_.matches << shift, kMostMatches);
    size_t count = 0;
    one.pattern.search(graph_, [&](Id of, std::span<const Id> variables) {
      if (++count > most) return false;
      if (!one.holds(graph_, variables)) return true;
      one.found.push_back(of);
      one.found.insert(one.found.end(), variables.begin(), variables.end());
      return true;
    });
    if (count <= most) return;
    one.found.clear();
    one.left_out_until = iteration + std::max<size_t>(limits_.left_out << shift, 1);
    ++one.times_left_out;
  }

  /// Nothing new has come in this iteration. Takes back the rules that were left out as soon as any would be; false if
  /// none was.
  bool take_back(size_t iteration) {
    size_t earliest = 0;
    for (const Searched& one : rules_) {
      const size_t until = one.left_out_until;
      if (until > iteration && (earliest == 0 || until < earliest)) earliest = until;
    }
    if (earliest == 0) return false;
    for (Searched& one : rules_) {
      if (one.left_out_until > iteration) one.left_out_until -= earliest - iteration - 1;
    }
    return true;
  }

  std::optional<Stop> apply(Iteration& made) {
    made.united.resize(rules_.size());
    for (size_t rule = 0; rule < rules_.size(); ++rule) {
      Searched& one = rules_[rule];
      for (size_t at = 0; at < one.found.size(); at += one.width()) {
        const std::span<const Id> variables = std::span(one.found).subspan(at + 1, one.width() - 1);
        const std::optional<Id> equal = made_by(one, one.found[at], variables);
        if (equal && graph_.unite(one.found[at], *equal)) ++made.united[rule];
        if (graph_.node_count() > limits_.nodes) return Stop::kNodes;
      }
      if (!goes_on()) return Stop::kEnded;
    }
    return std::nullopt;
  }

  std::optional<Id> made_by(Searched& one, Id of, std::span<const Id> variables) {
    return one.right ? one.right->add(graph_, variables) : one.rule->makes(graph_, of, variables);
  }

  EGraph& graph_;
  const Limits& limits_;
  std::vector<Searched> rules_;
};

}  // namespace

Saturation saturate(EGraph& graph, std::span<const Rule> rules, const Limits& limits) {
  Saturation result;
  result.stop = Search(graph, rules, limits).run(result.iterations);
  return result;
}

}  // namespace covenant::compiler::match
