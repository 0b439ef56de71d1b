/// Splits `.acg` text into tokens and comments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "acg/base/diagnostic.h"

namespace covenant::acg::lang {

enum class TokenKind : uint8_t { kWord, kInteger, kDecimal, kString, kSymbol, kEnd };

struct LexedToken {
  TokenKind kind = TokenKind::kEnd;
  std::string text;     ///< the word, the symbol, the text between quotes, or the number as written
  int64_t integer = 0;  ///< value of kInteger, its suffix K, M or G (1024-based) applied
  double decimal = 0;   ///< value of kInteger and kDecimal
  SourceLocation where;
};

/// A comment: `# ...` up to the end of its line.
struct Comment {
  std::string text;  ///< with its #, without trailing spaces
  SourceLocation where;
};

struct LexedText {
  std::vector<LexedToken> tokens;  ///< the last one of kind kEnd
  std::vector<Comment> comments;
};

/// Words that a machine may have, with all that it includes and that its loops produce: far more than a real one needs.
inline constexpr size_t kMaxTokens = size_t{1} << 20;

/// All tokens and comments of `text`. Throws Failure: ACG0001 (a character or a string that is not allowed there),
/// ACG0012 (a malformed or too large number).
LexedText lex(std::string_view text, std::string_view file_name);
/// The tokens alone.
std::vector<LexedToken> tokenize(std::string_view text, std::string_view file_name);

}  // namespace covenant::acg::lang
