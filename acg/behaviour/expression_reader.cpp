#include "acg/behaviour/expression_reader.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "acg/base/failure.h"
#include "acg/behaviour/arithmetic.h"
#include "acg/behaviour/ranges.h"

namespace covenant::acg::behaviour {
namespace {

using lang::TokenKind;
using lang::Word;

constexpr int kMaxNesting = 200;       // protects the stack from hostile texts
constexpr uint32_t kMaxHeight = 1000;  // of `a + b + c ...`, for the same reason

std::string text_of(const Range& range) { return fmt::format("{}..{}", range.low, range.high); }

template <size_t N>
using Symbols = std::array<std::pair<std::string_view, Op>, N>;

constexpr Symbols<6> kComparisons{{{"==", Op::kEqual},
                                   {"!=", Op::kNotEqual},
                                   {"<=", Op::kLessEqual},
                                   {">=", Op::kGreaterEqual},
                                   {"<", Op::kLess},
                                   {">", Op::kGreater}}};
constexpr Symbols<2> kShifts{{{"<<", Op::kShiftLeft}, {">>", Op::kShiftRight}}};
constexpr Symbols<2> kSums{{{"+", Op::kAdd}, {"-", Op::kSubtract}}};
constexpr Symbols<3> kProducts{{{"*", Op::kMultiply}, {"/", Op::kDivide}, {"%", Op::kModulo}}};
constexpr Symbols<3> kFunctions{{{"min", Op::kMin}, {"max", Op::kMax}, {"xor", Op::kXor}}};

/// The operation that a token stands for.
template <size_t N>
std::optional<Op> found_in(const Symbols<N>& symbols, const std::string& text) {
  for (const auto& [symbol, op] : symbols) {
    if (symbol == text) return op;
  }
  return std::nullopt;
}

void require_number(const Expression& value) {
  if (value.op == Op::kRecord) {
    throw Failure{{"BEH0004", value.where, "", "a record where a number is needed", "a record", {}, "take one member"}};
  }
  if (!value.type.is_array()) return;
  throw Failure{{"BEH0004",
                 value.where,
                 "",
                 "an array where a number is needed",
                 behaviour::text_of(value.type),
                 {},
                 "take one element of it: a[i]"}};
}

}  // namespace

/// Counts open levels of expressions.
class ExpressionReader::Nesting {
 public:
  explicit Nesting(ExpressionReader& reader) : reader_(reader) {
    if (reader_.depth_ >= kMaxNesting) throw reader_.expected("a simpler expression", "nest it less deeply");
    ++reader_.depth_;
  }
  ~Nesting() { --reader_.depth_; }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;

