#include "compiler/schedule/overlaps.h"

#include <algorithm>
#include <numeric>

namespace covenant::compiler {

std::vector<size_t> written_in_order(const std::vector<int64_t>& shape, const std::vector<int64_t>& strides) {
  std::vector<size_t> around(shape.size() - 1);
  std::iota(around.begin(), around.end(), size_t{0});
  std::ranges::stable_sort(around, [&](size_t a, size_t b) { return strides[a] < strides[b]; });
  std::vector<size_t> within{shape.size() - 1};  // dimensions within the part written from one place on, innermost
                                                 // first
  std::vector<size_t> in_order;
  int64_t reach = (shape.back() - 1) * strides.back() + 1;
  for (const size_t d : around) {
    if (shape[d] == 1) continue;
    within.push_back(d);
    if (strides[d] < reach) in_order = within;
    reach += (shape[d] - 1) * strides[d];
  }
  std::ranges::reverse(in_order);
  return in_order;
}

}  // namespace covenant::compiler
