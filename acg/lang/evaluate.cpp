#include "acg/lang/evaluate.h"

#include <fmt/format.h>
#include <limits>

#include "acg/base/failure.h"
#include "acg/base/suggest.h"

namespace covenant::acg::lang {
namespace {

Failure overflow(const Expression& expression, const std::string& shown) {
  return Failure{
      {"ACG0010", expression.where, "", "the value does not fit 64 bits", shown, {}, "use smaller parameters"}};
}

int64_t combine(const Expression& expression, int64_t left, int64_t right) {
  int64_t result = 0;
  bool overflowed = false;
  char sign = '+';
  switch (expression.kind) {
    case ExpressionKind::kAdd:
      overflowed = __builtin_add_overflow(left, right, &result);
      break;
    case ExpressionKind::kSubtract:
      sign = '-';
      overflowed = __builtin_sub_overflow(left, right, &result);
      break;
    case ExpressionKind::kMultiply:
      sign = '*';
      overflowed = __builtin_mul_overflow(left, right, &result);
      break;
    default:
      sign = '/';
      if (right == 0) {
        throw Failure{{"ACG0011",
                       expression.where,
                       "",
                       "division by zero",
                       fmt::format("{} / 0", left),
                       {},
                       "divide by something else"}};
      }
      overflowed = left == std::numeric_limits<int64_t>::min() && right == -1;
      if (!overflowed) result = left / right;
  }
  if (overflowed) throw overflow(expression, fmt::format("{} {} {}", left, sign, right));
  return result;
}

}  // namespace

int64_t evaluate(const Expression& expression, const std::map<std::string, int64_t>& known) {
  if (expression.kind == ExpressionKind::kInteger) return expression.value;
  if (expression.kind == ExpressionKind::kName) {
    const auto found = known.find(expression.name);
    if (found != known.end()) return found->second;
    std::vector<std::string> names;
    for (const auto& [name, value] : known) names.push_back(name);
    std::string fix = names.empty() ? "write a number: nothing is declared before it" : suggest(expression.name, names);
    throw Failure{{"ACG0009", expression.where, "", "not a parameter declared before this place", expression.name,
                   std::move(names), std::move(fix)}};
  }
  const int64_t left = evaluate(expression.children.at(0), known);
  if (expression.kind == ExpressionKind::kNegate) {
    if (left == std::numeric_limits<int64_t>::min()) throw overflow(expression, fmt::format("-({})", left));
    return -left;
  }
  return combine(expression, left, evaluate(expression.children.at(1), known));
}

}  // namespace covenant::acg::lang
