#include "compiler/match/pattern.h"

#include <algorithm>
#include <deque>

#include "acg/base/check.h"

namespace covenant::compiler::match {

/// Parts of the pattern that are still to be looked for, each in a register. Those that bind nothing come first.
class Pattern::Compiler {
 public:
  Compiler(EGraph& graph, const Term& term, Pattern& into) : graph_(graph), term_(term), into_(into) {
    for (const TermNode& node : term.nodes) {
      bool is_ground = !node.is_variable;
      for (const uint32_t child : node.children) is_ground = is_ground && is_ground_[child];
      is_ground_.push_back(is_ground);
    }
  }

  void compile() {
    into_.variables_ = variables_of(term_);
    into_.variable_registers_.assign(into_.variables_.size(), kNone);
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
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  void place(uint32_t node, uint32_t in) {
    const TermNode& of = term_.nodes[node];
    if (of.is_variable) {
      const auto at = static_cast<size_t>(std::ranges::find(into_.variables_, of.name) - into_.variables_.begin());
      uint32_t& known = into_.variable_registers_[at];
      if (known != kNone) into_.program_.push_back({Kind::kCompare, in, known});
      if (known == kNone) known = in;
    } else if (is_ground_[node]) {
      into_.program_.push_back({Kind::kLookup, in, static_cast<uint32_t>(into_.ground_.size())});
      into_.ground_.push_back(part_of(node));
    } else {
      to_bind_.emplace_back(node, in);
    }
  }

  Term part_of(uint32_t root) const {
    Term part;
    std::vector<uint32_t> places(root + 1);
    for (uint32_t i = 0; i <= root; ++i) {
      if (!is_ground_[i]) continue;
      TermNode node = term_.nodes[i];
      for (uint32_t& child : node.children) child = places[child];
      places[i] = static_cast<uint32_t>(part.nodes.size());
      part.nodes.push_back(std::move(node));
    }
    return part;
  }

  EGraph& graph_;
  const Term& term_;
  Pattern& into_;
  std::vector<bool> is_ground_;
  std::deque<std::pair<uint32_t, uint32_t>> to_bind_;
};

struct Pattern::Run {
  const EGraph& graph;
  const Found& found;
  std::vector<Id> registers;
  std::vector<std::optional<Id>> ground;
  std::vector<Id> variables;
};

Pattern::Pattern(EGraph& graph, const Term& term) {
  for (const TermNode& node : term.nodes) {
    if (!node.is_variable) graph.symbol(node.name);
  }
  Compiler(graph, term, *this).compile();
  root_ = term.root().is_variable ? std::nullopt : std::optional<Symbol>(graph.symbol(term.root().name));
}

bool Pattern::run(Run& run, size_t at) const {
  if (at == program_.size()) {
    for (size_t i = 0; i < variables_.size(); ++i) run.variables[i] = run.registers[variable_registers_[i]];
    return run.found(run.registers.front(), run.variables);
  }
  const Instruction& now = program_[at];
  const Id in = run.registers[now.in];
  if (now.kind == Kind::kCompare) return in != run.registers[now.other] || this->run(run, at + 1);
  if (now.kind == Kind::kLookup) return run.ground[now.other] != in || this->run(run, at + 1);
  for (const Id node : run.graph.nodes(in)) {
    const std::span<const Id> children = run.graph.children(node);
    if (run.graph.operation(node) != now.operation || children.size() != now.arity) continue;
    std::ranges::copy(children, run.registers.begin() + now.other);
    if (!this->run(run, at + 1)) return false;
  }
  return true;
}

bool Pattern::search_in(const EGraph& graph, Id of, const Found& found) const {
  Run run{graph, found, std::vector<Id>(registers_), {}, std::vector<Id>(variables_.size())};
  for (const Term& term : ground_) run.ground.push_back(lookup_term(graph, term));
  run.registers.front() = graph.find(of);
  return this->run(run, 0);
}

void Pattern::search(const EGraph& graph, const Found& found) const {
  check(graph.is_clean(), "patterns are looked for in a clean graph");
  Run run{graph, found, std::vector<Id>(registers_), {}, std::vector<Id>(variables_.size())};
  for (const Term& term : ground_) {
    run.ground.push_back(lookup_term(graph, term));
    if (!run.ground.back()) return;
  }
  for (const Id of : root_ ? graph.classes_with(*root_) : graph.classes()) {
    run.registers.front() = of;
    if (!this->run(run, 0)) return;
  }
}

Id add_term(EGraph& graph, const Term& term, std::span<const std::string> variables, std::span<const Id> classes) {
  std::vector<Id> made;
  std::vector<Id> children;
  for (const TermNode& node : term.nodes) {
    if (node.is_variable) {
      const auto at = static_cast<size_t>(std::ranges::find(variables, node.name) - variables.begin());
      check(at < classes.size(), "a variable stands for a class");
      made.push_back(graph.find(classes[at]));
      continue;
    }
    children.clear();
    for (const uint32_t child : node.children) children.push_back(made[child]);
    made.push_back(graph.add(graph.symbol(node.name), children));
  }
  return made.back();
}

std::optional<Id> lookup_term(const EGraph& graph, const Term& term) {
  std::vector<Id> found;
  std::vector<Id> children;
  for (const TermNode& node : term.nodes) {
    const std::optional<Symbol> symbol = graph.known_symbol(node.name);
    if (!symbol) return std::nullopt;
    children.clear();
    for (const uint32_t child : node.children) children.push_back(found[child]);
    const std::optional<Id> of = graph.lookup(*symbol, children);
    if (!of) return std::nullopt;
    found.push_back(*of);
  }
  return found.back();
}

}  // namespace covenant::compiler::match
