/// Seeds of the random numbers of tests.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace covenant::test {

/// COVENANT_SEED, or 1. A test prints it when it fails.
inline uint64_t seed() {
  const char* const given = std::getenv("COVENANT_SEED");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : 1;
}

}  // namespace covenant::test
