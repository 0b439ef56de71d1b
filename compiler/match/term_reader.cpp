#include "compiler/match/term_reader.h"

#include <cctype>
#include <fmt/format.h>
#include <utility>
#include <vector>

namespace covenant::compiler::match {
namespace {

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
bool is_sign(char c) { return c == '(' || c == ')' || c == ',' || c == ':' || c == ';'; }

}  // namespace

void Reader::skip_space() {
  for (bool is_comment = false; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    is_comment = c != '\n' && (is_comment || c == '#');
    if (!is_comment && !is_space(c)) return;
    column_ = c == '\n' ? 1 : column_ + 1;
    line_ += c == '\n' ? 1 : 0;
  }
}

std::string_view Reader::peek() const {
  size_t end = at_;
  while (end < text_.size() && !is_space(text_[end]) && !is_sign(text_[end]) && text_[end] != '#') ++end;
  if (end == at_ && end < text_.size()) ++end;
  return text_.substr(at_, end - at_);
}

std::string_view Reader::next() {
  const std::string_view word = peek();
  at_ += word.size();
  column_ += static_cast<uint32_t>(word.size());
  skip_space();
  return word;
}

Failure Reader::wrong(std::string message, std::string fix) const {
  const std::string_view word = peek();
  return Failure{{"MAT0001",
                  where(),
                  "",
                  std::move(message),
                  word.empty() ? "the end of the text" : std::string(word.substr(0, 60)),
                  {},
                  std::move(fix)}};
}

bool Reader::accept(std::string_view word) {
  if (peek() != word) return false;
  next();
  return true;
}

void Reader::require(std::string_view word, std::string_view fix) {
  if (!accept(word)) throw wrong(fmt::format("`{}` is expected", word), std::string(fix));
}

void Reader::end() {
  if (!at_end()) throw wrong("a term has ended before", "write one term");
}

/// Without recursion: a text may nest as deeply as it likes.
Term Reader::term() {
  Term read;
  struct Open {
    TermNode node;
    SourceLocation where;
  };
  std::vector<Open> open;
  do {
    if (accept(")")) {
      if (open.empty()) throw wrong("a term is expected", "write `name`, `?variable` or `(name term ...)`");
      read.nodes.push_back(std::move(open.back().node));
      open.pop_back();
    } else {
      const SourceLocation begin = where();
      const bool is_list = accept("(");
      const std::string_view word = peek();
      if (word.empty() || is_sign(word.front()) || word == "?" || (is_list && word.front() == '?')) {
        throw wrong("the name of an operation is expected", "write `name`, `?variable` or `(name term ...)`");
      }
      next();
      const bool is_variable = word.front() == '?';
      TermNode node{std::string(word.substr(is_variable ? 1 : 0)), {}, is_variable};
      if (is_list) {
        open.push_back({std::move(node), begin});
        continue;
      }
      read.nodes.push_back(std::move(node));
    }
    if (read.nodes.size() > kMostTermNodes) {
      throw wrong(fmt::format("a term has more than {} nodes", kMostTermNodes), "divide it");
    }
    if (!open.empty()) open.back().node.children.push_back(static_cast<uint32_t>(read.nodes.size() - 1));
  } while (!open.empty() && !at_end());
  if (!open.empty())
    throw wrong("a `(` is not closed",
                fmt::format("close the one at line {}, column {}", open.back().where.line, open.back().where.column));
  return read;
}

}  // namespace covenant::compiler::match
