/// Walking a loop nest with several addresses at once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace covenant::sim {

/// A nest of loops, outermost first, that moves K offsets.
template <size_t K>
class NestWalk {
 public:
  using Offsets = std::array<int64_t, K>;

  /// Adds an inner loop; one that runs once is left out.
  void add_level(uint32_t count, const Offsets& strides) {
    if (count > 1) levels_.push_back({count, strides});
  }

  /// Calls visit(const Offsets&) for every iteration in order, starting from offsets of zero.
  template <typename Visit>
  void for_each(Visit&& visit) const {
    std::vector<uint32_t> index(levels_.size(), 0);
    Offsets offsets{};
    while (true) {
      visit(static_cast<const Offsets&>(offsets));
      size_t depth = levels_.size();
      while (depth > 0 && ++index[depth - 1] == levels_[depth - 1].count) {
        --depth;
        index[depth] = 0;
        for (size_t k = 0; k < K; ++k) {
          offsets[k] -= levels_[depth].strides[k] * static_cast<int64_t>(levels_[depth].count - 1);
        }
      }
      if (depth == 0) return;
      for (size_t k = 0; k < K; ++k) offsets[k] += levels_[depth - 1].strides[k];
    }
  }

 private:
  struct Level {
    uint32_t count = 1;
    Offsets strides{};
  };
  std::vector<Level> levels_;
};

}  // namespace covenant::sim
