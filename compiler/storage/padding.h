/// Storages of images with padding around them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "compiler/storage/storage.h"

namespace covenant::compiler {

/// Dimensions of an image [N,C,H,W].
inline constexpr size_t kChannelAxis = 1, kRowAxis = 2, kColumnAxis = 3;

/// Pixels on each side of an image.
struct Room {
  std::array<uint64_t, 2> before{}, after{};  ///< for rows, for columns
  bool is_any() const { return before[0] + before[1] + after[0] + after[1] > 0; }
  void grow(const Room& other) {
    for (size_t i = 0; i < 2; ++i) {
      before[i] = std::max(before[i], other.before[i]);
      after[i] = std::max(after[i], other.after[i]);
    }
  }
};

/// Adjacent pixels, each with its channels alone.
bool has_adjacent_pixels(const Storage& image);

/// The image, channels last, with room around it and `channels` from one pixel to the next. The room is filled.
Storage padded(const Storage& image, const Room& room, uint64_t channels);

/// The image with adjacent channels and pixels, in rows whose padding is whole groups of `pixels`: each group has the
/// same offset within a vector as the first one.
Storage with_dense_channels(const Storage& image, uint64_t pixels);

}  // namespace covenant::compiler