 private:
  ExpressionReader& reader_;
};

void ExpressionReader::require_low(const Expression& expression) const {
  if (expression.height > kMaxHeight) throw expected("a shorter expression", "give names to its parts by let");
}

Expression ExpressionReader::made(Op op, const SourceLocation& where, std::vector<Expression> operands) const {
  Expression result;
  std::vector<Range> ranges;
  for (const Expression& operand : operands) {
    require_number(operand);
    ranges.push_back(operand.range);
  }
  const std::optional<Range> range = range_of(op, ranges);
  if (!range) {
    const bool is_shift = op == Op::kShiftLeft || op == Op::kShiftRight;
    const bool is_amount = is_shift && (ranges[1].low < 0 || ranges[1].high > 63);
    const bool is_divisor = op == Op::kModulo;
    throw Failure{{"BEH0003",
                   where,
                   "",
                   is_amount    ? "a shift by other than 0 to 63 bits"
                   : is_divisor ? "a remainder of a divisor that may be negative"
                                : "a number that may need more than 64 bits",
                   text_of(ranges.back()),
                   {},
                   is_amount || is_divisor ? "keep it in range with bits, min or max"
                                           : "keep the operands smaller with wrap or saturate"}};
  }
  result.op = op;
  result.where = where;
  result.range = *range;
  for (const Expression& operand : operands) result.height = std::max(result.height, operand.height + 1);
  require_low(result);
  result.children = std::move(operands);
  return result;
}

Expression ExpressionReader::value() {
  const Nesting nesting(*this);
  Expression condition = either();
  if (!at_symbol("?")) return condition;
  const SourceLocation where = advance().where;
  Expression chosen = value();
  require(":");
  Expression other = value();
  return made(Op::kConditional, where, {std::move(condition), std::move(chosen), std::move(other)});
}

Expression ExpressionReader::number() {
  Expression result = value();
  require_number(result);
  return result;
}

int64_t ExpressionReader::constant(std::string_view what, int64_t low, int64_t high) {
  const Expression said = bit_or();  // `and` may follow
  const bool is_one = said.range.low == said.range.high;
  if (is_one && said.range.low >= low && said.range.low <= high) return said.range.low;
  throw Failure{{"BEH0005",
                 said.where,
                 "",
                 fmt::format("{} has to be a constant in range", what),
                 is_one ? fmt::format("{}", said.range.low) : text_of(said.range),
                 {text_of(Range{low, high})},
                 "write a number or an expression over parameters"}};
}

Expression ExpressionReader::either() {
  Expression left = both();
  while (at_word("or")) {
    const SourceLocation where = advance().where;
    left = made(Op::kEither, where, {std::move(left), both()});
  }
  return left;
}

Expression ExpressionReader::both() {
  Expression left = negation();
  while (at_word("and")) {
    const SourceLocation where = advance().where;
    left = made(Op::kBoth, where, {std::move(left), negation()});
  }
  return left;
}

Expression ExpressionReader::negation() {
  if (!at_word("not")) return comparison();
  const Nesting nesting(*this);
  const SourceLocation where = advance().where;
  return made(Op::kNot, where, {negation()});
}

Expression ExpressionReader::comparison() {
  Expression left = bit_or();
  const std::optional<Op> op = found_in(kComparisons, peek().text);
  if (!op || peek().kind != TokenKind::kSymbol) return left;
  const SourceLocation where = advance().where;
  return made(*op, where, {std::move(left), bit_or()});
}

Expression ExpressionReader::bit_or() {
  Expression left = bit_and();
  while (at_symbol("|")) {
    const SourceLocation where = advance().where;
    left = made(Op::kOr, where, {std::move(left), bit_and()});
  }
  return left;
}

Expression ExpressionReader::bit_and() {
  Expression left = shift();
  while (at_symbol("&")) {
    const SourceLocation where = advance().where;
    left = made(Op::kAnd, where, {std::move(left), shift()});
  }
  return left;
}

Expression ExpressionReader::shift() {
  Expression left = sum();
  while (const std::optional<Op> op = found_in(kShifts, peek().text)) {
    const SourceLocation where = advance().where;
    left = made(*op, where, {std::move(left), sum()});
  }
  return left;
}

Expression ExpressionReader::sum() {
  Expression left = term();
  while (const std::optional<Op> op = found_in(kSums, peek().text)) {
    const SourceLocation where = advance().where;
    left = made(*op, where, {std::move(left), term()});
  }
  return left;
}

Expression ExpressionReader::term() {
  Expression left = factor();
  while (const std::optional<Op> op = found_in(kProducts, peek().text)) {
    const SourceLocation where = advance().where;
    left = made(*op, where, {std::move(left), factor()});
  }
  return left;
}

Expression ExpressionReader::factor() {
  const bool is_negated = at_symbol("-");
  if (!is_negated && !at_symbol("~")) return postfix();
  const Nesting nesting(*this);
  const SourceLocation where = advance().where;
  if (is_negated && is_lowest(peek()) && peek_next().text != "[") return constant_of(advance().integer, where);
  return made(is_negated ? Op::kNegate : Op::kInvert, where, {factor()});
}

/// A primary expression, or bits of a number: `x[7:4]`, `x[3:3]`.
Expression ExpressionReader::postfix() {
  Expression result = primary();
  while (!result.type.is_array() && at_symbol("[")) {
    const SourceLocation where = advance().where;
    const int64_t high = constant("the highest bit", 0, 63);
    require(":");
    const int64_t low = constant("the lowest bit", 0, high);
    require("]");
    Expression bits;
    bits.op = Op::kBits;
    bits.where = where;
    bits.type = {high - low + 1, false, {}};
    bits.range = bits.type.range();
    bits.value = low;
    bits.height = result.height + 1;
    require_low(bits);
    bits.children.push_back(std::move(result));
    result = std::move(bits);
  }
  return result;
}

Expression ExpressionReader::primary() {
  const lang::LexedToken token = peek();
  if (accept("(")) {
    Expression inner = value();
    require(")");
    return inner;
  }
  if (at_symbol("[")) {
    advance();
    return peek_next().text == "in" ? each(token.where) : list(token.where);
  }
  if (is_lowest(token)) throw lang::too_large(token.where, token.text);
  if (token.kind == TokenKind::kInteger) return constant_of(advance().integer, token.where);
  if (token.kind == TokenKind::kWord) return named();
  throw expected("a number or a name");
}

Expression ExpressionReader::called(const Word& name) {
  require("(");
  if (name.text == "wrap") return converted(Op::kWrap, name.where);
  if (name.text == "saturate") return converted(Op::kSaturate, name.where);
  if (name.text == "sum") return loop_of(Op::kSum, name.where);
  if (name.text == "items") return count_of(Op::kItems, name.where);
  if (name.text == "room") return count_of(Op::kRoom, name.where);
  for (uint32_t i = 0; i < behaviour_.functions.size(); ++i) {
    if (behaviour_.functions[i].name == name.text) return call(i, name.where);
  }
  if (name.text == "log2") {
    Expression result = made(Op::kLog2, name.where, {number()});
    require(")");
    return result;
  }
  const std::optional<Op> op = found_in(kFunctions, name.text);
  if (!op) {
    std::vector<std::string> known{"wrap", "saturate", "sum", "items", "room", "log2", "min", "max", "xor"};
    for (const Function& function : behaviour_.functions) known.push_back(function.name);
    throw unknown(name, "no function has this name", std::move(known));
  }
  Expression result = number();
  require(",");
  do {
    result = made(*op, name.where, {std::move(result), number()});
  } while (accept(","));
  require(")");
  return result;
}

/// The rest of `items(QUEUE)` and `room(QUEUE)`.
Expression ExpressionReader::count_of(Op op, const SourceLocation& where) {
  Expression result;
  result.op = op;
  result.where = where;
  result.index = queue(word("a queue"));
  result.range = {0, behaviour_.queues[result.index].depth};
  require(")");
  return result;
}

/// The rest of `wrap(u8, x)` and `saturate(i8, x)`.
Expression ExpressionReader::converted(Op op, const SourceLocation& where) {
  Expression result;
  result.op = op;
  result.where = where;
  result.type = type(1);
  require(",");
  result.children.push_back(number());
  require(")");
  const Range& before = result.children.front().range;
  result.range = result.type.range();
  if (result.range.holds(before)) {
    result.range = before;
  } else if (op == Op::kSaturate) {
    result.range = {saturated(before.low, result.type), saturated(before.high, result.type)};
  }
  return result;
}

Expression ExpressionReader::call(uint32_t function, const SourceLocation& where) {
  Expression result;
  const Function& called = behaviour_.functions[function];
  result.op = Op::kCall;
  result.index = function;
  result.where = where;
  result.type = called.type;
  result.range = called.result.range;
  for (const Variable& argument : called.arguments) {
    if (!result.children.empty()) require(",");
    result.children.push_back(value());
    require_fits(result.children.back(), argument.type, argument.name);
  }
  require(")");
  return result;
}

}  // namespace covenant::acg::behaviour
