/// Expressions as C++.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "acg/behaviour/behaviour.h"
#include "acg/behaviour/native/binding.h"

namespace covenant::acg::behaviour::native {

/// Writes expressions as C++ over `m` (the machine), `work` and `bad`, which is set where the definition would stop,
/// and may be set where it would not: the statement is then evaluated as the definition says. What is read in a loop is
/// checked before it where that can be done for all turns at once.
class ExpressionEmitter {
 public:
  explicit ExpressionEmitter(const Behaviour& behaviour);

  /// Begins a function of C++.
  void begin();
  /// Lets names be those of `scope` from now on.
  void set_scope(Scope& scope) { scope_ = &scope; }
  /// Declarations of the states that have been read since `begin`.
  std::string state_pointers() const;
  /// Begins a statement.
  void begin_statement();
  bool may_be_bad() const { return may_be_bad_; }
  bool counts_work() const { return counts_work_; }

  Text number(const Expression& expression);
  /// The same as int32_t or int64_t.
  std::string number(const Expression& expression, int bits);
  /// As a bool.
  std::string truth(const Expression& expression);
  /// Statements that put all elements, or the one number, at the pointer `into`, whose elements are of type `element`.
  std::string fill(const Expression& expression, const std::string& into, const std::string& element);
  /// The place of the first element that indices (expressions from `first` on) select.
  std::string place(const std::vector<Expression>& indices, size_t first, const std::vector<int64_t>& shape);
  /// All functions of the behaviour as functions of C++.
  std::string functions();

 private:
  /// A condition under which an expression is evaluated.
  struct Guard {
    const Expression* condition;
    const Scope* scope;
    bool holds;
  };
  /// A loop of C++ that is being written.
  struct Loop {
    std::string first, last;
    std::string before;               ///< statements
    std::vector<std::string> wholes;  ///< names that say that nothing has to be asked in its turns
    std::vector<Guard> guards;
    uint32_t slot = 0;
    const Scope* scope = nullptr;
  };
  /// A part of an index, the same in all turns of a loop.
  struct Term {
    const Expression* expression;
    const Scope* scope;
    int64_t factor;
  };
  /// A read in a loop: its last index is the loop's variable times a factor and the sum of the terms, if it follows it.
  struct Access {
    const Expression* expression = nullptr;
    int64_t row = 1;  ///< elements of its last dimension
    bool follows = false;
    int64_t factor = 0;
    std::vector<Term> terms = {};
  };
  struct FunctionTraits {
    uint64_t size;  ///< parts, with those of the functions that it calls
    bool reads_state;
    bool may_be_bad;
  };

  std::string fresh(const char* stem);
  Text in(const Scope* scope, const Expression& expression);
  const Binding& binding(uint32_t slot) const { return scope_->names.at(slot); }
  void mark_bad() { may_be_bad_ = true; }

  Text local(const Expression& expression);
  Text of_two(const Expression& expression);
  Text divided(const Expression& expression);
  Text shifted(const Expression& expression);
  Text wrapped(const Expression& expression);
  Text saturated(const Expression& expression);
  Text bits(const Expression& expression);
  Text conditional(const Expression& expression);
  Text sum(const Expression& expression, bool is_low);
  /// The lowest 32 bits, as uint32_t.
  std::string low(const Expression& expression);
  std::string guarded_by(const Expression& condition, bool holds, const std::function<std::string()>& emit);

  Text read(const Expression& expression);
  Text read_here(const Expression& expression);
  bool needs_check(const Expression& expression) const;
  bool is_invariant(const Expression& expression, const Scope* scope) const;
  bool follows(const Expression& expression, const Scope* scope, int64_t factor, Access& access) const;
  bool can_hoist(Access& access) const;
  Text hoisted_number(const Expression& expression);
  Text hoisted(const Access& access);
  std::string check_row(const Access& access, const std::string& row, const std::string& is_whole);
  std::string check_turns(const Access& access, const std::string& row, const std::string& is_whole);
  std::string outside(const std::function<std::string()>& emit);
  std::string guard_text();
  std::string value_at(const Expression& expression, const std::string& at);

  Text call(const Expression& expression);
  Text called_here(const Expression& expression, const Function& function);
  std::string lets(const Function& function);
  /// A number that is called so; what it is may be said again if that is short.
  Binding named(const std::string& name, int bits, const Expression& said, const Scope* scope) const;
  std::string call_text(const Expression& expression, const std::string& into);
  std::string function(uint32_t index);
  std::string loop(const Expression& expression, const std::function<std::string()>& body);
  static bool is_constant(const Expression& loop);
  std::string count_turns(const Expression& expression, const Loop& loop);
  const Expression* common_condition(const Expression& expression) const;
  std::string turns(const Expression& expression, const Loop& loop, const std::function<std::string()>& body);
  bool reads_state(const Expression& expression) const;
  /// Parts of an expression, with those of the functions that it calls.
  uint64_t size_of(const Expression& expression) const;

  const Behaviour& behaviour_;
  Scope* scope_ = nullptr;
  std::vector<Loop> loops_;
  std::map<std::pair<const Expression*, const Scope*>, bool> assumed_;  ///< conditions that a loop has been written for
  std::set<uint32_t> states_;
  std::vector<FunctionTraits> functions_;
  bool may_be_bad_ = false;
  bool counts_work_ = false;
  uint64_t names_ = 0;
  int64_t budget_ = 0;  ///< parts of expressions until nothing is written twice
};

}  // namespace covenant::acg::behaviour::native
