#include "compiler/codelet/lex.h"

#include <cctype>
#include <charconv>

#include "acg/base/byte_order_mark.h"

namespace covenant::compiler::codelet {
namespace {

bool is_name_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_name_part(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// Length of the number at the start of `text`, which may be decimal or hexadecimal with fraction and exponent
/// (`0x1.8p-3`, `2.5e-3`).
size_t number_length(std::string_view text) {
  const bool hexadecimal = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  size_t end = hexadecimal ? 2 : 0;
  while (end < text.size()) {
    const char c = text[end];
    const char before = end > 0 ? text[end - 1] : '0';
    const bool after_exponent = hexadecimal ? (before == 'p' || before == 'P') : (before == 'e' || before == 'E');
    if (is_name_part(c) || c == '.' || ((c == '-' || c == '+') && after_exponent)) {
      ++end;
    } else {
      break;
    }
  }
  return end;
}

}  // namespace

Result<std::vector<Token>> lex(std::string_view text, const std::string& file_name) {
  text = without_byte_order_mark(text);
  std::vector<Token> tokens;
  SourceLocation here{file_name, 1, 1};
  size_t at = 0;
  const auto take = [&](size_t count) {
    for (size_t i = 0; i < count; ++i, ++at) {
      if (text[at] == '\n') {
        ++here.line;
        here.column = 1;
      } else {
        ++here.column;
      }
    }
  };
  while (at < text.size()) {
    const char c = text[at];
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      take(1);
    } else if (c == '#') {
      take(std::min(text.find('\n', at), text.size()) - at);
    } else if (is_name_start(c)) {
      size_t end = at;
      while (end < text.size() && is_name_part(text[end])) ++end;
      tokens.push_back({TokenKind::kName, std::string(text.substr(at, end - at)), here});
      take(end - at);
    } else if (is_digit(c)) {
      const size_t length = number_length(text.substr(at));
      tokens.push_back({TokenKind::kNumber, std::string(text.substr(at, length)), here});
      take(length);
    } else if (c == '"') {
      const size_t end = text.find_first_of("\"\n", at + 1);
      if (end == std::string_view::npos || text[end] == '\n') {
        return Diagnostic{"CDL0001", here, "", "a string does not end on its line", "\"", {}, "add the closing quote"};
      }
      tokens.push_back({TokenKind::kString, std::string(text.substr(at + 1, end - at - 1)), here});
      take(end + 1 - at);
    } else if (std::string_view("{}()[],;=+-*").find(c) != std::string_view::npos) {
      tokens.push_back({TokenKind::kSymbol, std::string(1, c), here});
      take(1);
    } else {
      return Diagnostic{"CDL0001",
                        here,
                        "",
                        "this character starts no word of a codelet",
                        std::string(1, c),
                        {},
                        "remove it, or put it into a comment"};
    }
  }
  tokens.push_back({TokenKind::kEnd, "", here});
  return tokens;
}

std::vector<uint8_t> bytes_of(std::string_view hexadecimal) {
  std::vector<uint8_t> bytes(hexadecimal.size() / 2);
  if (hexadecimal.size() % 2 != 0) return {};
  for (size_t i = 0; i < bytes.size(); ++i) {
    const char* end = hexadecimal.data() + 2 * i + 2;
    if (std::from_chars(end - 2, end, bytes[i], 16).ptr != end) return {};
  }
  return bytes;
}

}  // namespace covenant::compiler::codelet
