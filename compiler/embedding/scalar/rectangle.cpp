#include "compiler/embedding/scalar/rectangle.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace covenant::compiler::embedding::scalar {
namespace {

/// One side of a hyper-rectangle: points along a dimension.
struct Side {
  size_t dimension = 0;
  int64_t stride = 1;
  int64_t length = 1;  ///< of the outermost side: points seen so far
};

/// The hyper-rectangle that points make one after the other: `DimTable` and `LiveTable` of Figure 3. A move within the
/// known sides is a step or a jump that was seen before; any other one must open a new side.
class Sides {
 public:
  Sides(int64_t total, bool is_dense) : total_(total), is_dense_(is_dense) {}

  /// False if no hyper-rectangle goes on with this point.
  bool add(const Tuple& point) {
    if (seen_ == 0) {
      first_ = point;
      seen_ = 1;
      return true;
    }
    const bool is_added = is_next(point) || opens_side(point);
    ++seen_;
    return is_added;
  }

  Box bounding_box(const Box& whole) const {
    Box box = whole;
    const int64_t rest = total_ / inner_;  // points for the outermost side, and for sides to come
    for (size_t i = 0; i < first_.size(); ++i) box.ranges[i] = new_side(i, whole.ranges[i], points_of_new_sides());
    for (const Side& side : sides_) {
      const int64_t first = first_[side.dimension];
      const int64_t most = (whole.ranges[side.dimension].last() - first) / side.stride + 1;
      box.ranges[side.dimension] = {first, &side == &sides_.back() ? std::min(rest, most) : side.length, side.stride};
    }
    return box;
  }

 private:
  /// The outermost side goes on, or an inner one within it.
  bool is_next(const Tuple& point) {
    if (sides_.empty()) return false;
    Tuple expected = first_;
    int64_t position = seen_;
    for (Side& side : sides_) {
      const bool is_outermost = &side == &sides_.back();
      const int64_t step = is_outermost ? position : position % side.length;
      expected[side.dimension] += step * side.stride;
      position /= side.length;
    }
    if (expected != point) return false;
    sides_.back().length = seen_ / inner_ + 1;
    return true;
  }

  /// The outermost side so far is complete, and the point is the second one along a dimension that has no side yet.
  bool opens_side(const Tuple& point) {
    std::optional<size_t> dimension;
    for (size_t i = 0; i < point.size(); ++i) {
      if (point[i] == first_[i]) continue;
      if (dimension) return false;
      dimension = i;
    }
    if (!dimension || point[*dimension] < first_[*dimension]) return false;
    const int64_t stride = point[*dimension] - first_[*dimension];
    if (is_dense_ && stride != 1) return false;
    if (std::ranges::find(sides_, *dimension, &Side::dimension) != sides_.end()) return false;
    // All points so far are whole rows, and fill the hyper-rectangle a whole number of times, at least twice.
    if (seen_ % inner_ != 0 || total_ % seen_ != 0) return false;
    if (!sides_.empty()) inner_ = seen_;
    sides_.push_back({*dimension, stride, 2});
    return true;
  }

  /// The most points along dimensions that have no side yet: what is left when the outermost side is as short as it may
  /// be (Equation 10).
  int64_t points_of_new_sides() const {
    const int64_t rest = total_ / inner_;
    if (sides_.empty()) return rest;
    int64_t length = sides_.back().length;
    while (rest % length != 0) ++length;
    return rest / length;
  }

  Range new_side(size_t dimension, const Range& whole, int64_t points) const {
    const int64_t first = first_[dimension];
    if (points == 1) return {first, 1, 1};
    return {first, is_dense_ ? points : whole.last() - first + 1, 1};
  }

  int64_t total_;
  bool is_dense_;
  int64_t seen_ = 0;
  int64_t inner_ = 1;  ///< points of all sides but the outermost one
  Tuple first_;
  std::vector<Side> sides_;
};

/// The values of a sum's variable whose elements lie in the box. Dimensions of other indices than one axis say nothing.
Box instances_in(const Problem& problem, const Box& elements) {
  Box box = problem.instances;
  const Indices& indices = problem.workload.output.indices;
  for (size_t i = 0; i < indices.size(); ++i) {
    const auto is_axis = [](int64_t coefficient) { return coefficient != 0; };
    const auto axis = std::ranges::find_if(indices[i].coefficients, is_axis);
    if (std::ranges::count_if(indices[i].coefficients, is_axis) != 1 || *axis != 1) continue;
    Range range = elements.ranges[i];
    range.first -= indices[i].offset;
    box.ranges[static_cast<size_t>(axis - indices[i].coefficients.begin())] = range;
  }
  return box;
}

/// Elements of the variables at the beginning that are assigned.
template <typename ElementOf>
std::vector<Tuple> first_elements(const Store& store, const Nodes& nodes, const ElementOf& element) {
  std::vector<Tuple> points;
  for (size_t variable = nodes.first; variable < nodes.end() && store.is_assigned(variable); ++variable) {
    points.push_back(element(store.value(variable)));
  }
  return points;
}

/// `box` holds values of all variables.
bool keep_all(Store& store, const Nodes& nodes, const Box& box) {
  for (size_t variable = nodes.first; variable < nodes.end(); ++variable) {
    if (!store.keep(variable, box)) return false;
  }
  return true;
}

}  // namespace

std::optional<Box> bounding_box(std::span<const Tuple> points, int64_t total, bool is_dense, const Box& whole) {
  if (points.empty()) return whole;
  Sides sides(total, is_dense);
  for (const Tuple& point : points) {
    if (!sides.add(point)) return std::nullopt;
  }
  return sides.bounding_box(whole);
}

bool propagate_output_rectangle(const Problem& problem, Store& store) {
  const Nodes& nodes = problem.graph.sums;
  const std::vector<Tuple> points =
      first_elements(store, nodes, [&](const Tuple& value) { return output_element(problem, value); });
  const Box whole = elements_of(problem.workload.output.indices, problem.instances);
  const std::optional<Box> box = bounding_box(points, static_cast<int64_t>(nodes.count), problem.rules.is_dense, whole);
  if (!box) return false;
  return keep_all(store, nodes, problem.sums == SumDomain::kInstances ? instances_in(problem, *box) : *box);
}

bool propagate_input_rectangle(const Problem& problem, Store& store, size_t input) {
  const Nodes& nodes = problem.graph.inputs[input];
  const std::vector<Tuple> points = first_elements(store, nodes, [](const Tuple& value) { return value; });
  const std::optional<Box> box =
      bounding_box(points, static_cast<int64_t>(nodes.count), problem.rules.is_dense, problem.inputs[input]);
  return box && keep_all(store, nodes, *box);
}

}  // namespace covenant::compiler::embedding::scalar
