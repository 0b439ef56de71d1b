/// Random numbers of a test that can be repeated: the seed is printed, and taken from COVENANT_SEED if that is set.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <gtest/gtest.h>
#include <iostream>
#include <random>

namespace covenant::acg::testing {

class RandomSource {
 public:
  explicit RandomSource(uint64_t seed) {
    if (const char* given = std::getenv("COVENANT_SEED")) seed = std::strtoull(given, nullptr, 10);
    std::cout << "seed " << seed << " (repeat with COVENANT_SEED=" << seed << ")\n";
    engine_.seed(seed);
  }

  /// Uniform in lowest..highest.
  int64_t between(int64_t lowest, int64_t highest) {
    // Not std::uniform_int_distribution: its sequence differs between libraries.
    const uint64_t count = static_cast<uint64_t>(highest - lowest) + 1;
    return lowest + static_cast<int64_t>(count == 0 ? engine_() : engine_() % count);
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace covenant::acg::testing
