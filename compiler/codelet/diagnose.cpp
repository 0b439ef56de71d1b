#include "compiler/codelet/diagnose.h"

#include <utility>

namespace covenant::compiler::codelet {

Diagnostic diagnose(std::string code, SourceLocation where, std::string subject, std::string message,
                    std::string offending, std::vector<std::string> allowed, std::string fix) {
  Diagnostic diagnostic;
  diagnostic.code = std::move(code);
  diagnostic.where = std::move(where);
  diagnostic.subject = std::move(subject);
  diagnostic.message = std::move(message);
  diagnostic.offending = std::move(offending);
  diagnostic.allowed = std::move(allowed);
  diagnostic.fix = std::move(fix);
  return diagnostic;
}

}  // namespace covenant::compiler::codelet
