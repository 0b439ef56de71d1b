#include "compiler/embedding/scalar/affine.h"

#include <algorithm>
#include <optional>

namespace covenant::compiler::embedding::scalar {
namespace {

/// Lowest and highest value of an index.
Range values_of(const AffineIndex& index, const Box& instances) {
  int64_t lowest = index.offset;
  int64_t highest = index.offset;
  for (size_t axis = 0; axis < instances.ranges.size(); ++axis) {
    const int64_t coefficient = index.coefficients[axis];
    const Range& range = instances.ranges[axis];
    lowest += coefficient * (coefficient >= 0 ? range.first : range.last());
    highest += coefficient * (coefficient >= 0 ? range.last() : range.first);
  }
  return {lowest, highest - lowest + 1, 1};
}

/// Narrows a box, dimension after dimension of the element, until all of its instances belong to the element.
class Solver {
 public:
  Solver(const Indices& indices, const Tuple& element, std::vector<Box>& parts)
      : indices_(indices), element_(element), parts_(parts) {}

  void solve(size_t dimension, const Box& box) {
    if (dimension == element_.size()) {
      parts_.push_back(box);
      return;
    }
    const AffineIndex& index = indices_[dimension];
    if (!values_of(index, box).contains(element_[dimension])) return;
    const std::vector<size_t> open = open_axes(index, box);
    if (open.empty()) {
      solve(dimension + 1, box);
    } else if (open.size() == 1) {
      solve_axis(dimension, open.front(), box);
    } else {
      split(dimension, open.back(), box);
    }
  }

 private:
  /// Axes with several values that the index depends on, the longest first.
  static std::vector<size_t> open_axes(const AffineIndex& index, const Box& box) {
    std::vector<size_t> open;
    for (size_t axis = 0; axis < box.ranges.size(); ++axis) {
      if (index.coefficients[axis] != 0 && box.ranges[axis].count > 1) open.push_back(axis);
    }
    std::ranges::stable_sort(open, std::greater{}, [&](size_t axis) { return box.ranges[axis].count; });
    return open;
  }

  void solve_axis(size_t dimension, size_t axis, const Box& box) {
    const AffineIndex& index = indices_[dimension];
    int64_t rest = element_[dimension] - index.offset;
    for (size_t other = 0; other < box.ranges.size(); ++other) {
      if (other != axis) rest -= index.coefficients[other] * box.ranges[other].first;
    }
    if (rest % index.coefficients[axis] != 0) return;
    const int64_t value = rest / index.coefficients[axis];
    if (!box.ranges[axis].contains(value)) return;
    Box solved = box;
    solved.ranges[axis] = {value, 1, 1};
    solve(dimension + 1, solved);
  }

  void split(size_t dimension, size_t axis, const Box& box) {
    Box one = box;
    for (int64_t step = 0; step < box.ranges[axis].count; ++step) {
      one.ranges[axis] = {box.ranges[axis].first + step * box.ranges[axis].stride, 1, 1};
      solve(dimension, one);
    }
  }

  const Indices& indices_;
  const Tuple& element_;
  std::vector<Box>& parts_;
};

}  // namespace

Tuple element_of(const Indices& indices, const Tuple& instance) {
  Tuple element;
  element.reserve(indices.size());
  for (const AffineIndex& index : indices) element.push_back(index.at(instance));
  return element;
}

void append_instances(const Indices& indices, const Tuple& element, const Box& within, std::vector<Box>& parts) {
  for (size_t i = 0; i < element.size(); ++i) {
    if (!values_of(indices[i], within).contains(element[i])) return;  // the usual case in a search, made cheap
  }
  Solver(indices, element, parts).solve(0, within);
}

Box elements_of(const Indices& indices, const Box& instances) {
  Box box;
  for (const AffineIndex& index : indices) box.ranges.push_back(values_of(index, instances));
  return box;
}

}  // namespace covenant::compiler::embedding::scalar
