#include "sim/units/fault.h"

#include <utility>

namespace covenant::sim {

void raise(std::string code, std::string message, std::string offending, std::vector<std::string> allowed,
           std::string fix) {
  Diagnostic diagnostic;
  diagnostic.code = std::move(code);
  diagnostic.message = std::move(message);
  diagnostic.offending = std::move(offending);
  diagnostic.allowed = std::move(allowed);
  diagnostic.fix = std::move(fix);
  throw Failure{std::move(diagnostic)};
}

}  // namespace covenant::sim
