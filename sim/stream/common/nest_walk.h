/// Walks over a loop nest with several addresses at once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "acg/base/check.h"

namespace covenant::sim {

/// A nest of at most kLevels loops, outermost first, that moves K offsets.
template <size_t K>
class NestWalk {
 public:
  using Offsets = std::array<int64_t, K>;
  static constexpr size_t kLevels = 8;

  /// Adds an inner loop. A loop that runs once is left out; one that continues the loop around it is joined with it.
  void add_level(uint64_t count, const Offsets& strides) {
    if (count <= 1) return;
    if (size_ > 0 && goes_on(levels_[size_ - 1], count, strides)) {
      levels_[size_ - 1] = {levels_[size_ - 1].count * count, strides};
      return;
    }
    check(size_ < kLevels, "a nest of more loops than any unit has");
    levels_[size_++] = {count, strides};
  }

  /// Calls visit(const Offsets&) for every iteration in order, starting from offsets of zero.
  template <typename Visit>
  void for_each(Visit&& visit) const {
    walk(size_, visit);
  }

  /// Calls visit(const Offsets&, count, strides) for every run of the innermost loop: its first offsets, how often it
  /// runs, and what each iteration adds.
  template <typename Visit>
  void for_each_row(Visit&& visit) const {
    const Level row = size_ > 0 ? levels_[size_ - 1] : Level{};
    walk(size_ > 0 ? size_ - 1 : 0, [&](const Offsets& first) { visit(first, row.count, row.strides); });
  }

 private:
  struct Level {
    uint64_t count = 1;
    Offsets strides{};
  };

  static bool goes_on(const Level& around, uint64_t count, const Offsets& strides) {
    for (size_t k = 0; k < K; ++k) {
      if (around.strides[k] != strides[k] * static_cast<int64_t>(count)) return false;
    }
    return true;
  }

  /// The outermost `depth` loops.
  template <typename Visit>
  void walk(size_t depth, Visit&& visit) const {
    std::array<uint64_t, kLevels> index{};
    Offsets offsets{};
    while (true) {
      visit(static_cast<const Offsets&>(offsets));
      size_t level = depth;
      while (level > 0 && ++index[level - 1] == levels_[level - 1].count) {
        --level;
        index[level] = 0;
        for (size_t k = 0; k < K; ++k) {
          offsets[k] -= levels_[level].strides[k] * static_cast<int64_t>(levels_[level].count - 1);
        }
      }
      if (level == 0) return;
      for (size_t k = 0; k < K; ++k) offsets[k] += levels_[level - 1].strides[k];
    }
  }

  std::array<Level, kLevels> levels_{};
  size_t size_ = 0;
};

}  // namespace covenant::sim
