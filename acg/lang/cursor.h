/// A cursor over the tokens of a text, which reports what it expected if it finds something else.
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

/// The value of a loop variable in one iteration.
using LoopValue = std::variant<int64_t, std::string>;

class TokenCursor {
 public:
  /// Precondition: the last token is of kind kEnd, as `tokenize` gives.
  explicit TokenCursor(std::vector<LexedToken> tokens) : tokens_(std::move(tokens)) {}

  const LexedToken& peek() const { return tokens_[at_]; }
  bool at_symbol(std::string_view text) const { return peek().kind == TokenKind::kSymbol && peek().text == text; }
  bool at_word(std::string_view text) const { return peek().kind == TokenKind::kWord && peek().text == text; }
  const LexedToken& peek_next() const { return tokens_[at_ + 1 < tokens_.size() ? at_ + 1 : at_]; }
  /// Position of the cursor, for `rewind`.
  size_t position() const { return at_; }
  void rewind(size_t position) { at_ = position; }
  /// Returns the current token and moves to the next one (never past the end). Throws Failure ACG0041 if loops make the
  /// text too long.
  LexedToken advance();
  /// Consumes the symbol if it is the current token. Returns whether it was.
  bool accept(std::string_view symbol);
  /// Consume a required token, or throw Failure ACG0002; `what` is for the message. Loop variables in words and strings
  /// are replaced (ACG0042: no variable of this name).
  void require(std::string_view symbol);
  Word word(std::string_view what);
  Word string(std::string_view what);
  /// Consumes `NAME` or `NAME.NAME...`.
  Word qualified(std::string_view what);

  /// Passes over a statement: up to its `;`, or to the end of its block. Throws Failure ACG0002 if it has no end.
  void skip_statement();

  /// ACG0002 at this place. Without `fix`, the advice is to add what is missing.
  Failure expected(std::string what, std::string fix = "") const;
  static Failure unknown_word(const LexedToken& got, std::string_view place, std::vector<std::string> allowed);
  static Failure twice(const SourceLocation& where, const std::string& name);

 protected:
  /// `text` with every `$i` and `$(i)` replaced by the value of that loop variable.
  std::string replaced(const std::string& text, const SourceLocation& where) const;

  std::map<std::string, LoopValue> variables_;  ///< values of the variables of all open loops
  bool is_dry_ = false;                         ///< checking only the form of a loop body

 private:
  std::vector<LexedToken> tokens_;
  size_t at_ = 0;
  size_t taken_ = 0;
};

}  // namespace covenant::acg::lang
