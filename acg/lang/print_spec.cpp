// Prints a parsed document in the project's layout: words and comments are kept, spaces are not.
#include <algorithm>
#include <vector>

#include "acg/lang/print.h"

namespace covenant::acg {
namespace {

using lang::Comment;
using lang::LexedToken;
using lang::TokenKind;

bool is_symbol(const LexedToken& token, std::string_view text) {
  return token.kind == TokenKind::kSymbol && token.text == text;
}

bool is_one_of(const LexedToken& token, std::string_view letters) {
  return token.kind == TokenKind::kSymbol && token.text.size() == 1 && letters.find(token.text) != std::string::npos;
}

class Layout {
 public:
  explicit Layout(const lang::LexedText& document) : document_(document) {}

  std::string run() {
    const std::vector<LexedToken>& tokens = document_.tokens;
    for (size_t i = 0; i + 1 < tokens.size(); ++i) {
      comments_before(tokens[i].where);
      token(tokens, i);
    }
    comments_before({"", UINT32_MAX, 0});
    if (!text_.empty() && text_.back() != '\n') text_ += '\n';
    return std::move(text_);
  }

 private:
  static std::string shown(const LexedToken& token) {
    return token.kind == TokenKind::kString ? '"' + token.text + '"' : token.text;
  }

  void indent() { text_ += std::string(2 * static_cast<size_t>(std::max(depth_, 0)), ' '); }

  /// Starts a new line. Several blank lines become one.
  void line(uint32_t number) {
    if (!text_.empty() && text_.back() != '\n') text_ += '\n';
    if (last_line_ != 0 && number > last_line_ + 1) text_ += '\n';
  }

  void comments_before(const SourceLocation& where) {
    const std::vector<Comment>& comments = document_.comments;
    for (; next_comment_ < comments.size(); ++next_comment_) {
      const Comment& comment = comments[next_comment_];
      const bool is_earlier =
          comment.where.line < where.line || (comment.where.line == where.line && comment.where.column < where.column);
      if (!is_earlier) return;
      if (comment.where.line == last_line_ && !text_.empty() && text_.back() != '\n') {
        text_ += "  " + comment.text;
      } else {
        line(comment.where.line);
        indent();
        text_ += comment.text;
      }
      last_line_ = comment.where.line;
      must_break_ = true;
    }
  }

  void token(const std::vector<LexedToken>& tokens, size_t at) {
    const LexedToken& now = tokens[at];
    const bool closes = is_symbol(now, "}");
    if (closes) --depth_;
    if (must_break_ || text_.empty() || now.where.line != last_line_) {
      if (!text_.empty()) line(now.where.line);
      indent();
      // The rest of a statement that began on an earlier line is indented further.
      if (is_continued_ && !closes) text_ += "    ";
    } else if (needs_space(tokens, at)) {
      text_ += ' ';
    }
    text_ += shown(now);
    last_line_ = now.where.line;
    must_break_ = false;
    if (is_symbol(now, "{")) ++depth_;
    is_continued_ = !is_one_of(now, "{};");
  }

  static bool needs_space(const std::vector<LexedToken>& tokens, size_t at) {
    const LexedToken& before = tokens[at - 1];
    const LexedToken& now = tokens[at];
    if (is_one_of(now, ";,.)]") || is_one_of(before, ".([")) return false;
    if (is_symbol(now, "..") || is_symbol(before, "..")) return false;
    if (is_symbol(before, "-") && (at < 2 || starts_operand(tokens[at - 2]))) return false;
    if (is_symbol(now, "(") || is_symbol(now, "[")) return before.kind != TokenKind::kWord || before.text == "in";
    if (is_symbol(before, ",")) return true;
    return true;
  }

  /// True if a minus after this token is a sign.
  static bool starts_operand(const LexedToken& token) {
    return token.kind == TokenKind::kSymbol && !is_one_of(token, ")]");
  }

  const lang::LexedText& document_;
  std::string text_;
  size_t next_comment_ = 0;
  uint32_t last_line_ = 0;
  int depth_ = 0;
  bool must_break_ = false;
  bool is_continued_ = false;
};

}  // namespace

std::string print(const lang::MachineSpec& spec) { return Layout(spec.document).run(); }

}  // namespace covenant::acg
