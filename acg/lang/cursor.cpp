#include "acg/lang/cursor.h"

#include <fmt/format.h>

#include "acg/base/suggest.h"

namespace covenant::acg::lang {

LexedToken TokenCursor::advance() {
  LexedToken token = peek();
  if (at_ + 1 < tokens_.size()) ++at_;
  return token;
}

bool TokenCursor::accept(std::string_view symbol) {
  if (!at_symbol(symbol)) return false;
  advance();
  return true;
}

void TokenCursor::require(std::string_view symbol) {
  if (!accept(symbol)) throw expected(std::string(symbol));
}

Word TokenCursor::word(std::string_view what) {
  if (peek().kind != TokenKind::kWord) throw expected(std::string(what));
  const LexedToken token = advance();
  return {token.text, token.where};
}

Word TokenCursor::string(std::string_view what) {
  if (peek().kind != TokenKind::kString) throw expected(fmt::format("{} in quotes", what));
  const LexedToken token = advance();
  return {token.text, token.where};
}

Failure TokenCursor::expected(std::string what, std::string fix) const {
  const LexedToken& got = peek();
  std::string shown = got.kind == TokenKind::kEnd ? "end of text" : got.text;
  if (fix.empty()) fix = fmt::format("write {} before {}", what, got.kind == TokenKind::kEnd ? "the end" : shown);
  return Failure{
      {"ACG0002", got.where, "", fmt::format("expected {}", what), std::move(shown), {what}, std::move(fix)}};
}

Failure TokenCursor::unknown_word(const LexedToken& got, std::string_view place, std::vector<std::string> allowed) {
  std::string fix = suggest(got.text, allowed);
  return Failure{
      {"ACG0003", got.where, "", fmt::format("unknown word {}", place), got.text, std::move(allowed), std::move(fix)}};
}

Failure TokenCursor::twice(const SourceLocation& where, const std::string& name) {
  return Failure{{"ACG0004", where, "", "said twice", name, {}, "keep one of the two"}};
}

}  // namespace covenant::acg::lang
