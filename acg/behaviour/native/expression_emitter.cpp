#include "acg/behaviour/native/expression_emitter.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <utility>

#include "acg/base/check.h"
#include "acg/behaviour/native/slots.h"

namespace covenant::acg::behaviour::native {
namespace {

/// Parts of the expressions of a function of C++ from which on nothing is written twice.
constexpr int64_t kBudget = 200'000;
std::string literal(int64_t value) {
  if (value == std::numeric_limits<int64_t>::min()) return "(-9223372036854775807LL - 1)";
  return fmt::format("({}{})", value, fits_32({value, value}) ? "" : "LL");
}

std::string cast(const Text& text, int bits) {
  return text.bits == bits ? text.code : fmt::format("(int{}_t)({})", bits, text.code);
}

const char* symbol_of(Op op) {
  switch (op) {
    case Op::kAdd:
      return "+";
    case Op::kSubtract:
      return "-";
    case Op::kMultiply:
      return "*";
    case Op::kAnd:
      return "&";
    case Op::kOr:
      return "|";
    case Op::kXor:
      return "^";
    case Op::kEqual:
      return "==";
    case Op::kNotEqual:
      return "!=";
    case Op::kLess:
      return "<";
    case Op::kLessEqual:
      return "<=";
    case Op::kGreater:
      return ">";
    case Op::kGreaterEqual:
      return ">=";
    default:
      return nullptr;
  }
}

bool is_comparison(Op op) { return op >= Op::kEqual && op <= Op::kGreaterEqual; }
bool is_truth(Op op) { return is_comparison(op) || op == Op::kBoth || op == Op::kEither || op == Op::kNot; }

}  // namespace

void ExpressionEmitter::begin() {
  states_.clear();
  loops_.clear();
  assumed_.clear();
  budget_ = kBudget;
}

void ExpressionEmitter::begin_statement() {
  may_be_bad_ = false;
  counts_work_ = false;
}

std::string ExpressionEmitter::fresh(const char* stem) { return fmt::format("{}_{}", stem, ++names_); }

std::string ExpressionEmitter::state_pointers() const {
  std::string text;
  for (const uint32_t state : states_) {
    const std::string type = memory_type(behaviour_.states[state].type);
    text += fmt::format("  const {0}* const __restrict s{1} = (const {0}*)m.states[{1}].data;\n", type, state);
    text += fmt::format("  const uint8_t* const __restrict b{0} = m.states[{0}].written;\n", state);
  }
  return text;
}

std::string ExpressionEmitter::number(const Expression& expression, int bits) { return cast(number(expression), bits); }

/// The value of `expression` where `scope` holds.
Text ExpressionEmitter::in(const Scope* scope, const Expression& expression) {
  Scope* const before = std::exchange(scope_, const_cast<Scope*>(scope));
  Text text = number(expression);
  scope_ = before;
  return text;
}

Text ExpressionEmitter::number(const Expression& expression) {
  --budget_;
  if (is_truth(expression.op)) return {fmt::format("(int32_t)({})", truth(expression)), 32};
  switch (expression.op) {
    case Op::kConstant:
      return {literal(expression.value), bits_for(expression.range)};
    case Op::kLocal:
      return local(expression);
    case Op::kState:
      return read(expression);
    case Op::kCycle:
      return {"(int64_t)m.cycles", 64};
    case Op::kItems:
      return {fmt::format("m.queues[{}].before", expression.index), 64};
    case Op::kRoom:
      return {fmt::format("({0} - m.queues[{1}].before)", behaviour_.queues[expression.index].depth, expression.index),
              64};
    case Op::kConditional:
      return conditional(expression);
    case Op::kWrap:
      return wrapped(expression);
    case Op::kSaturate:
      return saturated(expression);
    case Op::kBits:
      return bits(expression);
    case Op::kSum:
      return sum(expression, false);
    case Op::kCall:
      return call(expression);
    case Op::kDivide:
    case Op::kModulo:
      return divided(expression);
    case Op::kShiftLeft:
    case Op::kShiftRight:
      return shifted(expression);
    case Op::kLog2:
      if (expression.children[0].range.low < 1) mark_bad();
      return {fmt::format("floor_log2({}, bad)", number(expression.children[0], 64)), 32};
    case Op::kNegate:
    case Op::kInvert: {
      const int bits = bits_for({std::min(expression.range.low, expression.children[0].range.low),
                                 std::max(expression.range.high, expression.children[0].range.high)});
      return {fmt::format("({}{})", expression.op == Op::kNegate ? '-' : '~', number(expression.children[0], bits)),
              bits};
    }
    default:
      return of_two(expression);
  }
}

std::string ExpressionEmitter::truth(const Expression& expression) {
  const std::vector<Expression>& of = expression.children;
  if (is_comparison(expression.op)) {
    const int bits = fits_32(of[0].range) && fits_32(of[1].range) ? 32 : 64;
    return fmt::format("({} {} {})", number(of[0], bits), symbol_of(expression.op), number(of[1], bits));
  }
  if (expression.op == Op::kNot) return fmt::format("(!{})", truth(of[0]));
  if (expression.op == Op::kBoth || expression.op == Op::kEither) {
    const bool is_both = expression.op == Op::kBoth;
    const std::string left = truth(of[0]);
    const std::string right = guarded_by(of[0], is_both, [&] { return truth(of[1]); });
    return fmt::format("({} {} {})", left, is_both ? "&&" : "||", right);
  }
  return fmt::format("({} != 0)", number(expression).code);
}

std::string ExpressionEmitter::guarded_by(const Expression& condition, bool holds,
                                          const std::function<std::string()>& emit) {
  if (loops_.empty()) return emit();
  loops_.back().guards.push_back({&condition, scope_, holds});
  std::string text = emit();
  loops_.back().guards.pop_back();
  return text;
}

Text ExpressionEmitter::local(const Expression& expression) {
  const Binding& bound = binding(expression.index);
  if (expression.whole.empty()) {
    if (bound.depth > loops_.size()) return in(bound.scope, *bound.said);
    return {bound.name, bound.bits};
  }
  const int bits = bits_for(expression.range);
  return {fmt::format("(int{}_t){}[{}]", bits, bound.name, place(expression.children, 0, expression.whole)), bits};
}

Text ExpressionEmitter::of_two(const Expression& expression) {
  const Expression &left = expression.children[0], &right = expression.children[1];
  const bool is_narrow = fits_32(range_of(expression)) && fits_32(left.range) && fits_32(right.range);
  const int bits = is_narrow ? 32 : 64;
  if (expression.op == Op::kMin || expression.op == Op::kMax) {
    const std::string a = fresh("a"), b = fresh("b");
    return {fmt::format("({{ const int{0}_t {1} = {2}; const int{0}_t {3} = {4}; {1} {5} {3} ? {1} : {3}; }})", bits, a,
                        number(left, bits), b, number(right, bits), expression.op == Op::kMin ? "<" : ">"),
            bits};
  }
  const char* symbol = symbol_of(expression.op);
  check(symbol != nullptr, "an operation of two numbers");
  return {fmt::format("({} {} {})", number(left, bits), symbol, number(right, bits)), bits};
}

Text ExpressionEmitter::divided(const Expression& expression) {
  const Expression &left = expression.children[0], &right = expression.children[1];
  const int bits = fits_32(expression.range) && fits_32(left.range) && fits_32(right.range) ? 32 : 64;
  const bool is_division = expression.op == Op::kDivide;
  if (left.range.low >= 0 && right.range.low > 0) {
    return {fmt::format("({} {} {})", number(left, bits), is_division ? '/' : '%', number(right, bits)), bits};
  }
  if (right.range.low <= 0 && right.range.high >= 0) mark_bad();
  return {fmt::format("floor_{0}<int{1}_t>({2}, {3}, bad)", is_division ? "divide" : "modulo", bits, number(left, bits),
                      number(right, bits)),
          bits};
}

Text ExpressionEmitter::shifted(const Expression& expression) {
  const Expression &left = expression.children[0], &by = expression.children[1];
  const bool is_narrow = fits_32(expression.range) && fits_32(left.range) && by.range.high < 32;
  const int bits = is_narrow ? 32 : 64;
  if (expression.op == Op::kShiftRight) {
    return {fmt::format("({} >> {})", number(left, bits), number(by, 32)), bits};
  }
  return {fmt::format("(int{0}_t)((uint{0}_t)({1}) << {2})", bits, number(left, bits), number(by, 32)), bits};
}

std::string ExpressionEmitter::low(const Expression& expression) {
  const auto parts = [&] { return std::pair(low(expression.children[0]), low(expression.children[1])); };
  if (!fits_32(range_of(expression))) {
    switch (expression.op) {
      case Op::kAdd:
      case Op::kSubtract:
      case Op::kMultiply:
      case Op::kAnd:
      case Op::kOr:
      case Op::kXor: {
        const auto [left, right] = parts();
        return fmt::format("({} {} {})", left, symbol_of(expression.op), right);
      }
      case Op::kNegate:
        return fmt::format("(0U - {})", low(expression.children[0]));
      case Op::kInvert:
        return fmt::format("(~{})", low(expression.children[0]));
      case Op::kShiftLeft:
        if (expression.children[1].range.high > 31) break;
        return fmt::format("({} << {})", low(expression.children[0]), number(expression.children[1], 32));
      case Op::kSum:
        return sum(expression, true).code;
      default:
        break;
    }
  }
  return fmt::format("(uint32_t)({})", number(expression).code);
}

Text ExpressionEmitter::wrapped(const Expression& expression) {
  const Expression& of = expression.children[0];
  const Type& type = expression.type;
  const int bits = bits_for(expression.range);
  if (type.range().holds(of.range)) return {number(of, bits), bits};
  if (type.bits <= 32) {
    const std::string text = low(of);
    const auto shift = 32 - type.bits;
    if (!type.is_signed) {
      const std::string masked = shift == 0 ? text : fmt::format("({} & {}U)", text, (uint64_t{1} << type.bits) - 1);
      return {fmt::format("(int{}_t)({})", bits, masked), bits};
    }
    if (shift == 0) return {fmt::format("(int32_t)({})", text), 32};
    return {fmt::format("((int32_t)({} << {}) >> {})", text, shift, shift), 32};
  }
  const std::string text = number(of, 64);
  const auto shift = 64 - type.bits;
  if (shift == 0) return {text, 64};
  const char* kind = type.is_signed ? "int64_t" : "uint64_t";
  return {fmt::format("(int64_t)(({})((uint64_t)({}) << {}) >> {})", kind, text, shift, shift), 64};
}

Text ExpressionEmitter::saturated(const Expression& expression) {
  const Expression& of = expression.children[0];
  const Range range = expression.type.range();
  const int bits = bits_for(of.range);
  if (range.holds(of.range)) return number(of);
  const std::string a = fresh("a");
  std::string text = fmt::format("({{ int{0}_t {1} = {2};", bits, a, number(of, bits));
  if (of.range.low < range.low) text += fmt::format(" if ({0} < {1}) {0} = {1};", a, literal(range.low));
  if (of.range.high > range.high) text += fmt::format(" if ({0} > {1}) {0} = {1};", a, literal(range.high));
  return {text + fmt::format(" {}; }})", a), bits};
}

Text ExpressionEmitter::bits(const Expression& expression) {
  const Expression& of = expression.children[0];
  const int64_t at = expression.value, count = expression.type.bits;
  const uint64_t mask = count > 63 ? ~uint64_t{0} : (uint64_t{1} << count) - 1;
  if (at + count <= 32) {
    const int bits = bits_for(expression.range);
    return {fmt::format("(int{}_t)(({} >> {}) & {}U)", bits, low(of), at, mask), bits};
  }
  const int bits = bits_for(expression.range);
  return {fmt::format("(int{}_t)(((uint64_t)({}) >> {}) & {}ULL)", bits, number(of, 64), at, mask), bits};
}

Text ExpressionEmitter::conditional(const Expression& expression) {
  const std::vector<Expression>& of = expression.children;
  const int bits = fits_32(expression.range) ? 32 : 64;
  if (const auto found = assumed_.find({&of[0], scope_}); found != assumed_.end()) {
    const Expression& taken = of[found->second ? 1 : 2];
    return {guarded_by(of[0], found->second, [&] { return number(taken, bits); }), bits};
  }
  const std::string condition = truth(of[0]);
  const std::string chosen = guarded_by(of[0], true, [&] { return number(of[1], bits); });
  const std::string other = guarded_by(of[0], false, [&] { return number(of[2], bits); });
  return {fmt::format("({} ? {} : {})", condition, chosen, other), bits};
}

Text ExpressionEmitter::sum(const Expression& expression, bool is_low) {
  const Expression& one = expression.children[2];
  const int bits = is_low || (fits_32(expression.range) && fits_32(one.range)) ? 32 : 64;
  const std::string total = fresh("sum");
  const std::string type = fmt::format("{}int{}_t", is_low ? "u" : "", bits);
  const std::string text =
      loop(expression, [&] { return fmt::format("{} += {};", total, is_low ? low(one) : number(one, bits)); });
  return {fmt::format("({{ {} {} = 0; {}{}; }})", type, total, text, total), bits};
}

}  // namespace covenant::acg::behaviour::native
