#include "acg/lang/lexer.h"

#include <array>
#include <charconv>
#include <fmt/format.h>
#include <limits>

#include "acg/base/byte_order_mark.h"
#include "acg/base/failure.h"
#include "acg/base/utf8.h"

namespace covenant::acg::lang {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

constexpr std::array<std::string_view, 9> kLongSymbols{"<->", "->", "..", "<=", ">=", "==", "!=", "<<", ">>"};
constexpr std::string_view kSymbols = "{}()[]=;,.+-*/%^?:<>&|~";
constexpr uint64_t kLowestMagnitude = uint64_t{1} << 63;  ///< of the lowest number
constexpr std::array<std::string_view, 4> kClockUnits{"Hz", "kHz", "MHz", "GHz"};

class Lexer {
 public:
  Lexer(std::string_view text, std::string_view file_name) : text_(without_byte_order_mark(text)), file_(file_name) {}

  LexedText run() {
    LexedText result;
    do {
      skip_space(result.comments);
      is_after_minus_ =
          !result.tokens.empty() && result.tokens.back().kind == TokenKind::kSymbol && result.tokens.back().text == "-";
      result.tokens.push_back(next());
    } while (result.tokens.back().kind != TokenKind::kEnd);
    return result;
  }

 private:
  char peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  SourceLocation here() const { return {file_, line_, column_}; }

  std::string_view take(size_t count) {
    const std::string_view taken = text_.substr(at_, count);
    for (char c : taken) {
      ++column_;
      if (c == '\n') {
        ++line_;
        column_ = 1;
      }
    }
    at_ += taken.size();
    return taken;
  }

  void skip_space(std::vector<Comment>& comments) {
    while (at_ < text_.size()) {
      if (peek() == '#') {
        comments.push_back(comment());
      } else if (is_space(peek())) {
        take(1);
      } else {
        return;
      }
    }
  }

  Comment comment() {
    Comment result{"", here()};
    size_t length = 0;
    while (at_ + length < text_.size() && peek(length) != '\n') ++length;
    result.text = take(length);
    while (is_space(result.text.back())) result.text.pop_back();
    return result;
  }

  LexedToken next() {
    LexedToken token;
    token.where = here();
    if (at_ >= text_.size()) return token;
    if (is_letter(peek()) || peek() == '$') return word(std::move(token));
    if (is_digit(peek())) return number(std::move(token));
    if (peek() == '"') return string(std::move(token));
    return symbol(std::move(token));
  }

  /// Reads a word. It may contain `$` parts, which name loop variables: `PE$i`, `PE$(i)x`.
  LexedToken word(LexedToken token) {
    size_t length = 0;
    while (is_letter(peek(length)) || is_digit(peek(length)) || peek(length) == '$') {
      ++length;
      if (peek(length - 1) != '$' || peek(length) != '(') continue;
      while (is_letter(peek(length + 1)) || is_digit(peek(length + 1))) ++length;
      length += peek(length + 1) == ')' ? 2 : 1;
    }
    token.kind = TokenKind::kWord;
    token.text = take(length);
    return token;
  }

  LexedToken string(LexedToken token) {
    size_t length = 1;
    while (at_ + length < text_.size() && peek(length) != '"' && peek(length) != '\n') ++length;
    if (peek(length) != '"') {
      throw Failure{{"ACG0001",
                     token.where,
                     "",
                     "a string that does not end on its line",
                     std::string(text_.substr(at_, length)),
                     {},
                     "close it with \""}};
    }
    token.kind = TokenKind::kString;
    token.text = text_.substr(at_ + 1, length - 1);
    if (!is_utf8(token.text)) {
      throw Failure{{"ACG0001",
                     token.where,
                     "",
                     "a string that is no text in UTF-8",
                     token.text,
                     {},
                     "write it in ASCII, or save the file as UTF-8"}};
    }
    take(length + 1);
    return token;
  }

  LexedToken symbol(LexedToken token) {
    token.kind = TokenKind::kSymbol;
    for (std::string_view candidate : kLongSymbols) {
      if (text_.substr(at_).starts_with(candidate)) {
        token.text = take(candidate.size());
        return token;
      }
    }
    const char c = peek();
    if (kSymbols.find(c) == std::string_view::npos) {
      const bool printable = c > ' ' && c < '\x7f';
      const auto code = static_cast<unsigned>(static_cast<unsigned char>(c));
      throw Failure{{"ACG0001",
                     token.where,
                     "",
                     "a character that means nothing here",
                     printable ? std::string(1, c) : fmt::format("byte 0x{:02x}", code),
                     {},
                     "remove it; comments start with #"}};
    }
    token.text = take(1);
    return token;
  }

