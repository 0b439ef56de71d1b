/// Unwraps results in tests where a failure is unexpected.
#pragma once

#include <stdexcept>

#include "acg/base/result.h"

namespace covenant::test {

/// The value of a result; a failure fails the test.
template <typename T>
T taken(const Result<T>& made) {
  if (!made) throw std::runtime_error(render(made.error()));
  return *made;
}

}  // namespace covenant::test
