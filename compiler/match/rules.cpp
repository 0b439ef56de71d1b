#include "compiler/match/rules.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <utility>

#include "acg/base/failure.h"

namespace covenant::compiler::match {
namespace {

class RuleReader {
 public:
  RuleReader(std::string_view text, const std::string& file, const Conditions& known)
      : reader_(text, file), known_(known) {}

  std::vector<Rule> run() {
    while (!reader_.at_end()) rule();
    return std::move(rules_);
  }

 private:
  void rule() {
    reader_.require("rule", "write `rule NAME : exact LEFT => RIGHT;`");
    Rule made;
    made.where = reader_.where();
    made.name = reader_.name("a rule", "write `rule NAME : exact LEFT => RIGHT;`");
    if (!names_.insert(made.name).second) {
      throw Failure{{"MAT0004", made.where, made.name, "two rules of one name", made.name, {}, "give it another name"}};
    }
    reader_.require(":", "say whether it is exact or real: `rule NAME : exact ...`");
    made.exactness = exactness();
    made.left = reader_.term();
    const SourceLocation middle = reader_.where();
    const bool goes_back = reader_.peek() == "<=>";
    if (!goes_back && reader_.peek() != "=>") {
      throw reader_.wrong("the right side is expected", "write LEFT => RIGHT", {"=>", "<=>"});
    }
    reader_.next();
    made.right = reader_.term();
    require_variables(made, made.left, made.right, middle);
    if (goes_back) require_variables(made, made.right, made.left, middle);
    for (bool is_asked = reader_.accept("where"); is_asked; is_asked = reader_.accept(",")) condition(made);
    reader_.require(";", "end the rule");
    rules_.push_back(made);
    if (!goes_back) return;
    std::swap(made.left, made.right);
    made.name += ", back";
    rules_.push_back(std::move(made));
  }

  Exactness exactness() {
    if (reader_.accept("exact")) return Exactness::kExact;
    if (reader_.accept("real")) return Exactness::kReal;
    throw reader_.wrong("it is to be said what is equal", "all bits: `exact`, or real numbers", {"exact", "real"});
  }

  /// Each variable of `to` is one of `from`.
  static void require_variables(const Rule& of, const Term& from, const Term& to, const SourceLocation& where) {
    const std::vector<std::string> known = variables_of(from);
    const std::set<std::string_view> names(known.begin(), known.end());
    for (const std::string& name : variables_of(to)) {
      if (names.contains(name)) continue;
      throw Failure{{"MAT0002", where, of.name, "a variable that the side before does not have", "?" + name,
                     marked(known), "use variables of the side before"}};
    }
  }

  static std::vector<std::string> marked(const std::vector<std::string>& names) {
    std::vector<std::string> texts;
    for (const std::string& name : names) texts.push_back("?" + name);
    return texts;
  }

  void condition(Rule& of) {
    const SourceLocation where = reader_.where();
    const std::string name = reader_.name("a condition", "name one after `where`");
    const auto known = known_.find(name);
    if (known == known_.end()) {
      std::vector<std::string> names;
      for (const auto& [one, condition] : known_) names.push_back(one);
      throw Failure{{"MAT0003", where, of.name, "no such condition", name, std::move(names), "name one of those"}};
    }
    Rule::Asked asked{known->second.holds, {}};
    reader_.require("(", "give the variables that it is about: `is_matrix(?w)`");
    do {
      asked.variables.push_back(argument(of));
    } while (reader_.accept(","));
    reader_.require(")", "close the variables");
    if (asked.variables.size() != known->second.arguments) {
      throw Failure{{"MAT0003",
                     where,
                     of.name,
                     "a condition about another number of variables",
                     fmt::format("{} of {}", name, asked.variables.size()),
                     {fmt::format("{}", known->second.arguments)},
                     "give it as many"}};
    }
    of.conditions.push_back(std::move(asked));
  }

  std::string argument(const Rule& of) {
    const SourceLocation where = reader_.where();
    const std::string word = reader_.name("a variable", "give those that the condition is about");
    std::vector<std::string> allowed = marked(variables_of(of.left));
    if (std::ranges::find(allowed, word) == allowed.end()) {
      throw Failure{{"MAT0002", where, of.name, "a condition about what is no variable of the left side", word,
                     std::move(allowed), "name one of its variables"}};
    }
    return word.substr(1);
  }

  Reader reader_;
  const Conditions& known_;
  std::set<std::string> names_;
  std::vector<Rule> rules_;
};

}  // namespace

Result<std::vector<Rule>> parse_rules(std::string_view text, const std::string& file, const Conditions& known) {
  return guarded<std::vector<Rule>>([&] { return RuleReader(text, file, known).run(); });
}

}  // namespace covenant::compiler::match
