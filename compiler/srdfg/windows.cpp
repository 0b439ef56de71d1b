#include "compiler/srdfg/windows.h"

#include <algorithm>

#include "acg/base/rounding.h"
#include "compiler/srdfg/queries.h"

namespace covenant::compiler::srdfg {

std::array<int64_t, 2> dilations(const Node& node) {
  if (!node.attributes.contains("dilations")) return {1, 1};
  const std::vector<int64_t>& list = integers_attribute(node, "dilations");
  return {list.at(0), list.at(1)};
}

int64_t groups(const Node& node) { return node.attributes.contains("group") ? integer_attribute(node, "group") : 1; }

int64_t elements_inside(int64_t first, int64_t kernel, int64_t gap, int64_t extent) {
  const int64_t before = first < 0 ? ceil_divide(-first, gap) : 0;
  const int64_t reached = first < extent ? (extent - 1 - first) / gap + 1 : 0;
  return std::max<int64_t>(0, std::min(reached, kernel) - before);
}

std::vector<float> elements_seen(const Node& pool, const std::vector<uint64_t>& x, const std::vector<uint64_t>& y) {
  const std::vector<int64_t>& kernel = integers_attribute(pool, "kernel");
  const std::vector<int64_t>& strides = integers_attribute(pool, "strides");
  const std::vector<int64_t>& pads = integers_attribute(pool, "pads");
  const std::array<int64_t, 2> gaps = dilations(pool);
  const bool counts_pads = pool.attributes.contains("count_pads");
  const auto along = [&](size_t axis, uint64_t position) {
    if (counts_pads) return kernel[axis];
    const int64_t first = static_cast<int64_t>(position) * strides[axis] - pads[axis];
    return elements_inside(first, kernel[axis], gaps[axis], static_cast<int64_t>(x[2 + axis]));
  };
  std::vector<float> counts;
  for (uint64_t row = 0; row < y[2]; ++row) {
    const int64_t rows = along(0, row);
    for (uint64_t column = 0; column < y[3]; ++column) counts.push_back(static_cast<float>(rows * along(1, column)));
  }
  return counts;
}

std::optional<std::vector<uint64_t>> broadcast(const std::vector<uint64_t>& a, const std::vector<uint64_t>& b) {
  std::vector<uint64_t> shape = a.size() < b.size() ? b : a;
  const std::vector<uint64_t>& other = a.size() < b.size() ? a : b;
  const size_t before = shape.size() - other.size();
  for (size_t d = 0; d < other.size(); ++d) {
    uint64_t& size = shape[before + d];
    if (other[d] == size || other[d] == 1) continue;
    if (size != 1) return std::nullopt;
    size = other[d];
  }
  return shape;
}

bool is_one_per_channel(const std::vector<uint64_t>& shape, const std::vector<uint64_t>& image) {
  return image.size() == 4 && shape == std::vector<uint64_t>{image[0], image[1], 1, 1};
}

}  // namespace covenant::compiler::srdfg
