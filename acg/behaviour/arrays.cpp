// Loops in expressions, and arrays that are made of expressions.
#include <algorithm>
#include <fmt/format.h>

#include "acg/base/failure.h"
#include "acg/behaviour/expression_reader.h"
#include "acg/behaviour/ranges.h"

namespace covenant::acg::behaviour {

using lang::Word;

/// The rest of `sum(k in 0..15 : a[k] * b[k])`, and `k in 0..15 : a[k]]`.
Expression ExpressionReader::loop_of(Op op, const SourceLocation& where) {
  Expression result;
  result.op = op;
  result.where = where;
  const Word name = word("the name of a variable");
  if (!at_word("in")) throw expected("in");
  advance();
  result.children.push_back(number());
  require("..");
  result.children.push_back(number());
  require(":");
  const size_t before = names();
  const Range low = result.children[0].range, high = result.children[1].range;
  result.index = declare(name, {}, {low.low, std::max(high.high, low.low)}).slot;
  result.children.push_back(number());
  forget_after(before);
  const Range one = result.children.back().range;
  if (op == Op::kEach) {
    result.range = one;
    require("]");
    return result;
  }
  require(")");
  const std::optional<Range> count = range_of(Op::kSubtract, {high, low});
  const std::optional<Range> counts = count ? range_of(Op::kAdd, {*count, Range{1, 1}}) : std::nullopt;
  const std::optional<Range> range = counts ? range_of_sum(*counts, one) : std::nullopt;
  if (!range) {
    throw Failure{{"BEH0003",
                   where,
                   "",
                   "a number that may need more than 64 bits",
                   fmt::format("{}..{}", one.low, one.high),
                   {},
                   "keep the terms smaller with wrap or saturate"}};
  }
  result.range = *range;
  return result;
}

/// The rest of `[1, x + 1]`: an array.
Expression ExpressionReader::list(const SourceLocation& where) {
  Expression result;
  result.op = Op::kList;
  result.where = where;
  do {
    result.children.push_back(number());
    const Range& one = result.children.back().range;
    const bool is_first = result.children.size() == 1;
    result.range = is_first ? one : Range{std::min(one.low, result.range.low), std::max(one.high, result.range.high)};
  } while (accept(","));
  require("]");
  result.type.shape = {static_cast<int64_t>(result.children.size())};
  return result;
}

/// The rest of `[k in 0..15 : a[k] + 1]`: an array.
Expression ExpressionReader::each(const SourceLocation& where) {
  Expression result = loop_of(Op::kEach, where);
  const Range &low = result.children[0].range, &high = result.children[1].range;
  const bool is_constant = low.low == low.high && high.low == high.high;
  const auto steps = static_cast<uint64_t>(high.low) - static_cast<uint64_t>(low.low);  // of 64 bits, at worst
  if (!is_constant || high.low < low.low || steps >= kMaxLocalElements) {
    throw Failure{{"BEH0005",
                   where,
                   "",
                   "the size of an array has to be a constant in range",
                   fmt::format("{}..{}", low.low, high.high),
                   {fmt::format("1 to {} elements", kMaxLocalElements)},
                   "let the variable run over constants"}};
  }
  result.type.shape = {high.low - low.low + 1};
  return result;
}

}  // namespace covenant::acg::behaviour
