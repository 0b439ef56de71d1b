// Loops of expressions: sums, and arrays that are made element by element.
#include <cstdint>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <utility>

#include "acg/behaviour/native/expression_emitter.h"

namespace covenant::acg::behaviour::native {
namespace {

/// Terms of a sum that are counted without being asked whether they are too many.
constexpr uint64_t kMostKnown = 4096;
/// Parts of expressions that are worth two loops.
constexpr uint64_t kWorthChoosing = 4;
/// Characters of a loop that is written twice: where nothing has to be asked in its turns, and where it has.
constexpr size_t kMostTwice = 8000;

/// GCC would write out all turns of a loop before it asks whether they make vectors.
constexpr const char* kTurns = R"(_Pragma("GCC unroll 1"))";

}  // namespace

/// A loop over the variable of `expression`; `body` gives its statements. A choice that is the same in all turns is
/// made before it.
std::string ExpressionEmitter::loop(const Expression& expression, const std::function<std::string()>& body) {
  Loop made;
  made.first = fresh("first");
  made.last = fresh("last");
  made.slot = expression.index;
  made.scope = scope_;
  const Expression &first = expression.children[0], &last = expression.children[1];
  std::string text =
      fmt::format("const int64_t {} = {}, {} = {}; ", made.first, number(first, 64), made.last, number(last, 64));
  text += count_turns(expression, made);
  return text + turns(expression, made, body);
}

/// Whether it is known how often a loop turns, and that it does.
bool ExpressionEmitter::is_constant(const Expression& loop) {
  const Range &first = loop.children[0].range, &last = loop.children[1].range;
  return first.low == first.high && last.low == last.high && first.low <= last.low;
}

/// Counts the terms of a sum, or the elements of an array.
std::string ExpressionEmitter::count_turns(const Expression& expression, const Loop& loop) {
  counts_work_ = true;
  if (expression.op == Op::kEach) return fmt::format("work += {}; ", expression.type.elements());
  const Range &first = expression.children[0].range, &last = expression.children[1].range;
  const auto steps = static_cast<uint64_t>(last.high) - static_cast<uint64_t>(first.low);
  if (is_constant(expression) && steps < kMostKnown) return fmt::format("work += {}; ", steps + 1);
  may_be_bad_ = true;
  return fmt::format("bad = bad || !count_terms({}, {}, work); ", loop.first, loop.last);
}

/// A condition in the body of the innermost loop that is the same in all its turns, and decides on what is read or
/// called.
const Expression* ExpressionEmitter::common_condition(const Expression& expression) const {
  if (expression.op == Op::kSum || expression.op == Op::kEach) return nullptr;
  if (expression.op == Op::kConditional && !assumed_.contains({&expression.children[0], scope_})) {
    const bool is_worth = size_of(expression.children[1]) + size_of(expression.children[2]) >= kWorthChoosing;
    if (is_worth && is_invariant(expression.children[0], scope_)) return &expression.children[0];
  }
  if (expression.op == Op::kConditional) {
    const auto found = assumed_.find({&expression.children[0], scope_});
    if (found != assumed_.end()) return common_condition(expression.children[found->second ? 1 : 2]);
  }
  for (const Expression& child : expression.children) {
    if (const Expression* found = common_condition(child)) return found;
  }
  return nullptr;
}

std::string ExpressionEmitter::turns(const Expression& expression, const Loop& loop,
                                     const std::function<std::string()>& body) {
  const int64_t highest = expression.children[1].range.high;
  const bool is_endless = highest == std::numeric_limits<int64_t>::max();  // no number is above that
  const std::string variable = fresh("k");
  loops_.push_back(loop);
  scope_->names[expression.index] = {variable, 64, "", loops_.size(), nullptr, nullptr};
  if (const Expression* condition = budget_ > 0 ? common_condition(expression.children[2]) : nullptr) {
    const std::string choice = outside([&] { return truth(*condition); });
    loops_.pop_back();
    std::string text = fmt::format("if ({}) {{ ", choice);
    for (const bool holds : {true, false}) {
      assumed_[{condition, scope_}] = holds;
      text += turns(expression, loop, body) + (holds ? "} else { " : "} ");
    }
    assumed_.erase({condition, scope_});
    return text;
  }
  const std::string inner = body();
  const Loop done = std::move(loops_.back());
  loops_.pop_back();
  const std::string turning =
      fmt::format("{5} for (int64_t {0} = {1}; {0} <= {2}; ++{0}) {{ {3} {4}}} ", variable, loop.first, loop.last,
                  inner, is_endless ? fmt::format("if ({} == {}) break; ", variable, loop.last) : "", kTurns);
  const bool is_guarded = !done.before.empty() || !is_constant(expression) || expression.op == Op::kSum;
  const std::string guard = is_guarded ? "if (__builtin_expect(!bad, 1)) " : "";
  if (done.wholes.empty() || turning.size() > kMostTwice) return done.before + guard + turning;
  const std::string wholes = fmt::format("{}", fmt::join(done.wholes, " && "));
  return fmt::format("{}{}{{ if ({}) {{ constexpr bool {} = true; {}}} else {{ {}}} }} ", done.before, guard, wholes,
                     fmt::join(done.wholes, " = true, "), turning, turning);
}

}  // namespace covenant::acg::behaviour::native
