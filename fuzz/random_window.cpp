#include "fuzz/random_window.h"

namespace covenant::runtime {

RandomWindow random_window(Draw& draw, const std::vector<uint64_t>& image, int64_t largest, int64_t most_stride,
                           int64_t most_gap) {
  RandomWindow result{{1, 1}, {1, 1}, {0, 0, 0, 0}, {1, 1}, {0, 0}};
  for (size_t axis = 0; axis < 2; ++axis) {
    const int64_t kernel = draw.between(1, largest);
    const int64_t gap = most_gap > 1 ? draw.between(1, most_gap) : 1;
    result.strides[axis] = draw.between(1, most_stride);
    result.dilations[axis] = gap;
    for (size_t side = 0; side < 2; ++side) result.pads[axis + 2 * side] = draw.between(0, (kernel - 1) * gap);
    const int64_t padded = static_cast<int64_t>(image[2 + axis]) + result.pads[axis] + result.pads[axis + 2];
    const bool fits = (kernel - 1) * gap < padded;
    result.kernel[axis] = fits ? kernel : (padded - 1) / gap + 1;
    const int64_t reach = (result.kernel[axis] - 1) * gap + 1;
    result.shape[axis] = static_cast<uint64_t>((padded - reach) / result.strides[axis] + 1);
  }
  return result;
}

}  // namespace covenant::runtime
