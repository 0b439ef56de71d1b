/// The exception by which a deeply nested reader of users' text gives up. It never leaves the library's public
/// functions.
#pragma once

#include <utility>

#include "acg/base/diagnostic.h"
#include "acg/base/result.h"

namespace covenant {

/// Thrown inside a parser or checker, turned into a Result by `guarded` at its public function. A recursive-descent
/// parser that handed a Result up every level would bury the grammar in plumbing.
struct Failure {
  Diagnostic diagnostic;
};

/// Calls `body`, which returns a T or throws Failure.
template <typename T, typename Body>
Result<T> guarded(Body&& body) {
  try {
    return Result<T>(std::forward<Body>(body)());
  } catch (Failure& failure) {
    return std::move(failure.diagnostic);
  }
}

}  // namespace covenant
