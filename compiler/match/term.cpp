#include "compiler/match/term.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace covenant::compiler::match {
namespace {

constexpr const char* kForm = "write `name`, `?variable` or `(name term ...)`";

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
bool is_sign(char c) { return c == '(' || c == ')' || c == ',' || c == ':' || c == ';'; }
bool is_printable(char c) { return c > ' ' && c < '\x7f'; }

/// A word for a diagnostic: its beginning, unless there is a byte in it that cannot be printed.
std::string shown(std::string_view word) {
  if (word.empty()) return "the end of the text";
  const auto strange = std::ranges::find_if_not(word, is_printable);
  if (strange != word.end()) return fmt::format("byte 0x{:02x}", static_cast<unsigned char>(*strange));
  return std::string(word.substr(0, 60));
}

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
  if (end < text_.size() && text_[end] == '[') end = std::min(text_.find(']', end), text_.size());  // a list is a word
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

Failure Reader::wrong(std::string message, std::string fix, std::vector<std::string> allowed) const {
  return Failure{{"MAT0001", where(), "", std::move(message), shown(peek()), std::move(allowed), std::move(fix)}};
}

bool Reader::accept(std::string_view word) { return peek() == word && !next().empty(); }

void Reader::require(std::string_view word, std::string_view fix) {
  if (!accept(word)) throw wrong("something else is expected", std::string(fix), {std::string(word)});
}

std::string Reader::name(std::string_view of, std::string_view fix) {
  const std::string_view word = peek();
  if (word.empty() || is_sign(word.front()) || word == "?" || word == "=>" || word == "<=>") {
    throw wrong(fmt::format("the name of {} is expected", of), std::string(fix));
  }
  if (word.size() > kMostNameCharacters || !std::ranges::all_of(word, is_printable)) {
    throw wrong("not a name", fmt::format("use up to {} printable characters of ASCII", kMostNameCharacters));
  }
  return std::string(next());
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
    if (read.nodes.size() + open.size() >= kMostTermNodes && peek() != ")") {
      throw wrong(fmt::format("a term has more than {} nodes", kMostTermNodes), "divide it");
    }
    if (!open.empty() && accept(")")) {
      read.nodes.push_back(std::move(open.back().node));
      open.pop_back();
    } else {
      const SourceLocation begin = where();
      const bool is_list = accept("("), is_variable = peek().starts_with('?');
      if (is_list && is_variable) throw wrong("a variable has no operands", kForm);
      std::string word = name("an operation", kForm);
      TermNode node{is_variable ? word.substr(1) : std::move(word), {}, is_variable};
      if (is_list) {
        open.push_back({std::move(node), begin});
        continue;
      }
      read.nodes.push_back(std::move(node));
    }
    if (!open.empty()) open.back().node.children.push_back(static_cast<uint32_t>(read.nodes.size() - 1));
  } while (!open.empty() && !at_end());
  if (!open.empty())
    throw wrong("a `(` is not closed",
                fmt::format("close the one at line {}, column {}", open.back().where.line, open.back().where.column));
  return read;
}

Result<Term> parse_term(std::string_view text) {
  return guarded<Term>([&] {
    Reader reader(text, "");
    Term term = reader.term();
    if (!reader.at_end()) throw reader.wrong("a term has ended before", "write one term");
    return term;
  });
}

std::string text_of(const Term& term) {
  std::string text;
  // Parts still to be printed, the next last: a node, or `)` after its children.
  std::vector<std::optional<uint32_t>> open{static_cast<uint32_t>(term.nodes.size() - 1)};
  while (!open.empty()) {
    const std::optional<uint32_t> now = open.back();
    open.pop_back();
    if (text.size() > kMostTermText) return text + " ...";
    if (!now) text += ')';
    if (!now) continue;
    const TermNode& node = term.nodes[*now];
    if (!text.empty() && text.back() != '(') text += ' ';
    if (!node.children.empty()) {
      text += '(';
      open.emplace_back();
    }
    text += (node.is_variable ? "?" : "") + node.name;
    open.insert(open.end(), node.children.rbegin(), node.children.rend());
  }
  return text;
}

std::vector<std::string> variables_of(const Term& term) {
  std::vector<std::string> names;
  std::set<std::string_view> seen;
  for (const TermNode& node : term.nodes) {
    if (node.is_variable && seen.insert(node.name).second) names.push_back(node.name);
  }
  return names;
}

}  // namespace covenant::compiler::match
