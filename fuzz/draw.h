/// Random numbers that are the same on every platform: the standard library's distributions are not, its engines are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace covenant::runtime {

/// A stream of draws for case `index` of `seed`; different cases have different streams.
class Draw {
 public:
  Draw(uint64_t seed, uint64_t index) : random_(mixed(seed) ^ mixed(index + 0x51'7C'C1'B7ULL)) {}

  uint64_t bits() { return random_(); }
  /// lowest .. highest, both included.
  int64_t between(int64_t lowest, int64_t highest) {
    return lowest + static_cast<int64_t>(random_() % static_cast<uint64_t>(highest - lowest + 1));
  }
  /// True once in `times`.
  bool once_in(int64_t times) { return between(1, times) == 1; }
  /// lowest .. highest, odd. Precondition: there is an odd number among them.
  int64_t odd(int64_t lowest, int64_t highest) {
    const int64_t value = between(lowest, highest);
    return value % 2 != 0 ? value : value < highest ? value + 1 : value - 1;
  }
  template <class T>
  const T& of(const std::vector<T>& values) {
    return values[static_cast<size_t>(between(0, static_cast<int64_t>(values.size()) - 1))];
  }
  template <class T>
  void shuffle(std::vector<T>& values) {
    for (size_t i = values.size(); i > 1; --i) {
      std::swap(values[i - 1], values[static_cast<size_t>(between(0, static_cast<int64_t>(i) - 1))]);
    }
  }

 private:
  static constexpr uint64_t mixed(uint64_t value) {  // neighbours become strangers
    value = (value ^ (value >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    value = (value ^ (value >> 27U)) * 0x94D049BB133111EBULL;
    return value ^ (value >> 31U);
  }
  std::mt19937_64 random_;
};

}  // namespace covenant::runtime
