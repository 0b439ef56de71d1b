#include "sim/common/fault.h"

#include <utility>

namespace covenant::sim {

namespace {

Diagnostic made_of(std::string code, std::string message, std::string offending, std::vector<std::string> allowed,
                   std::string fix) {
  Diagnostic diagnostic;
  diagnostic.code = std::move(code);
  diagnostic.message = std::move(message);
  diagnostic.offending = std::move(offending);
  diagnostic.allowed = std::move(allowed);
  diagnostic.fix = std::move(fix);
  return diagnostic;
}

}  // namespace

void raise(std::string code, std::string message, std::string offending, std::vector<std::string> allowed,
           std::string fix) {
  throw Failure{made_of(std::move(code), std::move(message), std::move(offending), std::move(allowed), std::move(fix))};
}

void raise_of_memory(uint64_t address, std::string code, std::string message, std::string offending,
                     std::vector<std::string> allowed, std::string fix) {
  throw PlacedFailure{
      {made_of(std::move(code), std::move(message), std::move(offending), std::move(allowed), std::move(fix))},
      {},
      address};
}

}  // namespace covenant::sim
