/// Terms and patterns of terms: `(add ?x (mul 2 ?y))`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "acg/base/diagnostic.h"
#include "acg/base/failure.h"
#include "acg/base/result.h"

namespace covenant::compiler::match {

/// An operation, or a variable of a pattern.
struct TermNode {
  std::string name;                ///< without the `?` of a variable
  std::vector<uint32_t> children;  ///< places of earlier nodes
  bool is_variable = false;

  bool operator==(const TermNode&) const = default;
};

/// Nodes after their children, the root last. Equal parts of a pattern or a term may be one node or several.
struct Term {
  std::vector<TermNode> nodes;

  const TermNode& root() const { return nodes.back(); }
  bool operator==(const Term&) const = default;
};

/// Nodes of a term that is read from text, and characters of a name: all but spaces, `(`, `)`, `,`, `:`, `;` and `#`.
inline constexpr size_t kMostTermNodes = 10'000, kMostNameCharacters = 200;

/// Reads words and terms of texts. Throws Failure MAT0001 with the place.
class Reader {
 public:
  Reader(std::string_view text, std::string file) : text_(text), file_(std::move(file)) { skip_space(); }

  bool at_end() const { return at_ == text_.size(); }
  /// The next word or sign: `(`, `)`, `,`, `:`, `;`, or what stands between spaces and these. Empty at the end.
  std::string_view peek() const;
  std::string_view next();
  SourceLocation where() const { return {file_, line_, column_}; }
  /// Passes over this word or sign.
  void require(std::string_view word, std::string_view fix);
  bool accept(std::string_view word);
  /// Passes over the name of such a thing.
  std::string name(std::string_view of, std::string_view fix);
  Term term();
  Failure wrong(std::string message, std::string fix, std::vector<std::string> allowed = {}) const;

 private:
  void skip_space();

  std::string_view text_;
  std::string file_;
  size_t at_ = 0;
  uint32_t line_ = 1, column_ = 1;
};

/// Reads one term. Errors: MAT0001, with the place.
Result<Term> parse_term(std::string_view text);
/// As it is read. A node that several share is printed for each: what is longer than this many bytes ends with `...`.
inline constexpr size_t kMostTermText = 1'000'000;
std::string text_of(const Term& term);
/// Names of the variables, in the order of their first places.
std::vector<std::string> variables_of(const Term& term);

}  // namespace covenant::compiler::match
