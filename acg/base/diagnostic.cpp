#include "acg/base/diagnostic.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace covenant {

std::string render(const Diagnostic& diagnostic) {
  std::string text;
  if (!diagnostic.where.file.empty()) {
    text += diagnostic.where.file;
    if (diagnostic.where.line > 0) text += fmt::format(":{}:{}", diagnostic.where.line, diagnostic.where.column);
    text += ": ";
  }
  text += fmt::format("error[{}] ", diagnostic.code);
  if (!diagnostic.subject.empty()) text += diagnostic.subject + ": ";
  text += diagnostic.message;
  if (!diagnostic.offending.empty()) text += fmt::format("\n  got: {}", diagnostic.offending);
  if (!diagnostic.allowed.empty()) text += fmt::format("\n  allowed: {}", fmt::join(diagnostic.allowed, ", "));
  if (!diagnostic.fix.empty()) text += fmt::format("\n  fix: {}", diagnostic.fix);
  return text;
}

}  // namespace covenant
