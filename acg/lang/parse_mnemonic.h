/// Parser of mnemonics and packet rules in `.acg` text.
#pragma once

#include <functional>
#include <vector>

#include "acg/lang/cursor.h"
#include "acg/lang/spec.h"

namespace covenant::acg::lang {

/// Parses one statement from the parser's tokens. Throws Failure: ACG0002, ACG0003, ACG0004.
class MnemonicParser {
 public:
  /// Borrows the cursor, which is at the statement's first word. `expression` parses one expression there.
  MnemonicParser(TokenCursor& cursor, std::function<Expression()> expression)
      : cursor_(cursor), expression_(std::move(expression)) {}

  /// `mnemonic NAME(OPCODE) { ... }` or `mnemonic NAME { encoding = "..."; ... }`.
  MnemonicSpec mnemonic();
  /// `packet { slots = 4; words = 4; interval = 2; pipes = ["A","B"]; parse = P; more = 1; last = 3; loop_end = 2; }`
  PacketSpec packet();

 private:
  void item(MnemonicSpec& mnemonic);
  FieldSpec field();
  void marks(FieldSpec& field);
  Expression stage();
  Word operation();
  Word equals_string(std::string_view what);
  std::vector<Word> names();
  std::vector<Expression> numbers();
  template <typename T>
  void once(std::optional<T>& slot, const LexedToken& start, T value);

  TokenCursor& cursor_;
  std::function<Expression()> expression_;
};

}  // namespace covenant::acg::lang
