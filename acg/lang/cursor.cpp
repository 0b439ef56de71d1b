#include "acg/lang/cursor.h"

#include <fmt/format.h>

#include "acg/base/suggest.h"

namespace covenant::acg::lang {
namespace {

bool is_word_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::string text_of(const LoopValue& value) {
  const auto* number = std::get_if<int64_t>(&value);
  return number != nullptr ? fmt::format("{}", *number) : std::get<std::string>(value);
}

}  // namespace

LexedToken TokenCursor::advance() {
  LexedToken token = peek();
  if (at_ + 1 < tokens_.size()) ++at_;
  if (++taken_ > kMaxTokens) {
    throw Failure{{"ACG0041",
                   token.where,
                   "",
                   "the machine is too large",
                   fmt::format("more than {} words", kMaxTokens),
                   {},
                   "let loops run over fewer values"}};
  }
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
  return {replaced(token.text, token.where), token.where};
}

Word TokenCursor::string(std::string_view what) {
  if (peek().kind != TokenKind::kString) throw expected(fmt::format("{} in quotes", what));
  const LexedToken token = advance();
  // Outside of loops a $ is an ordinary letter.
  return {variables_.empty() ? token.text : replaced(token.text, token.where), token.where};
}

void TokenCursor::skip_statement() {
  int levels = 0;
  while (true) {
    if (peek().kind == TokenKind::kEnd || (levels == 0 && at_symbol("}"))) throw expected("the end of the statement");
    const LexedToken token = advance();
    if (token.kind != TokenKind::kSymbol) continue;
    if (token.text == "{") ++levels;
    if (token.text == "}" && --levels == 0) return;
    if (token.text == ";" && levels == 0) return;
  }
}

Word TokenCursor::qualified(std::string_view what) {
  Word result = word(what);
  while (accept(".")) result.text += "." + word(what).text;
  return result;
}

std::string TokenCursor::replaced(const std::string& text, const SourceLocation& where) const {
  if (is_dry_ || text.find('$') == std::string::npos) return text;
  std::string result;
  for (size_t at = 0; at < text.size();) {
    if (text[at] != '$') {
      result += text[at++];
      continue;
    }
    const bool in_parentheses = at + 1 < text.size() && text[at + 1] == '(';
    const size_t start = at + (in_parentheses ? 2 : 1);
    size_t end = start;
    while (end < text.size() && is_word_letter(text[end])) ++end;
    const bool is_closed = !in_parentheses || (end < text.size() && text[end] == ')');
    const auto found = variables_.find(text.substr(start, end - start));
    if (found == variables_.end() || !is_closed) {
      std::vector<std::string> names;
      for (const auto& [name, value] : variables_) names.push_back(name);
      std::string fix =
          names.empty() ? "use $NAME inside of `for NAME in ... { }`" : suggest(text.substr(start, end - start), names);
      throw Failure{{"ACG0042", where, "", "no loop has this variable", text, std::move(names), std::move(fix)}};
    }
    result += text_of(found->second);
    at = end + (in_parentheses ? 1 : 0);
  }
  return result;
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
