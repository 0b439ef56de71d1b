#include "compiler/srdfg/windows.h"

#include "compiler/srdfg/queries.h"

namespace covenant::compiler::srdfg {

std::array<int64_t, 2> dilations(const Node& node) {
  if (!node.attributes.contains("dilations")) return {1, 1};
  const std::vector<int64_t>& list = integers_attribute(node, "dilations");
  return {list.at(0), list.at(1)};
}

int64_t groups(const Node& node) { return node.attributes.contains("group") ? integer_attribute(node, "group") : 1; }

std::vector<float> elements_seen(const Node& pool, const std::vector<uint64_t>& x, const std::vector<uint64_t>& y) {
  const std::vector<int64_t>& kernel = integers_attribute(pool, "kernel");
  const std::vector<int64_t>& strides = integers_attribute(pool, "strides");
  const std::vector<int64_t>& pads = integers_attribute(pool, "pads");
  const std::array<int64_t, 2> gaps = dilations(pool);
  const bool counts_pads = pool.attributes.contains("count_pads");
  const auto along = [&](size_t axis, uint64_t position) {
    int64_t seen = 0;
    for (int64_t k = 0; k < kernel[axis]; ++k) {
      const int64_t at = static_cast<int64_t>(position) * strides[axis] - pads[axis] + k * gaps[axis];
      seen += counts_pads || (at >= 0 && at < static_cast<int64_t>(x[2 + axis])) ? 1 : 0;
    }
    return seen;
  };
  std::vector<float> counts;
  for (uint64_t row = 0; row < y[2]; ++row) {
    for (uint64_t column = 0; column < y[3]; ++column) {
      counts.push_back(static_cast<float>(along(0, row) * along(1, column)));
    }
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
