/// Walking over the tokens of a text, and saying what was expected instead.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "acg/base/failure.h"
#include "acg/lang/lexer.h"
#include "acg/lang/spec.h"

namespace covenant::acg::lang {

/// What a variable of a loop stands for in one turn.
using LoopValue = std::variant<int64_t, std::string>;

class TokenCursor {
 public:
  /// Precondition: the last token is of kind kEnd, as `tokenize` gives.
  explicit TokenCursor(std::vector<LexedToken> tokens) : tokens_(std::move(tokens)) {}

  const LexedToken& peek() const { return tokens_[at_]; }
  bool at_symbol(std::string_view text) const { return peek().kind == TokenKind::kSymbol && peek().text == text; }
  bool at_word(std::string_view text) const { return peek().kind == TokenKind::kWord && peek().text == text; }
  const LexedToken& peek_next() const { return tokens_[at_ + 1 < tokens_.size() ? at_ + 1 : at_]; }
  /// Where the cursor stands, for `rewind`.
  size_t position() const { return at_; }
  void rewind(size_t position) { at_ = position; }
  /// The token here; goes on to the next one (never past the end).
  /// Throws Failure ACG0041 if loops make the text too long.
  LexedToken advance();
  /// Takes the symbol if it is here.
  bool accept(std::string_view symbol);
  /// Take what must be here, or throw Failure ACG0002; `what` is for the message. Variables of loops are replaced in
  /// words and strings (ACG0042: there is none of this name).
  void require(std::string_view symbol);
  Word word(std::string_view what);
  Word string(std::string_view what);
  /// `NAME` or `NAME.NAME...`
  Word qualified(std::string_view what);

  /// ACG0002 at this place; without `fix`, the advice is to write what is missing.
  Failure expected(std::string what, std::string fix = "") const;
  static Failure unknown_word(const LexedToken& got, std::string_view place, std::vector<std::string> allowed);
  static Failure twice(const SourceLocation& where, const std::string& name);

 protected:
  /// `text` with every `$i` and `$(i)` replaced by the value of the loop's variable.
  std::string replaced(const std::string& text, const SourceLocation& where) const;

  std::map<std::string, LoopValue> variables_;  ///< of the loops that are open
  bool is_dry_ = false;                         ///< reading the body of a loop for its form only

 private:
  std::vector<LexedToken> tokens_;
  size_t at_ = 0;
  size_t taken_ = 0;
};

}  // namespace covenant::acg::lang
