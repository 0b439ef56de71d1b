/// A user's mistake, reported so that it can be fixed: what is wrong, where, what is allowed, and one way to fix it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace covenant {

/// A place in a text that the user wrote. `file` may be a path, "<set>" for command line settings or "<string>". `line`
/// and `column` count from 1; 0 means unknown (a layer of a model, a whole file).
struct SourceLocation {
  std::string file;
  uint32_t line = 0;
  uint32_t column = 0;

  bool operator==(const SourceLocation&) const = default;
};

/// An expected failure. Every `code` is listed in `docs/reference/diagnostics/` and produced by a test.
struct Diagnostic {
  std::string code;                  ///< stable, for example "ACG0012"
  SourceLocation where;              ///< place in the user's text
  std::string subject;               ///< layer, operator or node that is concerned; empty if `where` is enough
  std::string message;               ///< one sentence: what is wrong
  std::string offending;             ///< the value that is wrong
  std::vector<std::string> allowed;  ///< values that would have been right
  std::string fix;                   ///< one way to fix it

  bool operator==(const Diagnostic&) const = default;
};

/// The diagnostic, in the file `path` unless it names another.
inline Diagnostic in_file(Diagnostic diagnostic, std::string_view path) {
  if (diagnostic.where.file.empty()) diagnostic.where.file = std::string(path);
  return diagnostic;
}

/// Renders as compilers do: `file:line:column: error[CODE] subject: message (got ..., allowed: ...)` and a fix line.
std::string render(const Diagnostic& diagnostic);

}  // namespace covenant
