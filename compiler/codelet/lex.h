/// Splits the text of codelets into tokens.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "acg/base/result.h"

namespace covenant::compiler::codelet {

enum class TokenKind : uint8_t { kName, kNumber, kString, kSymbol, kEnd };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string text;  ///< a string without its quotes
  SourceLocation where;
};

/// Splits `text`; `#` starts a comment that ends with the line. The last token is kEnd. Error: CDL0001 (a character
/// that starts no token, or a string without an end).
Result<std::vector<Token>> lex(std::string_view text, const std::string& file_name);

/// The bytes that a string of hexadecimal digits encodes, two digits each. Empty for any other text.
std::vector<uint8_t> bytes_of(std::string_view hexadecimal);

}  // namespace covenant::compiler::codelet
