/// Patterns compiled to small programs that look for them in an e-graph.
///
/// After de Moura and Bjørner, "Efficient E-Matching for SMT Solvers", section 3: registers hold classes, `bind` tries
/// each node of an operation in one, `compare` asks whether two are the same, `lookup` whether one is that of a term
/// without variables.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/match/egraph.h"
#include "compiler/match/term.h"

namespace covenant::compiler::match {

class Pattern {
 public:
  /// The graph gives the term's names their symbols.
  Pattern(EGraph& graph, const Term& term);

  /// Variables, in the order of their classes in what is found.
  const std::vector<std::string>& variables() const { return variables_; }
  /// Calls `found` with the class and those of the variables, each time that the pattern is found, classes ascending.
  /// Ends when it returns false. Precondition: the graph is clean, and stays so.
  using Found = std::function<bool(Id of, std::span<const Id> variables)>;
  void search(const EGraph& graph, const Found& found) const {
    search_all(graph, root_ ? graph.classes_with(*root_) : graph.classes(), found);
  }
  /// As `search`, in one class.
  void search_in(const EGraph& graph, Id of, const Found& found) const { search_all(graph, std::span(&of, 1), found); }

 private:
  enum class Kind : uint8_t { kBind, kCompare, kLookup };
  struct Instruction {
    Kind kind;
    uint32_t in;     ///< register
    uint32_t other;  ///< kBind: first register of the children; kCompare: register; kLookup: node of `ground_`
    Symbol operation = 0;
    uint32_t arity = 0;
  };
  struct Run;
  class Compiler;

  void search_all(const EGraph& graph, std::span<const Id> classes, const Found& found) const;
  bool run(Run& run) const;

  std::vector<std::string> variables_;
  std::vector<uint32_t> variable_registers_;
  std::vector<Instruction> program_;
  Term ground_;                 ///< all parts without variables
  std::optional<Symbol> root_;  ///< none: a variable
  uint32_t registers_ = 1;
};

/// A term with the symbols of a graph, to be added to it many times.
class Template {
 public:
  /// The graph gives the term's names their symbols. All variables of the term are among those given.
  Template(EGraph& graph, const Term& term, std::span<const std::string> variables = {});
  /// The class of the term with these classes as its variables; adds what is not there.
  Id add(EGraph& graph, std::span<const Id> classes = {});

 private:
  struct Node {
    uint32_t what;  ///< a symbol, or the place of a variable
    bool is_variable;
    std::vector<uint32_t> children;
  };
  std::vector<Node> nodes_;
  std::vector<Id> made_, children_;
};

/// The class of a term without variables; adds what is not there.
Id add_term(EGraph& graph, const Term& term);
/// The class of a term without variables, if all of it is there.
std::optional<Id> lookup_term(const EGraph& graph, const Term& term);

}  // namespace covenant::compiler::match
