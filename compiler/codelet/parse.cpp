#include "compiler/codelet/parse.h"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

#include "acg/base/failure.h"
#include "compiler/codelet/element.h"
#include "compiler/codelet/lex.h"

namespace covenant::compiler::codelet {
namespace {

/// Recursive-descent parser with one function per rule of the grammar.
class Parser {
 public:
  explicit Parser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  Codelet codelet() {
    Codelet result;
    result.where = peek().where;
    expect_word("cdlt");
    result.name = expect(TokenKind::kName, "the codelet's name").text;
    if (is_word("implements")) {
      next();
      result.implements = expect(TokenKind::kString, "the name of an ONNX operator in quotes").text;
    }
    expect_symbol("{");
    while (is_declaration()) result.surrogates.push_back(surrogate());
    result.body = body();
    if (peek().kind != TokenKind::kEnd) unexpected({"end of file"});
    return result;
  }

 private:
  const Token& peek(size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  const Token& next() {
    const Token& token = peek();
    if (at_ + 1 < tokens_.size()) ++at_;
    return token;
  }
  bool is_symbol(std::string_view text, size_t ahead = 0) const {
    return peek(ahead).kind == TokenKind::kSymbol && peek(ahead).text == text;
  }
  bool is_word(std::string_view text, size_t ahead = 0) const {
    return peek(ahead).kind == TokenKind::kName && peek(ahead).text == text;
  }
  bool take_symbol(std::string_view text) {
    if (!is_symbol(text)) return false;
    next();
    return true;
  }

  [[noreturn]] void unexpected(std::vector<std::string> allowed) const {
    const Token& token = peek();
    throw Failure{{"CDL0001", token.where, "", "unexpected text",
                   token.kind == TokenKind::kEnd ? "end of file" : token.text, std::move(allowed),
                   "write what the grammar allows here"}};
  }
  [[noreturn]] static void wrong_number(const SourceLocation& where, const std::string& message,
                                        const std::string& offending, const std::string& fix) {
    throw Failure{{"CDL0003", where, "", message, offending, {}, fix}};
  }

  [[noreturn]] static void unknown(const Token& token, std::string_view what, std::vector<std::string> allowed) {
    throw Failure{{"CDL0002", token.where, "", "unknown " + std::string(what), token.text, std::move(allowed),
                   "use one of the allowed words"}};
  }
  const Token& expect(TokenKind kind, const std::string& what) {
    if (peek().kind != kind) unexpected({what});
    return next();
  }
  void expect_symbol(const std::string& text) {
    if (!take_symbol(text)) unexpected({text});
  }
  void expect_word(const std::string& text) {
    if (!is_word(text)) unexpected({text});
    next();
  }

  bool is_declaration() const {
    return peek().kind == TokenKind::kName && is_symbol("=", 1) &&
           (is_word("param", 2) || is_word("inp", 2) || is_word("out", 2) || is_word("local", 2));
  }

  Surrogate surrogate() {
    Surrogate result;
    result.where = peek().where;
    result.name = next().text;
    expect_symbol("=");
    const std::string kind = next().text;
    expect_symbol("(");
    if (kind == "param") {
      result.kind = SurrogateKind::kParam;
      if (!is_symbol(")")) result.value = constant();
    } else {
      result.kind = kind == "inp" ? SurrogateKind::kInp : kind == "out" ? SurrogateKind::kOut : SurrogateKind::kLocal;
      // The Covenant paper writes the location last in its section 3.1 and first in Figure 9.
      const bool location_first = !is_symbol("[");
      if (location_first) {
        if (!is_word("null") && peek().kind != TokenKind::kString) unexpected({"[", "a name in quotes", "null"});
        result.location = string_or_null();
        expect_symbol(",");
      }
      result.shape = list();
      expect_symbol(",");
      result.dtype = dtype_or_null();
      if (!location_first) {
        expect_symbol(",");
        result.location = string_or_null();
      }
      while (take_symbol(",")) surrogate_keyword(result);
    }
    expect_symbol(")");
    expect_symbol(";");
    return result;
  }

  void surrogate_keyword(Surrogate& result) {
    const Token& keyword = expect(TokenKind::kName, "a keyword");
    expect_symbol("=");
    if (keyword.text == "fill") {
      result.fill = expression();
      result.has_fill = true;
    } else if (keyword.text == "packing") {
      result.packing = list();
    } else if (keyword.text == "strides") {
      result.strides = list();
    } else if (keyword.text == "offset") {
      result.offset = expression();
    } else if (keyword.text == "logical_shape") {
      expect_symbol("[");
      do {
        result.logical_shape.push_back(integer());
      } while (take_symbol(","));
      expect_symbol("]");
    } else {
      unknown(keyword, "keyword of a surrogate", {"fill", "packing", "logical_shape", "strides", "offset"});
    }
  }

  std::optional<DType> dtype_or_null() {
    const Token& token = expect(TokenKind::kName, "a dtype or null");
    if (token.text == "null") return std::nullopt;
    return dtype(token);
  }
  static DType dtype(const Token& token) {
    if (const std::optional<DType> found = dtype_named(token.text)) return *found;
    std::vector<std::string> allowed;
    for (const DTypeInfo& entry : kDTypes) allowed.emplace_back(entry.name);
    unknown(token, "dtype", allowed);
  }
  std::string string_or_null() {
    const bool is_null = is_word("null");
    if (!is_null && peek().kind != TokenKind::kString) unexpected({"a name in quotes", "null"});
    return is_null ? (next(), "") : next().text;
  }

  int64_t integer() {
    const bool negative = take_symbol("-");
    const Token& token = expect(TokenKind::kNumber, "an integer");
    char* end = nullptr;
    errno = 0;
    const long long value = std::strtoll(token.text.c_str(), &end, 0);
    // 2^40 leaves room for products in index expressions.
    if (*end != '\0' || errno != 0 || value > (int64_t{1} << 40)) {
      wrong_number(token.where, "not an integer of at most 40 bits", token.text, "write a smaller whole number");
    }
    return negative ? -value : value;
  }

  float real() {
    const float sign = take_symbol("-") ? -1.0F : 1.0F;
    if (is_word("inf") || is_word("nan")) {
      return sign *
             (next().text == "inf" ? std::numeric_limits<float>::infinity() : std::numeric_limits<float>::quiet_NaN());
    }
    const Token& token = expect(TokenKind::kNumber, "a number");
    char* end = nullptr;
    const float value = std::strtof(token.text.c_str(), &end);
    if (*end != '\0' || std::isinf(value)) {
      wrong_number(token.where, "not a number of type f32", token.text, "write a decimal or a hexadecimal float");
    }
    return sign * value;
  }

  Constant constant() {
    Constant result;
    result.dtype = dtype(expect(TokenKind::kName, "a typed constant"));
    expect_symbol("(");
    if (const Token& text = peek(); text.kind == TokenKind::kString) {
      result.table = bytes_of(next().text);
      const bool is_known = bytes(result.dtype) == 1 || result.dtype == DType::kF32;
      if (result.table.empty() || !is_known || result.table.size() % bytes(result.dtype) != 0) {
        wrong_number(text.where, "no table", text.text, "write i8, u8 or f32, and two hexadecimal digits a byte");
      }
    } else if (result.dtype == DType::kF32) {
      result.real = real();
    } else {
      const SourceLocation where = peek().where;
      const auto range = integer_range(result.dtype);
      result.integer = integer();
      if (result.integer < range.first || result.integer > range.second) {
        wrong_number(where, "the constant does not fit its dtype", std::to_string(result.integer),
                     "write a value of the dtype's range");
      }
    }
    expect_symbol(")");
    return result;
  }
  bool is_constant() const { return peek().kind == TokenKind::kName && dtype_named(peek().text) && is_symbol("(", 1); }

  Expression expression() {
    Expression sum = product();
    while (is_symbol("+") || is_symbol("-")) {
      const bool plus = next().text == "+";
      const Expression right = product();
      sum = plus ? sum + right : sum - right;
    }
    return sum;
  }
  Expression product() {
    Expression result = factor();
    while (take_symbol("*")) result = result * factor();
    return result;
  }
  Expression factor() {
    if (take_symbol("-")) return Expression(-1) * factor();
    if (take_symbol("(")) {
      Expression inner = expression();
      expect_symbol(")");
      return inner;
    }
    if (peek().kind == TokenKind::kNumber) return integer();
    return Expression::variable(expect(TokenKind::kName, "an expression").text);
  }
  /// A list `[a, b+1]`; `[]` is the empty list.
  std::vector<Expression> list() {
    std::vector<Expression> result;
    expect_symbol("[");
    if (take_symbol("]")) return result;
    do {
      result.push_back(expression());
    } while (take_symbol(","));
    expect_symbol("]");
    return result;
  }

  Reference reference() {
    Reference result;
    result.where = peek().where;
    result.surrogate = expect(TokenKind::kName, "a surrogate").text;
    if (is_symbol("[")) result.indices = list();
    return result;
  }
  std::variant<Reference, Constant> reference_or_constant() {
    if (is_constant()) return constant();
    return reference();
  }

  std::vector<Operation> body() {
    std::vector<Operation> result;
    while (!take_symbol("}")) result.push_back(operation());
    return result;
  }

  Operation operation() {
    Operation result;
    result.where = peek().where;
    if (is_declaration()) unexpected({"an operation: surrogates are declared before all operations"});
    if (is_word("loop")) {
      result.op = loop();
    } else if (is_word("transfer") && is_symbol("(", 1)) {
      result.op = transfer("");
    } else if (peek().kind == TokenKind::kName && is_symbol("=", 1) && is_word("transfer", 2)) {
      const std::string local = next().text;
      next();
      result.op = transfer(local);
    } else if (peek().kind == TokenKind::kName && (is_symbol("=", 1) || is_symbol("[", 1))) {
      result.op = compute();
    } else {
      unexpected({"loop", "transfer", "x=transfer", "x[i]=compute", "}"});
    }
    return result;
  }

  Loop loop() {
    Loop result;
    expect_word("loop");
    result.variable = expect(TokenKind::kName, "the loop's variable").text;
    expect_symbol("(");
    result.upper = expression();
    result.stride = 1;
    bool comma = take_symbol(",");
    if (comma && !is_keyword()) {
      result.lower = std::exchange(result.upper, expression());
      comma = take_symbol(",");
      if (comma && !is_keyword()) {
        result.stride = expression();
        comma = take_symbol(",");
      }
    }
    for (; comma; comma = take_symbol(",")) loop_keyword(result);
    expect_symbol(")");
    expect_symbol("{");
    result.body = body();
    return result;
  }

  bool is_keyword() const { return peek().kind == TokenKind::kName && is_symbol("=", 1); }

  void loop_keyword(Loop& result) {
    const Token& keyword = expect(TokenKind::kName, "a keyword");
    if (keyword.text != "stride" && keyword.text != "level") unknown(keyword, "keyword of a loop", {"stride", "level"});
    expect_symbol("=");
    if (keyword.text == "stride") {
      result.stride = expression();
    } else {
      result.level = static_cast<uint32_t>(natural(keyword));
    }
  }

  uint64_t natural(const Token& keyword) {
    const SourceLocation where = peek().where;
    const int64_t value = integer();
    if (value >= 0) return static_cast<uint64_t>(value);
    wrong_number(where, "'" + keyword.text + "' is negative", std::to_string(value), "count from 0");
  }

  Transfer transfer(const std::string& local) {
    Transfer result;
    result.local = local;
    expect_word("transfer");
    expect_symbol("(");
    result.source = reference_or_constant();
    expect_symbol(",");
    if (local.empty()) {
      result.destination = reference();
    } else {
      result.location = string_or_null();
    }
    expect_symbol(",");
    result.shape = list();
    while (take_symbol(",")) transfer_keyword(result);
    expect_symbol(")");
    expect_symbol(";");
    return result;
  }

  void transfer_keyword(Transfer& result) {
    const Token& keyword = expect(TokenKind::kName, "a keyword");
    if (result.local.empty() || (keyword.text != "slot" && keyword.text != "offset")) {
      unknown(keyword, "keyword of a transfer", {"slot (of a new local)", "offset (of a new local)"});
    }
    expect_symbol("=");
    const uint64_t value = natural(keyword);
    if (keyword.text == "slot") {
      result.slot = static_cast<uint32_t>(value);
    } else {
      result.offset = value;
    }
  }

  Compute compute() {
    Compute result;
    result.destination = reference();
    expect_symbol("=");
    expect_word("compute");
    expect_symbol("(");
    result.location = string_or_null();
    expect_symbol(",");
    result.capability = expect(TokenKind::kString, "a capability in quotes").text;
    while (take_symbol(",")) {
      if (peek().kind == TokenKind::kName && is_symbol("=", 1)) {
        const std::string attribute = next().text;
        next();
        result.attributes[attribute] = expression();
      } else {
        result.operands.push_back(reference_or_constant());
      }
    }
    expect_symbol(")");
    expect_symbol(";");
    return result;
  }

  std::vector<Token> tokens_;
  size_t at_ = 0;
};

}  // namespace

Result<Codelet> parse(std::string_view text, const std::string& file_name) {
  Result<std::vector<Token>> tokens = lex(text, file_name);
  if (!tokens) return tokens.error();
  return guarded<Codelet>([&] { return Parser(*std::move(tokens)).codelet(); });
}

}  // namespace covenant::compiler::codelet