  LexedToken number(LexedToken token) {
    if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'X')) return hexadecimal(std::move(token));
    size_t digits = 0;
    while (is_digit(peek(digits))) ++digits;
    size_t length = digits;
    if (peek(length) == '.' && is_digit(peek(length + 1))) {
      ++length;
      while (is_digit(peek(length))) ++length;
      length += exponent(length);
    }
    const std::string_view written = text_.substr(at_, length);
    const bool is_decimal = length > digits;
    size_t letters = 0;
    while (is_letter(peek(length + letters)) || is_digit(peek(length + letters))) ++letters;
    const std::string_view suffix = text_.substr(at_ + length, letters);
    const int64_t scale = scale_of(suffix, is_decimal, token, text_.substr(at_, length + letters));
    const std::from_chars_result read = std::from_chars(written.data(), written.data() + written.size(), token.decimal);
    if (is_decimal && read.ec != std::errc{}) throw not_a_number(token, written);
    token.kind = is_decimal ? TokenKind::kDecimal : TokenKind::kInteger;
    if (!is_decimal) token.integer = integer(written, 10, scale, token);
    token.text = take(length + (scale > 1 ? letters : 0));
    return token;
  }

  /// Length of an exponent such as `e-7` at `from`; 0 if there is none.
  size_t exponent(size_t from) const {
    if (peek(from) != 'e' && peek(from) != 'E') return 0;
    const size_t sign = peek(from + 1) == '-' || peek(from + 1) == '+' ? 1 : 0;
    size_t length = 1 + sign;
    while (is_digit(peek(from + length))) ++length;
    return length > 1 + sign ? length : 0;
  }

  LexedToken hexadecimal(LexedToken token) {
    size_t length = 2;
    while (is_letter(peek(length)) || is_digit(peek(length))) ++length;
    const std::string_view written = text_.substr(at_, length);
    if (length == 2) throw not_a_number(token, written);
    token.kind = TokenKind::kInteger;
    token.integer = integer(written.substr(2), 16, 1, token);
    token.decimal = static_cast<double>(token.integer);
    token.text = take(length);
    return token;
  }

  /// The factor of a number's suffix K, M or G; 1 if `suffix` is empty or a clock unit, which is a word of its own.
  int64_t scale_of(std::string_view suffix, bool is_decimal, const LexedToken& token, std::string_view whole) const {
    if (suffix.empty()) return 1;
    for (std::string_view unit : kClockUnits) {
      if (suffix == unit) return 1;
    }
    if (!is_decimal && suffix == "K") return int64_t{1} << 10;
    if (!is_decimal && suffix == "M") return int64_t{1} << 20;
    if (!is_decimal && suffix == "G") return int64_t{1} << 30;
    throw not_a_number(token, whole);
  }

  int64_t integer(std::string_view digits, int base, int64_t scale, const LexedToken& token) const {
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    if (error == std::errc::invalid_argument || end != digits.data() + digits.size()) throw not_a_number(token, digits);
    const bool is_too_large = error == std::errc::result_out_of_range || __builtin_mul_overflow(value, scale, &value);
    if (is_too_large || value > kLowestMagnitude || (value == kLowestMagnitude && !is_after_minus_))
      throw too_large(token.where, digits);
    return static_cast<int64_t>(value);
  }

  static Failure not_a_number(const LexedToken& token, std::string_view written) {
    return Failure{{"ACG0012",
                    token.where,
                    "",
                    "not a number",
                    std::string(written),
                    {"digits", "digits with suffix K, M or G (1024-based)", "0x and hexadecimal digits"},
                    "write whole numbers, and decimals only for the clock"}};
  }

  std::string_view text_;
  std::string file_;
  size_t at_ = 0;
  uint32_t line_ = 1;
  uint32_t column_ = 1;
  bool is_after_minus_ = false;
};

}  // namespace

bool is_lowest(const LexedToken& token) {
  return token.kind == TokenKind::kInteger && token.integer == std::numeric_limits<int64_t>::min();
}

Failure too_large(const SourceLocation& where, std::string_view written) {
  return Failure{{"ACG0012",
                  where,
                  "",
                  "a number that does not fit 63 bits",
                  std::string(written),
                  {},
                  "use a number below 8192 * 1G * 1M"}};
}

LexedText lex(std::string_view text, std::string_view file_name) { return Lexer(text, file_name).run(); }

std::vector<LexedToken> tokenize(std::string_view text, std::string_view file_name) {
  return lex(text, file_name).tokens;
}

}  // namespace covenant::acg::lang
