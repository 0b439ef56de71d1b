/// Rules that say which terms are equal, and the text in which they are written.
///
///     rule split : exact  (conv ?x ?w) => (dense (rows ?x) ?w)  where is_matrix(?w);
///     rule turn  : real   (mul ?a ?b) <=> (mul ?b ?a);
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "acg/base/diagnostic.h"
#include "acg/base/result.h"
#include "compiler/match/egraph.h"
#include "compiler/match/term.h"

namespace covenant::compiler::match {

/// Meaning of a rule's equality: of all bits, or of real numbers, which a graph that is quantised does not take.
enum class Exactness : uint8_t { kExact, kReal };

/// Whether a rule applies, asked of the classes that its condition names. It may look into the graph, not change it.
using Condition = std::function<bool(const EGraph&, std::span<const Id>)>;
struct NamedCondition {
  Condition holds;
  size_t arguments = 1;
};
using Conditions = std::map<std::string, NamedCondition, std::less<>>;

/// `left` becomes equal to `right`.
struct Rule {
  std::string name;
  Exactness exactness = Exactness::kExact;
  Term left;
  Term right;
  struct Asked {
    Condition holds;
    std::vector<std::string> variables;
  };
  std::vector<Asked> conditions;
  /// In place of `right`: the class that the found one is equal to, if any. It may add nodes.
  std::function<std::optional<Id>(EGraph&, Id of, std::span<const Id> variables)> makes = {};
  SourceLocation where = {};
};

/// Reads rules; one of both directions, `<=>`, becomes two, the second with the name `NAME, back`. Conditions are those
/// of `known`. Errors, with the place: MAT0001 (not written so), MAT0002 (a variable that the other side does not
/// have), MAT0003 (a condition that there is not, or of another number of arguments), MAT0004 (a name that is taken).
Result<std::vector<Rule>> parse_rules(std::string_view text, const std::string& file, const Conditions& known = {});

}  // namespace covenant::compiler::match
