/// `include "file.acg";`: replaces the statement by the statements of another file.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "acg/base/result.h"
#include "acg/lang/lexer.h"

namespace covenant::acg::lang {

struct IncludedText {
  std::string file_name;  ///< for messages, and to detect a file that includes itself
  std::string text;
};

/// Returns the text that `from` includes by the name `written`.
using ReadInclude = std::function<Result<IncludedText>(const std::string& from, const std::string& written)>;

/// Refuses every include (ACG0008): for texts from untrusted sources.
Result<IncludedText> no_includes(const std::string& from, const std::string& written);

/// `tokens` of the file `file_name`, with every include replaced by the tokens of its file. A file that starts with
/// `acg NAME {` contributes the statements between its braces. Throws Failure: the errors of `read`, at the place of
/// the include; ACG0040 if a file includes itself; ACG0041 if the whole text is too large.
std::vector<LexedToken> with_includes(const std::vector<LexedToken>& tokens, const std::string& file_name,
                                      const ReadInclude& read);

}  // namespace covenant::acg::lang
