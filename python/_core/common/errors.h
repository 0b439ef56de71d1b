/// Turns C++ failures into Python exceptions: Diagnostic -> covenant.CovenantError, InternalError ->
/// covenant.InternalError.
#pragma once

#include <exception>
#include <utility>

#include "acg/base/result.h"

namespace covenant::python {

/// Carries a diagnostic from a bound function to the translator.
class DiagnosticException : public std::exception {
 public:
  explicit DiagnosticException(Diagnostic diagnostic) : diagnostic_(std::move(diagnostic)) {}
  const Diagnostic& diagnostic() const { return diagnostic_; }

 private:
  Diagnostic diagnostic_;
};

/// The value of `result`, or its diagnostic as an exception. Holds no Python state: may run without the GIL.
template <typename T>
T value_or_throw(Result<T> result) {
  if (!result) throw DiagnosticException(result.error());
  return *std::move(result);
}

/// Registers the translation of both kinds of failure. Call once, when the module is made.
void translate_errors();

}  // namespace covenant::python
