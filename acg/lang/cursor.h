/// Walking over the tokens of a text, and saying what was expected instead.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "acg/base/failure.h"
#include "acg/lang/lexer.h"
#include "acg/lang/spec.h"

namespace covenant::acg::lang {

class TokenCursor {
 public:
  /// Precondition: the last token is of kind kEnd, as `tokenize` gives.
  explicit TokenCursor(std::vector<LexedToken> tokens) : tokens_(std::move(tokens)) {}

  const LexedToken& peek() const { return tokens_[at_]; }
  bool at_symbol(std::string_view text) const { return peek().kind == TokenKind::kSymbol && peek().text == text; }
  bool at_word(std::string_view text) const { return peek().kind == TokenKind::kWord && peek().text == text; }
  /// The token here; goes on to the next one (never past the end).
  LexedToken advance();
  /// Takes the symbol if it is here.
  bool accept(std::string_view symbol);
  /// Take what must be here, or throw Failure ACG0002; `what` is for the message.
  void require(std::string_view symbol);
  Word word(std::string_view what);
  Word string(std::string_view what);

  /// ACG0002 at this place; without `fix`, the advice is to write what is missing.
  Failure expected(std::string what, std::string fix = "") const;
  static Failure unknown_word(const LexedToken& got, std::string_view place, std::vector<std::string> allowed);
  static Failure twice(const SourceLocation& where, const std::string& name);

 private:
  std::vector<LexedToken> tokens_;
  size_t at_ = 0;
};

}  // namespace covenant::acg::lang
