/// Words of the codelet text format.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "acg/base/result.h"

namespace covenant::compiler::codelet {

enum class TokenKind : uint8_t { kName, kNumber, kString, kSymbol, kEnd };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string text;  ///< of a string: without its quotes
  SourceLocation where;
};

/// Splits `text`; `#` starts a comment that ends with the line. The last token is kEnd.
/// Errors: CDL0001 for a character that starts no word, or a string without its end.
Result<std::vector<Token>> lex(std::string_view text, const std::string& file_name);

/// The bytes that a string spells, two hexadecimal digits each; none if it is something else.
std::vector<uint8_t> bytes_of(std::string_view hexadecimal);

}  // namespace covenant::compiler::codelet
