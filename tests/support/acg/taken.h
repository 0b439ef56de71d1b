/// For tests that need what was made and say nothing of failures.
#pragma once

#include <stdexcept>

#include "acg/base/result.h"

namespace covenant::test {

/// What was made; a failure to make it fails the test.
template <typename T>
T taken(const Result<T>& made) {
  if (!made) throw std::runtime_error(render(made.error()));
  return *made;
}

}  // namespace covenant::test
