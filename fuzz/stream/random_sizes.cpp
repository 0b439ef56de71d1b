#include "fuzz/stream/random_sizes.h"

namespace covenant::runtime {
namespace {

constexpr int64_t kLeast = 2, kMost = 24;

}  // namespace

std::vector<Sizes> all_sizes() {
  std::vector<Sizes> sizes;
  for (int64_t rows = kLeast; rows <= kMost; ++rows) {
    for (int64_t columns = kLeast; columns <= kMost; ++columns) {
      for (int64_t lanes = kLeast; lanes <= kMost; ++lanes) {
        if (rows == columns || rows == lanes || columns == lanes) continue;
        const bool is_multiple = lanes % columns == 0;
        const bool is_part = columns == 2 * lanes || columns == 4 * lanes;
        if (is_multiple || is_part) sizes.push_back({rows, columns, lanes});
      }
    }
  }
  return sizes;
}

std::vector<int64_t> other_lanes(const Sizes& sizes) {
  std::vector<int64_t> result;
  for (int64_t lanes = kLeast; lanes <= kMost; ++lanes) {
    if (lanes != sizes.rows && lanes != sizes.columns) result.push_back(lanes);
  }
  return result;
}

}  // namespace covenant::runtime
