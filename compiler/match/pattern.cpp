#include "compiler/match/pattern.h"

#include <algorithm>
#include <deque>
#include <map>

#include "acg/base/check.h"

namespace covenant::compiler::match {
namespace {

constexpr uint32_t kNone = UINT32_MAX;

/// The classes of all nodes of terms without variables, if all are there.
std::optional<std::vector<Id>> lookup_all(const EGraph& graph, const Term& terms) {
  std::vector<Id> found, children;
  for (const TermNode& node : terms.nodes) {
    check(!node.is_variable, "only terms without variables are looked up");
    const std::optional<Symbol> symbol = graph.known_symbol(node.name);
    if (!symbol) return std::nullopt;
    children.clear();
    for (const uint32_t child : node.children) children.push_back(found[child]);
    const std::optional<Id> of = graph.lookup(*symbol, children);
    if (!of) return std::nullopt;
    found.push_back(*of);
  }
  return found;
}

}  // namespace

/// Parts of the pattern that are still to be looked for, each in a register. Those that bind nothing come first.
class Pattern::Compiler {
 public:
  Compiler(EGraph& graph, const Term& term, Pattern& into) : graph_(graph), term_(term), into_(into) {
    for (const TermNode& node : term.nodes) {
      TermNode ground = node;
      bool is_ground = !node.is_variable;
      for (uint32_t& child : ground.children) {
        child = ground_[child];
        is_ground = is_ground && child != kNone;
      }
      ground_.push_back(is_ground ? static_cast<uint32_t>(into.ground_.nodes.size()) : kNone);
      if (is_ground) into.ground_.nodes.push_back(std::move(ground));
    }
  }

  void compile() {
    into_.variables_ = variables_of(term_);
    place(static_cast<uint32_t>(term_.nodes.size() - 1), 0);
    while (!to_bind_.empty()) {
      const auto [node, in] = to_bind_.front();
      to_bind_.pop_front();
      const TermNode& of = term_.nodes[node];
      const uint32_t first = into_.registers_;
      const auto arity = static_cast<uint32_t>(of.children.size());
      into_.registers_ += arity;
      into_.program_.push_back({Kind::kBind, in, first, graph_.symbol(of.name), arity});
      for (uint32_t i = 0; i < arity; ++i) place(of.children[i], first + i);
    }
    for (const std::string& name : into_.variables_) into_.variable_registers_.push_back(variables_.at(name));
  }

 private:
  void place(uint32_t node, uint32_t in) {
    const TermNode& of = term_.nodes[node];
    if (of.is_variable) {
      const auto [known, is_new] = variables_.emplace(of.name, in);
      if (!is_new) into_.program_.push_back({Kind::kCompare, in, known->second});
    } else if (ground_[node] != kNone) {
      into_.program_.push_back({Kind::kLookup, in, ground_[node]});
    } else {
      to_bind_.emplace_back(node, in);
    }
  }

  EGraph& graph_;
  const Term& term_;
  Pattern& into_;
  std::map<std::string_view, uint32_t> variables_;  ///< and their registers
  std::vector<uint32_t> ground_;                    ///< by node: its place among the ground ones
  std::deque<std::pair<uint32_t, uint32_t>> to_bind_;
};

struct Pattern::Run {
  const EGraph& graph;
  const Found& found;
  std::vector<Id> ground;
  std::vector<Id> registers, variables;
  struct Open {
    size_t at;                  ///< of a kBind
    std::span<const Id> nodes;  ///< still to be tried
  };
  std::vector<Open> open = {};
};

Pattern::Pattern(EGraph& graph, const Term& term) {
  Compiler(graph, term, *this).compile();
  root_ = term.root().is_variable ? std::nullopt : std::optional<Symbol>(graph.symbol(term.root().name));
}

/// Without recursion: a pattern may be as deep as a text. False if `found` has ended it.
bool Pattern::run(Run& run) const {
  run.open.clear();
  for (size_t at = 0;;) {
    for (; at < program_.size() && program_[at].kind != Kind::kBind; ++at) {
      const Instruction& now = program_[at];
      const Id other = now.kind == Kind::kCompare ? run.registers[now.other] : run.ground[now.other];
      if (run.registers[now.in] != other) break;
    }
    if (at == program_.size()) {
      for (size_t i = 0; i < variables_.size(); ++i) run.variables[i] = run.registers[variable_registers_[i]];
      if (!run.found(run.registers.front(), run.variables)) return false;
    } else if (const Instruction& now = program_[at]; now.kind == Kind::kBind) {
      const auto operation = [&run](Id node) { return run.graph.operation(node); };
      const auto nodes = run.graph.nodes(run.registers[now.in]);
      run.open.push_back({at, std::span(std::ranges::equal_range(nodes, now.operation, {}, operation))});
    }
    // The next node of as many children in the last part that has one.
    std::span<const Id> children;
    do {
      while (!run.open.empty() && run.open.back().nodes.empty()) run.open.pop_back();
      if (run.open.empty()) return true;
      std::span<const Id>& nodes = run.open.back().nodes;
      children = run.graph.children(nodes.front());
      nodes = nodes.subspan(1);
    } while (children.size() != program_[run.open.back().at].arity);
    at = run.open.back().at;
    std::ranges::copy(children, run.registers.begin() + program_[at++].other);
  }
}

void Pattern::search_all(const EGraph& graph, std::span<const Id> classes, const Found& found) const {
  check(graph.is_clean(), "patterns are looked for in a clean graph");
  std::optional<std::vector<Id>> ground = lookup_all(graph, ground_);
  if (!ground) return;
  Run run{graph, found, *std::move(ground), std::vector<Id>(registers_), std::vector<Id>(variables_.size())};
  for (const Id of : classes) {
    run.registers.front() = graph.find(of);
    if (!this->run(run)) return;
  }
}

Template::Template(EGraph& graph, const Term& term, std::span<const std::string> variables) {
  std::map<std::string_view, uint32_t> places;
  for (const std::string& name : variables) places.emplace(name, static_cast<uint32_t>(places.size()));
  for (const TermNode& node : term.nodes) {
    check(!node.is_variable || places.contains(node.name), "a variable stands for a class");
    nodes_.push_back(
        {node.is_variable ? places.at(node.name) : graph.symbol(node.name), node.is_variable, node.children});
  }
}

Id Template::add(EGraph& graph, std::span<const Id> classes) {
  made_.clear();
  for (const Node& node : nodes_) {
    children_.clear();
    for (const uint32_t child : node.children) children_.push_back(made_[child]);
    made_.push_back(node.is_variable ? graph.find(classes[node.what]) : graph.add(node.what, children_));
  }
  return made_.back();
}

Id add_term(EGraph& graph, const Term& term) { return Template(graph, term).add(graph); }

std::optional<Id> lookup_term(const EGraph& graph, const Term& term) {
  const std::optional<std::vector<Id>> found = lookup_all(graph, term);
  return found ? std::optional<Id>(found->back()) : std::nullopt;
}

}  // namespace covenant::compiler::match
