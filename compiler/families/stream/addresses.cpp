#include "compiler/families/stream/addresses.h"

#include "acg/base/check.h"

namespace covenant::compiler::stream {
Layout row_major(const std::vector<int64_t>& shape, int64_t element_bits) {
  Layout layout{shape, std::vector<int64_t>(shape.size()), element_bits};
  int64_t stride = element_bits;
  for (size_t i = shape.size(); i-- > 0;) {
    layout.strides[i] = stride;
    stride *= shape[i];
  }
  return layout;
}

Affine affine(const codelet::Expression& index, const std::vector<LoopRange>& loops) {
  Affine result{index.offset(), std::vector<int64_t>(loops.size())};
  for (size_t i = 0; i < loops.size(); ++i) {
    const int64_t factor = index.coefficient(loops[i].variable);
    result.base += factor * loops[i].lower;
    result.strides[i] = loops[i].trips > 1 ? factor * loops[i].step : 0;
  }
  return result;
}

Bounds bounds(const Affine& value, const std::vector<LoopRange>& loops) {
  Bounds result{value.base, value.base};
  for (size_t i = 0; i < loops.size(); ++i) {
    const int64_t reach = value.strides[i] * (static_cast<int64_t>(loops[i].trips) - 1);
    (reach < 0 ? result.lowest : result.highest) += reach;
  }
  return result;
}

Affine address(const Layout& layout, const std::vector<codelet::Expression>& indices,
               const std::vector<LoopRange>& loops) {
  Affine result{0, std::vector<int64_t>(loops.size())};
  check(indices.empty() || indices.size() == layout.shape.size(), "one index per dimension");
  for (size_t dimension = 0; dimension < indices.size(); ++dimension) {
    const Affine index = affine(indices[dimension], loops);
    result.base += index.base * layout.strides[dimension];
    for (size_t i = 0; i < loops.size(); ++i) result.strides[i] += index.strides[i] * layout.strides[dimension];
  }
  return result;
}

}  // namespace covenant::compiler::stream
