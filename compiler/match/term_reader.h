/// Reads words and terms of rules, with their places.
#pragma once

#include <string>
#include <string_view>

#include "acg/base/diagnostic.h"
#include "acg/base/failure.h"
#include "compiler/match/term.h"

namespace covenant::compiler::match {

/// Throws Failure MAT0001 with the place.
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

}  // namespace covenant::compiler::match
