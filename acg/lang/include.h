/// `include "file.acg";`: the statements of another file, as if they stood here.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "acg/base/result.h"
#include "acg/lang/lexer.h"

namespace covenant::acg::lang {

struct IncludedText {
  std::string file_name;  ///< for messages, and to tell whether a file includes itself
  std::string text;
};

/// The text that `from` includes by the name `written`.
using ReadInclude = std::function<Result<IncludedText>(const std::string& from, const std::string& written)>;

/// Refuses every file (ACG0008): for texts that nobody vouches for.
Result<IncludedText> no_includes(const std::string& from, const std::string& written);

/// `tokens` of the file `file_name`, every include replaced by the tokens of its file. A file that starts with
/// `acg NAME {` gives the statements between its braces. Throws Failure: what `read` gives, at the place of the
/// include; ACG0040 if a file includes itself; ACG0041 if all together is too large.
std::vector<LexedToken> with_includes(const std::vector<LexedToken>& tokens, const std::string& file_name,
                                      const ReadInclude& read);

}  // namespace covenant::acg::lang
