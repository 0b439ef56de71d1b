#include "acg/lang/expression_parser.h"

#include <array>
#include <fmt/format.h>
#include <string_view>
#include <utility>
#include <variant>

namespace covenant::acg::lang {
namespace {

/// Far deeper than real files nest. Protects the stack from hostile ones.
constexpr int kMaxNesting = 100;
constexpr int kMaxOperators = 1000;

constexpr std::array<std::pair<std::string_view, ExpressionKind>, 6> kComparisons{
    {{"==", ExpressionKind::kEqual},
     {"!=", ExpressionKind::kNotEqual},
     {"<", ExpressionKind::kLess},
     {"<=", ExpressionKind::kLessEqual},
     {">", ExpressionKind::kGreater},
     {">=", ExpressionKind::kGreaterEqual}}};

}  // namespace

/// Counts open levels of expressions; resets the count of operators at the outermost level.
class ExpressionParser::Nesting {
 public:
  explicit Nesting(ExpressionParser& parser) : parser_(parser) {
    if (parser_.depth_ == 0) parser_.operators_ = 0;
    if (parser_.depth_ >= kMaxNesting) throw parser_.too_deep();
    ++parser_.depth_;
  }
  ~Nesting() { --parser_.depth_; }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;

 private:
  ExpressionParser& parser_;
};

void ExpressionParser::block(const std::function<void()>& item) {
  require("{");
  while (!at_symbol("}")) {
    if (peek().kind == TokenKind::kEnd) throw expected("}", "close the block with }");
    item();
  }
  advance();
}

AttributeSpec ExpressionParser::attribute() {
  AttributeSpec result;
  result.name = word("a name");
  require("=");
  result.value = expression();
  require(";");
  return result;
}

std::vector<AttributeSpec> ExpressionParser::attributes() {
  std::vector<AttributeSpec> result;
  block([&] { result.push_back(attribute()); });
  return result;
}

std::vector<AttributeSpec> ExpressionParser::optional_attributes() {
  if (at_symbol("{")) return attributes();
  if (!accept(";")) throw expected("; or {");
  return {};
}

std::vector<Word> ExpressionParser::names() {
  std::vector<Word> result;
  require("[");
  do {
    result.push_back(string("a name"));
  } while (accept(","));
  require("]");
  return result;
}

Expression ExpressionParser::expression() {
  Nesting nesting(*this);
  Expression condition = comparison();
  if (!at_symbol("?")) return condition;
  const LexedToken sign = advance();
  Expression chosen = expression();
  require(":");
  Expression result = binary(ExpressionKind::kConditional, sign, std::move(condition), std::move(chosen));
  result.children.push_back(expression());
  return result;
}

Expression ExpressionParser::comparison() {
  Expression left = sum();
  for (const auto& [symbol, kind] : kComparisons) {
    if (!at_symbol(symbol)) continue;
    const LexedToken sign = advance();
    return binary(kind, sign, std::move(left), sum());
  }
  return left;
}

Expression ExpressionParser::sum() {
  Expression left = term();
  while (at_symbol("+") || at_symbol("-")) {
    const LexedToken sign = advance();
    left = binary(sign.text == "+" ? ExpressionKind::kAdd : ExpressionKind::kSubtract, sign, std::move(left), term());
  }
  return left;
}

Expression ExpressionParser::term() {
  Expression left = factor();
  while (at_symbol("*") || at_symbol("/") || at_symbol("%")) {
    const LexedToken sign = advance();
    const ExpressionKind kind = sign.text == "*"   ? ExpressionKind::kMultiply
                                : sign.text == "/" ? ExpressionKind::kDivide
                                                   : ExpressionKind::kModulo;
    left = binary(kind, sign, std::move(left), factor());
  }
  return left;
}

Expression ExpressionParser::binary(ExpressionKind kind, const LexedToken& sign, Expression left, Expression right) {
  if (++operators_ > kMaxOperators) throw too_deep();
  Expression result;
  result.kind = kind;
  result.where = sign.where;
  result.children.push_back(std::move(left));
  result.children.push_back(std::move(right));
  return result;
}

/// A sign or a power: `-2 ^ 2` is -4, `2 ^ 3 ^ 2` is 2 ^ 9.
Expression ExpressionParser::factor() {
  Nesting nesting(*this);
  const LexedToken token = peek();
  if (accept("-")) {
    Expression result;
    result.where = token.where;
    if (is_lowest(peek()) && peek_next().text != "^") {
      result.value = advance().integer;
      return result;
    }
    result.kind = ExpressionKind::kNegate;
    result.children.push_back(factor());
    return result;
  }
  Expression base = primary();
  if (!at_symbol("^")) return base;
  const LexedToken sign = advance();
  return binary(ExpressionKind::kPower, sign, std::move(base), factor());
}

Expression ExpressionParser::primary() {
  const LexedToken token = peek();
  if (accept("(")) {
    Expression inner = expression();
    require(")");
    return inner;
  }
  if (token.kind == TokenKind::kWord) return name();
  Expression result;
  result.where = token.where;
  if (is_lowest(token)) throw too_large(token.where, token.text);
  if (token.kind == TokenKind::kInteger) {
    result.value = advance().integer;
  } else if (token.kind == TokenKind::kDecimal) {
    result.kind = ExpressionKind::kDecimal;
    result.decimal = token.decimal;
    result.name = advance().text;
  } else {
    throw expected("a number or a name");
  }
  return result;
}

/// A parameter, a word, a node (`SIMD.LANE0`), a loop variable, or a function call.
Expression ExpressionParser::name() {
  Expression result;
  result.where = peek().where;
  const auto variable = variables_.find(peek().text);
  if (variable != variables_.end()) {
    advance();
    if (const auto* number = std::get_if<int64_t>(&variable->second)) {
      result.value = *number;
    } else {
      result.kind = ExpressionKind::kName;
      result.name = std::get<std::string>(variable->second);
    }
    return result;
  }
  result.kind = ExpressionKind::kName;
  result.name = qualified("a name").text;
  if (!accept("(")) return result;
  result.kind = ExpressionKind::kCall;
  if (accept(")")) return result;
  do {
    if (++operators_ > kMaxOperators) throw too_deep();
    result.children.push_back(expression());
  } while (accept(","));
  require(")");
  return result;
}

Failure ExpressionParser::too_deep() const {
  return Failure{{"ACG0002",
                  peek().where,
                  "",
                  "an expression nested too deeply",
                  peek().text,
                  {},
                  fmt::format("use at most {} levels and {} operators", kMaxNesting, kMaxOperators)}};
}

}  // namespace covenant::acg::lang
