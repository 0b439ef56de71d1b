// Reads of arrays and states, with their checks.
#include <fmt/format.h>
#include <utility>

#include "acg/behaviour/native/expression_emitter.h"
#include "acg/behaviour/native/slots.h"
#include "acg/behaviour/values.h"

namespace covenant::acg::behaviour::native {
namespace {

/// Elements of an innermost dimension that are looked at all at once before a loop over some of them.
constexpr int64_t kMostAtOnce = 4096;
/// The largest factor of a loop's variable in an index, and the most terms beside it.
constexpr int64_t kMostFactor = 64;
constexpr size_t kMostTerms = 8;

/// Whether all elements between the first and the last are read.
bool is_dense(int64_t factor) { return factor == 1 || factor == -1; }

bool is_within(const Expression& index, int64_t size) {
  const Range range = range_of(index);
  return range.low >= 0 && range.high < size;
}

bool is_checked_for_writes(const State& state) { return !state.has_initial; }

}  // namespace

std::string ExpressionEmitter::place(const std::vector<Expression>& indices, size_t first,
                                     const std::vector<int64_t>& shape) {
  std::string at = "0", tests, names;
  int64_t stride = 1;
  for (const int64_t size : shape) stride *= size;
  for (size_t i = first; i < indices.size(); ++i) {
    const int64_t size = shape[i - first];
    stride /= size;
    if (indices[i].op == Op::kConstant && is_within(indices[i], size)) {
      at += fmt::format(" + {}", indices[i].value * stride);
      continue;
    }
    const std::string index = fresh("i");
    names += fmt::format("const int64_t {} = {}; ", index, number(indices[i], 64));
    at += fmt::format(" + {} * {}", index, stride);
    if (is_within(indices[i], size)) continue;
    tests += fmt::format("{}(uint64_t){} >= {}U", tests.empty() ? "" : " || ", index, size);
  }
  if (tests.empty() && names.empty()) return at;
  if (tests.empty()) return fmt::format("({{ {}{}; }})", names, at);
  may_be_bad_ = true;
  const std::string result = fresh("at");
  return fmt::format("({{ {0}int64_t {1} = {2}; if (__builtin_expect({3}, 0)) {{ bad = true; {1} = 0; }} {1}; }})",
                     names, result, at, tests);
}

/// The element at a place of what `expression` reads.
std::string ExpressionEmitter::value_at(const Expression& expression, const std::string& at) {
  const State& state = behaviour_.states[expression.index];
  const int bits = fits_32(expression.range) ? 32 : 64;
  if (state.initial.empty() || state.type.elements() <= kMostFilled)
    return fmt::format("(int{}_t)s{}[{}]", bits, expression.index, at);
  return fmt::format("(int{0}_t)initial_{1}(s{1}, b{1}, {2})", bits, expression.index, at);
}

bool ExpressionEmitter::needs_check(const Expression& expression) const {
  const State& state = behaviour_.states[expression.index];
  if (is_checked_for_writes(state)) return true;
  for (size_t i = 0; i < expression.children.size(); ++i) {
    if (!is_within(expression.children[i], state.type.shape[i])) return true;
  }
  return false;
}

Text ExpressionEmitter::read(const Expression& expression) {
  states_.insert(expression.index);
  Access access{&expression};
  if (!loops_.empty() && budget_ > 0 && needs_check(expression) && can_hoist(access)) {
    const bool is_one =
        !access.follows && (expression.children.empty() || is_invariant(expression.children.back(), scope_));
    return is_one ? hoisted_number(expression) : hoisted(access);
  }
  return read_here(expression);
}

Text ExpressionEmitter::read_here(const Expression& expression) {
  const State& state = behaviour_.states[expression.index];
  const int bits = fits_32(expression.range) ? 32 : 64;
  const std::string at = place(expression.children, 0, state.type.shape);
  if (!is_checked_for_writes(state)) return {value_at(expression, at), bits};
  may_be_bad_ = true;
  const std::string name = fresh("at");
  return {fmt::format("({{ const int64_t {0} = {1}; if (__builtin_expect(!is_set(b{2}, {0}), 0)) bad = true; {3}; }})",
                      name, at, expression.index, value_at(expression, name)),
          bits};
}

/// Whether it is the same in all turns of the innermost loop, and can be said before it once more: so it has nothing
/// whose work counts.
bool ExpressionEmitter::is_invariant(const Expression& expression, const Scope* scope) const {
  if (expression.op == Op::kSum || expression.op == Op::kEach || expression.op == Op::kCall) return false;
  if (expression.op == Op::kLocal) {
    const Binding& bound = scope->names.at(expression.index);
    if (bound.depth >= loops_.size()) {
      return bound.said != nullptr && expression.whole.empty() && is_invariant(*bound.said, bound.scope);
    }
  }
  for (const Expression& child : expression.children) {
    if (!is_invariant(child, scope)) return false;
  }
  return true;
}

/// Whether what `access` reads can be checked before the innermost loop. Finds how its last index follows the loop.
bool ExpressionEmitter::can_hoist(Access& access) const {
  for (const Guard& guard : loops_.back().guards) {
    if (!is_invariant(*guard.condition, guard.scope)) return false;
  }
  const std::vector<Expression>& indices = access.expression->children;
  const std::vector<int64_t>& shape = behaviour_.states[access.expression->index].type.shape;
  for (size_t i = 0; i + 1 < indices.size(); ++i) {
    if (!is_invariant(indices[i], scope_)) return false;
  }
  if (indices.empty()) return true;
  access.row = shape.back();
  const Expression& last = indices.back();
  if (is_invariant(last, scope_)) return true;
  access.follows = follows(last, scope_, 1, access) && access.factor != 0;
  return access.follows || (is_within(last, access.row) && access.row <= kMostAtOnce);
}

/// Whether a number is the innermost loop's variable times a factor, and terms that are the same in all turns.
bool ExpressionEmitter::follows(const Expression& expression, const Scope* scope, int64_t factor,
                                Access& access) const {
  if (is_invariant(expression, scope)) {
    access.terms.push_back({&expression, scope, factor});
    return access.terms.size() <= kMostTerms;
  }
  const std::vector<Expression>& of = expression.children;
  if (expression.op == Op::kAdd || expression.op == Op::kSubtract) {
    return follows(of[0], scope, factor, access) &&
           follows(of[1], scope, expression.op == Op::kAdd ? factor : -factor, access);
  }
  if (expression.op == Op::kMultiply) {
    for (const size_t constant : {0U, 1U}) {
      if (of[constant].op != Op::kConstant) continue;
      const int64_t by = of[constant].value;
      return by >= -kMostFactor && by <= kMostFactor && factor >= -kMostFactor && factor <= kMostFactor &&
             follows(of[1 - constant], scope, factor * by, access);
    }
    return false;
  }
  if (expression.op != Op::kLocal || !expression.whole.empty()) return false;
  const Loop& loop = loops_.back();
  if (scope == loop.scope && expression.index == loop.slot) {
    access.factor += factor;
    return true;
  }
  const Binding& bound = scope->names.at(expression.index);
  return bound.said != nullptr && follows(*bound.said, bound.scope, factor, access);
}

/// Writes what stands before the innermost loop, under the conditions that hold where its body is written.
std::string ExpressionEmitter::outside(const std::function<std::string()>& emit) {
  Loop inner = std::move(loops_.back());
  loops_.pop_back();
  const size_t guards = loops_.empty() ? 0 : loops_.back().guards.size();
  if (!loops_.empty()) {
    loops_.back().guards.insert(loops_.back().guards.end(), inner.guards.begin(), inner.guards.end());
  }
  std::string text = emit();
  if (!loops_.empty()) loops_.back().guards.resize(guards, Guard{nullptr, nullptr, true});
  loops_.push_back(std::move(inner));
  return text;
}

/// Before the innermost loop: whether its body evaluates what is being written.
std::string ExpressionEmitter::guard_text() {
  const std::vector<Guard> guards = loops_.back().guards;
  std::string text;
  Scope* const before = scope_;
  Loop inner = std::move(loops_.back());
  loops_.pop_back();
  for (const Guard& guard : guards) {
    scope_ = const_cast<Scope*>(guard.scope);
    text += fmt::format("{}{}{}", text.empty() ? "" : " && ", guard.holds ? "" : "!", truth(*guard.condition));
    if (!loops_.empty()) loops_.back().guards.push_back(guard);  // the next one is asked only then
  }
  if (!loops_.empty()) {
    loops_.back().guards.resize(loops_.back().guards.size() - guards.size(), Guard{nullptr, nullptr, true});
  }
  scope_ = before;
  loops_.push_back(std::move(inner));
  return text.empty() ? "true" : text;
}

Text ExpressionEmitter::hoisted_number(const Expression& expression) {
  const std::string name = fresh("h"), guards = guard_text();
  const int bits = bits_for(expression.range);
  const std::string value = outside([&] { return read(expression).code; });
  loops_.back().before += fmt::format("int{0}_t {1} = 0; if ({2}) {1} = {3}; ", bits, name, guards, value);
  return {name, bits};
}

/// Statements that find the row of an access and check what the loop reads of it.
std::string ExpressionEmitter::check_row(const Access& access, const std::string& row, const std::string& is_whole) {
  const Expression& expression = *access.expression;
  const State& state = behaviour_.states[expression.index];
  const std::vector<Expression> outer(expression.children.begin(), expression.children.end() - 1);
  std::string text = outside([&] { return fmt::format("{} = {}; ", row, place(outer, 0, state.type.shape)); });
  if (access.follows) return text + check_turns(access, row, is_whole);
  if (!is_checked_for_writes(state)) return text;
  return text + fmt::format("{} = bad || are_set(b{}, {}, {}); ", is_whole, expression.index, row, access.row);
}

/// The same where the last index follows the loop: from the lowest to the highest that it has. `row` then is where it
/// would be if the loop's variable were 0.
std::string ExpressionEmitter::check_turns(const Access& access, const std::string& row, const std::string& is_whole) {
  may_be_bad_ = true;
  const std::string offset = outside([&] {
    std::string sum = "0";
    for (const Term& term : access.terms) {
      sum += fmt::format(" + {} * (int64_t)({})", term.factor, in(term.scope, *term.expression).code);
    }
    return sum;
  });
  const std::string base = fresh("base"), low = fresh("low"), high = fresh("high");
  const std::string &first = loops_.back().first, &last = loops_.back().last;
  const bool rises = access.factor > 0;
  std::string text =
      fmt::format("const int64_t {0} = {1}, {2} = {0} + {3} * {4}, {5} = {0} + {3} * {6}; if (!bad && {7} >= {8}) {{ ",
                  base, offset, low, access.factor, rises ? first : last, high, rises ? last : first, last, first);
  text += fmt::format("if ({0} < 0 || {0} >= {2} || {1} < 0 || {1} >= {2}) bad = true; ", low, high, access.row);
  if (is_checked_for_writes(behaviour_.states[access.expression->index])) {
    const std::string set =
        fmt::format("are_set(b{0}, {1} + {2}, {3} - {2} + 1)", access.expression->index, row, low, high);
    text += is_dense(access.factor) ? fmt::format("else if (!{}) bad = true; ", set)
                                    : fmt::format("else {} = {}; ", is_whole, set);
  }
  return text + fmt::format("}} {} += {}; ", row, base);
}

Text ExpressionEmitter::hoisted(const Access& access) {
  const Expression& expression = *access.expression;
  const State& state = behaviour_.states[expression.index];
  const int bits = fits_32(expression.range) ? 32 : 64;
  const std::string row = fresh("row"), is_whole = fresh("whole");
  const std::string guards = guard_text();
  const std::string checks = check_row(access, row, is_whole);
  Loop& loop = loops_.back();
  loop.before += fmt::format("int64_t {} = 0; bool {} = true; if ({}) {{ {}}} ", row, is_whole, guards, checks);
  const std::string at = access.follows
                             ? fmt::format("{} + {} * {}", row, access.factor, loop.scope->names.at(loop.slot).name)
                             : fmt::format("{} + {}", row, number(expression.children.back(), 64));
  const bool is_known = !is_checked_for_writes(state) || (access.follows && is_dense(access.factor));
  if (is_known) return {value_at(expression, at), bits};
  may_be_bad_ = true;
  loops_.back().wholes.push_back(is_whole);
  const std::string name = fresh("at");
  return {fmt::format("({{ const int64_t {0} = {1}; if (!{2} && !is_set(b{3}, {0})) bad = true; {4}; }})", name, at,
                      is_whole, expression.index, value_at(expression, name)),
          bits};
}

std::string ExpressionEmitter::fill(const Expression& expression, const std::string& into, const std::string& element) {
  --budget_;
  if (!expression.type.is_array()) return fmt::format("*{} = ({})({}); ", into, element, number(expression).code);
  const int64_t count = expression.type.elements();
  if (expression.op == Op::kCall) {
    const std::string result = fresh("result"), kind = element_type(expression.range), k = fresh("i");
    return fmt::format("{{ {0} {1}[{2}]; {3}for (int64_t {4} = 0; {4} < {2}; ++{4}) {5}[{4}] = ({6}){1}[{4}]; }} ",
                       kind, result, count, call_text(expression, result), k, into, element);
  }
  if (expression.op == Op::kEach) {
    const int64_t low = expression.children[0].range.low;
    return "{ " +
           loop(expression,
                [&] {
                  const std::string value = number(expression.children[2]).code;
                  return fmt::format("{}[{} - {}] = ({})({});", into, binding(expression.index).name, low, element,
                                     value);
                }) +
           "} ";
  }
  counts_work_ = true;
  std::string spent = fmt::format("work += {}; ", count);
  if (expression.op == Op::kList) {
    for (int64_t k = 0; k < count; ++k) {
      const std::string value = number(expression.children[static_cast<size_t>(k)]).code;
      spent += fmt::format("{}[{}] = ({})({}); ", into, k, element, value);
    }
    return spent;
  }
  const std::string at = fresh("at"), i = fresh("i");
  if (expression.op == Op::kLocal) {
    return spent + fmt::format(
                       "{{ const int64_t {0} = {1}; for (int64_t {2} = 0; {2} < {3}; ++{2}) {4}[{2}] = ({5}){6}[{0} + "
                       "{2}]; }} ",
                       at, place(expression.children, 0, expression.whole), i, count, into, element,
                       binding(expression.index).name);
  }
  states_.insert(expression.index);
  const State& state = behaviour_.states[expression.index];
  std::string checks;
  if (is_checked_for_writes(state)) {
    may_be_bad_ = true;
    checks = fmt::format("if (!are_set(b{}, {}, {})) bad = true; ", expression.index, at, count);
  }
  return spent +
         fmt::format(
             "{{ const int64_t {0} = {1}; {2}for (int64_t {3} = 0; {3} < {4}; ++{3}) {5}[{3}] = ({6})({7}); }} ", at,
             place(expression.children, 0, state.type.shape), checks, i, count, into, element,
             value_at(expression, fmt::format("{} + {}", at, i)));
}

}  // namespace covenant::acg::behaviour::native
