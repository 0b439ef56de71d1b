/// Splits `.acg` text into tokens and comments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "acg/base/diagnostic.h"
#include "acg/base/failure.h"

namespace covenant::acg::lang {

enum class TokenKind : uint8_t { kWord, kInteger, kDecimal, kString, kSymbol, kEnd };

struct LexedToken {
  TokenKind kind = TokenKind::kEnd;
  std::string text;     ///< the word, the symbol, the text between quotes, or the number as written
  int64_t integer = 0;  ///< value of kInteger, its suffix K, M or G (1024-based) applied; of 2^63 after a minus: -2^63
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
/// True of 2^63, which is a number only behind its sign: -2^63 is the lowest one.
bool is_lowest(const LexedToken& token);
/// The error of a number without a value: ACG0012.
Failure too_large(const SourceLocation& where, std::string_view written);
/// The tokens alone.
std::vector<LexedToken> tokenize(std::string_view text, std::string_view file_name);

}  // namespace covenant::acg::lang
