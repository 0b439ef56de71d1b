#include "acg/lang/evaluate.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "acg/base/check.h"
#include "acg/base/failure.h"
#include "acg/base/suggest.h"

namespace covenant::acg::lang {
namespace {

using Known = std::map<std::string, int64_t>;

constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();

[[noreturn]] void overflow(const Expression& expression, std::string shown) {
  throw Failure{{"ACG0010",
                 expression.where,
                 "",
                 "the value does not fit 64 bits",
                 std::move(shown),
                 {},
                 "use smaller parameters"}};
}

[[noreturn]] void by_zero(const Expression& expression, std::string shown) {
  throw Failure{
      {"ACG0011", expression.where, "", "division by zero", std::move(shown), {}, "divide by something else"}};
}

[[noreturn]] void no_value(const Expression& expression, std::string shown, std::string allowed) {
  throw Failure{{"ACG0044",
                 expression.where,
                 "",
                 "there is no such value",
                 std::move(shown),
                 {allowed},
                 fmt::format("give it {}", allowed)}};
}

int64_t quotient(const Expression& expression, char sign, int64_t left, int64_t right) {
  if (right == 0) by_zero(expression, fmt::format("{} {} 0", left, sign));
  if (left == kLowest && right == -1) {
    if (sign == '%') return 0;
    overflow(expression, fmt::format("{} {} {}", left, sign, right));
  }
  return sign == '%' ? left % right : left / right;
}

int64_t power(const Expression& expression, int64_t base, int64_t exponent) {
  const std::string shown = fmt::format("{} ^ {}", base, exponent);
  if (exponent < 0) no_value(expression, shown, "an exponent of 0 or more");
  if (base == 0 || base == 1) return exponent == 0 ? 1 : base;
  if (base == -1) return exponent % 2 == 0 ? 1 : -1;
  int64_t result = 1;
  for (int64_t i = 0; i < exponent; ++i) {  // |base| is 2 or more: it overflows after 63 turns at most
    if (__builtin_mul_overflow(result, base, &result)) overflow(expression, shown);
  }
  return result;
}

int64_t ceil_div(const Expression& expression, int64_t left, int64_t right) {
  const int64_t down = quotient(expression, '/', left, right);
  const bool is_exact = left % right == 0;
  return is_exact || (left < 0) != (right < 0) ? down : down + 1;
}

int64_t clog2(const Expression& expression, int64_t value) {
  if (value < 1) no_value(expression, fmt::format("clog2({})", value), "a value of 1 or more");
  int64_t bits = 0;
  while (bits < 63 && (uint64_t{1} << bits) < static_cast<uint64_t>(value)) ++bits;
  return bits;
}

int64_t call(const Expression& expression, const Known& known) {
  const std::vector<std::string> functions{"ceil_div", "clog2", "min", "max"};
  const std::string& name = expression.name;
  if (std::find(functions.begin(), functions.end(), name) == functions.end()) {
    throw Failure{{"ACG0003", expression.where, "", "unknown function", name, functions, suggest(name, functions)}};
  }
  const size_t wanted = name == "ceil_div" ? 2 : 1;
  const bool takes_more = name == "min" || name == "max";
  const size_t count = expression.children.size();
  if (count < wanted || (count > wanted && !takes_more)) {
    const std::string shown = fmt::format("{}{}", wanted, takes_more ? " or more" : "");
    throw Failure{{"ACG0043",
                   expression.where,
                   "",
                   fmt::format("{} with a wrong number of values", name),
                   fmt::format("{}", count),
                   {shown},
                   fmt::format("give it {}", shown)}};
  }
  std::vector<int64_t> values;
  for (const Expression& child : expression.children) values.push_back(evaluate(child, known));
  if (name == "ceil_div") return ceil_div(expression, values[0], values[1]);
  if (name == "clog2") return clog2(expression, values[0]);
  return name == "min" ? *std::min_element(values.begin(), values.end())
                       : *std::max_element(values.begin(), values.end());
}

int64_t value_of_name(const Expression& expression, const Known& known) {
  const auto found = known.find(expression.name);
  if (found != known.end()) return found->second;
  if (expression.name == "true") return 1;
  if (expression.name == "false") return 0;
  std::vector<std::string> names;
  for (const auto& [name, value] : known) names.push_back(name);
  std::string fix = names.empty() ? "write a number: nothing is declared before it" : suggest(expression.name, names);
  throw Failure{{"ACG0009", expression.where, "", "not a parameter declared before this place", expression.name,
                 std::move(names), std::move(fix)}};
}

int64_t combine(const Expression& expression, int64_t left, int64_t right) {
  int64_t result = 0;
  switch (expression.kind) {
    case ExpressionKind::kAdd:
      if (__builtin_add_overflow(left, right, &result)) overflow(expression, fmt::format("{} + {}", left, right));
      return result;
    case ExpressionKind::kSubtract:
      if (__builtin_sub_overflow(left, right, &result)) overflow(expression, fmt::format("{} - {}", left, right));
      return result;
    case ExpressionKind::kMultiply:
      if (__builtin_mul_overflow(left, right, &result)) overflow(expression, fmt::format("{} * {}", left, right));
      return result;
    case ExpressionKind::kDivide:
      return quotient(expression, '/', left, right);
    case ExpressionKind::kModulo:
      return quotient(expression, '%', left, right);
    case ExpressionKind::kPower:
      return power(expression, left, right);
    case ExpressionKind::kEqual:
      return left == right ? 1 : 0;
    case ExpressionKind::kNotEqual:
      return left != right ? 1 : 0;
    case ExpressionKind::kLess:
      return left < right ? 1 : 0;
    case ExpressionKind::kLessEqual:
      return left <= right ? 1 : 0;
    case ExpressionKind::kGreater:
      return left > right ? 1 : 0;
    case ExpressionKind::kGreaterEqual:
      return left >= right ? 1 : 0;
    default:
      fail("an expression of another kind has no two sides");
  }
}

double combine_real(const Expression& expression, double left, double right) {
  switch (expression.kind) {
    case ExpressionKind::kAdd:
      return left + right;
    case ExpressionKind::kSubtract:
      return left - right;
    case ExpressionKind::kMultiply:
      return left * right;
    default:
      if (right == 0) by_zero(expression, fmt::format("{} / 0", left));
      return left / right;
  }
}

}  // namespace

int64_t evaluate(const Expression& expression, const Known& known) {
  switch (expression.kind) {
    case ExpressionKind::kInteger:
      return expression.value;
    case ExpressionKind::kDecimal:
      throw Failure{{"ACG0012",
                     expression.where,
                     "",
                     "a decimal where a whole number is needed",
                     expression.name,
                     {"whole numbers"},
                     "only the clock and energies may have decimals"}};
    case ExpressionKind::kName:
      return value_of_name(expression, known);
    case ExpressionKind::kCall:
      return call(expression, known);
    case ExpressionKind::kConditional:
      return evaluate(expression.children.at(evaluate(expression.children.at(0), known) != 0 ? 1 : 2), known);
    default:
      break;
  }
  const int64_t left = evaluate(expression.children.at(0), known);
  if (expression.kind == ExpressionKind::kNegate) {
    if (left == kLowest) overflow(expression, fmt::format("-({})", left));
    return -left;
  }
  return combine(expression, left, evaluate(expression.children.at(1), known));
}

double evaluate_real(const Expression& expression, const Known& known) {
  switch (expression.kind) {
    case ExpressionKind::kDecimal:
      return expression.decimal;
    case ExpressionKind::kNegate:
      return -evaluate_real(expression.children.at(0), known);
    case ExpressionKind::kConditional:
      return evaluate_real(expression.children.at(evaluate(expression.children.at(0), known) != 0 ? 1 : 2), known);
    case ExpressionKind::kAdd:
    case ExpressionKind::kSubtract:
    case ExpressionKind::kMultiply:
    case ExpressionKind::kDivide:
      break;
    default:
      return static_cast<double>(evaluate(expression, known));
  }
  const double result = combine_real(expression, evaluate_real(expression.children.at(0), known),
                                     evaluate_real(expression.children.at(1), known));
  if (!std::isfinite(result)) overflow(expression, fmt::format("{}", result));
  return result;
}

}  // namespace covenant::acg::lang
