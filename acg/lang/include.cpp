#include "acg/lang/include.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "acg/base/failure.h"

namespace covenant::acg::lang {
namespace {

constexpr size_t kMaxFiles = 1000;

class Includer {
 public:
  explicit Includer(const ReadInclude& read) : read_(read) {}

  /// Appends `tokens[first, last)` of the file on top of the stack.
  void append(const std::vector<LexedToken>& tokens, size_t first, size_t last) {
    for (size_t i = first; i < last; ++i) {
      if (is_include(tokens, i)) {
        include(tokens[i + 1]);
        i += 2;
      } else {
        if (result_.size() >= kMaxTokens)
          throw too_large(tokens[i].where, fmt::format("more than {} words", kMaxTokens));
        result_.push_back(tokens[i]);
      }
    }
  }

  std::vector<std::string> open_files;
  std::vector<LexedToken> take() { return std::move(result_); }

 private:
  static bool is_include(const std::vector<LexedToken>& tokens, size_t at) {
    return at + 2 < tokens.size() && tokens[at].kind == TokenKind::kWord && tokens[at].text == "include" &&
           tokens[at + 1].kind == TokenKind::kString && tokens[at + 2].kind == TokenKind::kSymbol &&
           tokens[at + 2].text == ";";
  }

  static Failure too_large(const SourceLocation& where, std::string shown) {
    return Failure{
        {"ACG0041", where, "", "the machine is too large", std::move(shown), {}, "include fewer and smaller files"}};
  }

  void include(const LexedToken& said) {
    const Result<IncludedText> read = read_(open_files.back(), said.text);
    if (!read) {
      Diagnostic diagnostic = read.error();
      diagnostic.where = said.where;
      throw Failure{std::move(diagnostic)};
    }
    if (std::find(open_files.begin(), open_files.end(), read->file_name) != open_files.end()) {
      throw Failure{{"ACG0040",
                     said.where,
                     "",
                     "a file that includes itself",
                     fmt::format("{} -> {}", fmt::join(open_files, " -> "), read->file_name),
                     {},
                     "move what both need into a third file"}};
    }
    if (++files_ > kMaxFiles) throw too_large(said.where, fmt::format("more than {} files", kMaxFiles));
    const std::vector<LexedToken> tokens = tokenize(read->text, read->file_name);
    open_files.push_back(read->file_name);
    const auto [first, last] = statements(tokens);
    append(tokens, first, last);
    open_files.pop_back();
  }

  /// The range of the statements: all tokens except the end and an enclosing `acg NAME { }`, if there is one.
  static std::pair<size_t, size_t> statements(const std::vector<LexedToken>& tokens) {
    const size_t end = tokens.size() - 1;
    const bool is_machine = end >= 4 && tokens[0].kind == TokenKind::kWord && tokens[0].text == "acg" &&
                            tokens[1].kind == TokenKind::kWord && tokens[2].text == "{" && tokens[end - 1].text == "}";
    return is_machine ? std::pair{size_t{3}, end - 1} : std::pair{size_t{0}, end};
  }

  const ReadInclude& read_;
  std::vector<LexedToken> result_;
  size_t files_ = 0;
};

}  // namespace

Result<IncludedText> no_includes(const std::string&, const std::string& written) {
  return Diagnostic{
      "ACG0008", {}, "", "cannot read the file", written, {}, "check that the path names a readable file"};
}

std::vector<LexedToken> with_includes(const std::vector<LexedToken>& tokens, const std::string& file_name,
                                      const ReadInclude& read) {
  Includer includer(read);
  includer.open_files.push_back(file_name);
  includer.append(tokens, 0, tokens.size());
  return includer.take();
}

}  // namespace covenant::acg::lang
