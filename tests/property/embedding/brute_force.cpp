#include "tests/property/embedding/brute_force.h"

#include <algorithm>
#include <cstdlib>
#include <map>

namespace covenant::test {
namespace {

using namespace compiler::embedding;
Point difference(const Point& a, const Point& b) {
  Point result(a.size());
  for (size_t i = 0; i < a.size(); ++i) result[i] = a[i] - b[i];
  return result;
}

/// The directions of a row of points that form a hyper-rectangle in lexicographic order, innermost first, as in Fig. 3
/// of the paper: the longest run of the first step, repeated along further directions.
std::optional<std::vector<Direction>> directions_of(std::vector<Point> row) {
  std::vector<Direction> directions;
  while (row.size() > 1) {
    const Point step = difference(row[1], row[0]);
    const auto moves = std::count_if(step.begin(), step.end(), [](int64_t part) { return part != 0; });
    if (moves != 1) return std::nullopt;
    const auto axis = static_cast<size_t>(
        std::find_if(step.begin(), step.end(), [](int64_t part) { return part != 0; }) - step.begin());
    if (step[axis] < 0) return std::nullopt;
    size_t run = 1;
    while (run < row.size() && difference(row[run], row[run - 1]) == step) ++run;
    if (row.size() % run != 0) return std::nullopt;
    std::vector<Point> outer;
    for (size_t i = 0; i < row.size(); ++i) {
      Point expected = row[i / run * run];
      expected[axis] += static_cast<int64_t>(i % run) * step[axis];
      if (row[i] != expected) return std::nullopt;
      if (i % run == 0) outer.push_back(row[i]);
    }
    for (const Direction& other : directions) {
      if (other.axis == axis) return std::nullopt;
    }
    directions.push_back({axis, step[axis], static_cast<int64_t>(run)});
    row = outer;
  }
  return directions;
}

class Enumeration {
 public:
  Enumeration(const Workload& workload, const Instruction& instruction, const std::set<Relaxation>& allowed,
              bool is_exchanged, std::vector<size_t> flat)
      : workload_(workload),
        instruction_(instruction),
        allowed_(allowed),
        flat_(std::move(flat)),
        points_(points_of(instruction)) {
    assignment_.is_exchanged = is_exchanged;
    assignment_.points.resize(points_.size());
    Point point(workload.axes.size(), 0);
    do {
      instances_.push_back(point);
    } while (next(point));
  }

  std::vector<std::pair<Assignment, Form>> run() {
    assignment_.points[0] = instances_[0];
    assign(1);
    return found_;
  }

 private:
  bool allows(Relaxation relaxation) const { return allowed_.contains(relaxation); }

  bool next(Point& point) const {
    for (size_t a = point.size(); a-- > 0;) {
      if (++point[a] < workload_.axes[a].extent) return true;
      point[a] = 0;
    }
    return false;
  }

  const Access& input(size_t i) const { return workload_.inputs[assignment_.is_exchanged && i < 2 ? 1 - i : i]; }

  void assign(size_t i) {
    if (i == points_.size()) {
      if (is_embedding()) found_.emplace_back(assignment_, form_);
      return;
    }
    if (allows(Relaxation::kPad)) {
      assignment_.points[i] = std::nullopt;
      assign(i + 1);
    }
    for (const Point& instance : instances_) {
      assignment_.points[i] = instance;
      bool fits = true;
      for (size_t j = 0; j < i && fits; ++j) fits = agree(i, j, assignment_.points);
      if (fits) assign(i + 1);
    }
    assignment_.points[i] = std::nullopt;
  }

  static Point element(const Access& access, const Point& instance) {
    Point element;
    for (const AffineIndex& index : access.indices) element.push_back(index.at(instance));
    return element;
  }

  bool same_element(const InstructionOperand& operand, size_t i, size_t j) const {
    return std::all_of(operand.axes.begin(), operand.axes.end(),
                       [&](size_t axis) { return points_[i][axis] == points_[j][axis]; });
  }

  /// The graph's edges: two instances share elements as those of the instruction do.
  bool agree(size_t i, size_t j, const std::vector<std::optional<Point>>& points) const {
    if (!points[i] || !points[j]) return true;
    const Point &a = *points[i], &b = *points[j];
    if (a == b) return false;
    if (same_element(instruction_.output, i, j) != (element(workload_.output, a) == element(workload_.output, b))) {
      return false;
    }
    const Point moved = difference(a, b);
    const bool is_along_one = std::count_if(moved.begin(), moved.end(), [](int64_t part) { return part != 0; }) == 1;
    for (size_t o = 0; o < instruction_.inputs.size(); ++o) {
      const Access& access = input(o);
      if (access.tensor.empty()) continue;
      const bool is_shared = element(access, a) == element(access, b);
      if (same_element(instruction_.inputs[o], i, j)) {
        if (!is_shared) return false;
      } else if (is_shared) {
        // Copies in memory: constants, and taps that reach the same element from two sides.
        const bool is_copy = access.is_constant || !is_along_one;
        if (!allows(Relaxation::kUnroll) || !is_copy) return false;
      }
    }
    return true;
  }

  bool is_embedding() {
    std::vector<int64_t> lengths;
    std::set<size_t> used;
    form_ = {flat_, {}};
    for (size_t place = 0; place < instruction_.axes.size(); ++place) {
      const std::vector<Point> row = row_of(place);
      lengths.push_back(static_cast<int64_t>(row.size()));
      if (lengths.back() != instruction_.axes[place].size && !may_pad(place)) return false;
      const auto directions = directions_of(row);
      if (!directions || (directions->size() > 1 && !allows(Relaxation::kFuse))) return false;
      for (const Direction& direction : *directions) {
        if (!used.insert(direction.axis).second || !is_regular(direction)) return false;
        const bool is_one = direction.axis == workload_.axes.size();
        if (is_one && !std::all_of(flat_.begin(), flat_.end(), [&](size_t axis) { return lies_along(axis, place); })) {
          return false;
        }
        const bool is_exact = extent_of(direction.axis) % (direction.distance * direction.length) == 0;
        if (!is_exact && (direction.distance != 1 || !may_pad(place))) return false;
        form_.places[{place, direction.axis}] = direction;
      }
    }
    return (flat_.empty() || used.contains(workload_.axes.size())) && is_box(lengths) && covers();
  }

  /// True if two instances along the axis share elements as two along the axis of the instruction do: what is counted
  /// as one could be placed alone, too.
  bool lies_along(size_t axis, size_t place) const {
    Point next(workload_.axes.size(), 0);
    next[axis] = 1;
    const auto is_shared = [&](const Access& access) {
      return element(access, next) == element(access, instances_[0]);
    };
    if (is_shared(workload_.output) == instruction_.output.mentions(place)) return false;
    for (size_t o = 0; o < instruction_.inputs.size(); ++o) {
      if (input(o).tensor.empty() || is_shared(input(o)) != instruction_.inputs[o].mentions(place)) continue;
      if (!is_shared(input(o)) || !input(o).is_constant || !allows(Relaxation::kUnroll)) return false;
    }
    return true;
  }

  int64_t extent_of(size_t axis) const {
    if (axis < workload_.axes.size()) return workload_.axes[axis].extent;
    int64_t product = 1;
    for (const size_t member : flat_) product *= workload_.axes[member].extent;
    return product;
  }

  /// The point with its flat axes counted as one, at the end.
  Point counted(const Point& point) const {
    Point result = point;
    result.push_back(0);
    for (const size_t member : flat_) {
      result.back() = result.back() * workload_.axes[member].extent + point[member];
      result[member] = 0;
    }
    return result;
  }

  /// Points along one axis of the instruction, up to the first idle place.
  std::vector<Point> row_of(size_t place) const {
    std::vector<Point> row;
    for (size_t i = 0; i < points_.size(); ++i) {
      bool is_on_axis = true;
      for (size_t axis = 0; axis < points_[i].size(); ++axis)
        is_on_axis = is_on_axis && (axis == place || points_[i][axis] == 0);
      if (!is_on_axis) continue;
      if (!assignment_.points[i]) break;
      row.push_back(counted(*assignment_.points[i]));
    }
    return row;
  }

  /// Sums are right if what is idle is multiplied by zeros.
  bool may_pad(size_t place) const {
    if (!allows(Relaxation::kPad)) return false;
    if (!instruction_.axes[place].is_reduction) return true;
    for (size_t o = 0; o < instruction_.inputs.size(); ++o) {
      if (instruction_.inputs[o].mentions(place) && input(o).is_constant && !input(o).tensor.empty()) return true;
    }
    return false;
  }

  bool is_regular(const Direction& direction) const {
    if (direction.distance != 1 && !allows(Relaxation::kStrided)) return false;
    const bool is_one = direction.axis == workload_.axes.size();
    if (is_one && direction.distance != 1) return false;
    const std::vector<size_t> axes = is_one ? flat_ : std::vector<size_t>{direction.axis};
    return std::all_of(axes.begin(), axes.end(), [&](size_t axis) {
      return is_regular(workload_.output, axis, true) &&
             std::all_of(workload_.inputs.begin(), workload_.inputs.end(),
                         [&](const Access& access) { return is_regular(access, axis, false); });
    });
  }
  bool is_regular(const Access& access, size_t axis, bool is_output) const {
    int dimensions = 0;
    for (const AffineIndex& index : access.indices) {
      if (!index.mentions(axis)) continue;
      ++dimensions;
      if (std::abs(index.coefficients[axis]) != 1 && !allows(Relaxation::kStrided)) return false;
      for (size_t other = 0; other < workload_.axes.size(); ++other) {
        const bool is_shared = other != axis && index.mentions(other) && workload_.axes[other].extent > 1;
        if (is_shared && (is_output || !allows(Relaxation::kUnroll))) return false;
      }
    }
    return dimensions < 2;
  }

  /// True if each point is the sum of those on the axes, and exactly what is past their ends is idle.
  bool is_box(const std::vector<int64_t>& lengths) const {
    for (size_t i = 0; i < points_.size(); ++i) {
      bool is_inside = true;
      Point sum(workload_.axes.size() + 1, 0);
      for (size_t place = 0; place < lengths.size(); ++place) {
        is_inside = is_inside && points_[i][place] < lengths[place];
        if (!is_inside) break;
        const Point part = row_of(place)[static_cast<size_t>(points_[i][place])];
        for (size_t axis = 0; axis < sum.size(); ++axis) sum[axis] += part[axis];
      }
      if (assignment_.points[i].has_value() != is_inside) return false;
      if (is_inside && counted(*assignment_.points[i]) != sum) return false;
    }
    return true;
  }

  /// True if translates do each instance once, and instances of each share elements as the instruction's do: the first
  /// instance that is not done must be the first of a translate.
  bool covers() {
    std::map<Point, Point> open;
    for (const Point& instance : instances_) open[counted(instance)] = instance;
    std::vector<std::optional<Point>> moved;
    for (const auto& point : assignment_.points) {
      moved.push_back(point ? std::optional(counted(*point)) : std::nullopt);
    }
    assignment_.steps.clear();
    while (!open.empty()) {
      const Point origin = open.begin()->first;
      std::vector<std::optional<Point>> step(points_.size());
      std::set<Point> done;
      for (size_t i = 0; i < moved.size(); ++i) {
        if (!moved[i]) continue;
        Point point = origin;
        bool is_inside = true;
        for (size_t axis = 0; axis < point.size(); ++axis) {
          point[axis] += (*moved[i])[axis];
          is_inside = is_inside && point[axis] < extent_of(axis);
        }
        if (!is_inside && !allows(Relaxation::kPad)) return false;
        if (!is_inside) continue;
        const auto instance = open.find(point);
        if (instance == open.end()) return false;
        step[i] = instance->second;
        done.insert(instance->second);
        open.erase(instance);
      }
      for (size_t i = 0; i < step.size(); ++i) {
        for (size_t j = 0; j < i; ++j) {
          if (!agree(i, j, step)) return false;
        }
      }
      assignment_.steps.insert(done);
    }
    return true;
  }

  const Workload& workload_;
  const Instruction& instruction_;
  const std::set<Relaxation>& allowed_;
  std::vector<size_t> flat_;
  std::vector<Point> points_;
  std::vector<Point> instances_;
  Assignment assignment_;
  Form form_;
  std::vector<std::pair<Assignment, Form>> found_;
};

bool is_larger(const Form& larger, const Form& form) {
  int64_t lengths = 0;
  if (larger.flat != form.flat) return false;
  for (const auto& [key, direction] : larger.places) {
    const auto own = form.places.find(key);
    if (own == form.places.end()
            ? direction.distance != 1
            : own->second.distance != direction.distance || own->second.length > direction.length) {
      return false;
    }
    lengths += direction.length;
  }
  for (const auto& [key, direction] : form.places) {
    if (!larger.places.contains(key)) return false;
    lengths -= direction.length;
  }
  return lengths > 0;
}

/// Choices of axes that are counted as one: none, then two or more.
std::vector<std::vector<size_t>> flat_choices(const Workload& workload, bool may_fuse) {
  std::vector<std::vector<size_t>> choices{{}};
  for (size_t size = 2; may_fuse && size <= workload.axes.size(); ++size) {
    for (uint32_t choice = 0; choice >> workload.axes.size() == 0; ++choice) {
      std::vector<size_t> flat;
      bool is_long = true;
      for (size_t axis = 0; axis < workload.axes.size(); ++axis) {
        if ((choice >> axis & 1U) == 0) continue;
        flat.push_back(axis);
        is_long = is_long && workload.axes[axis].extent > 1;
      }
      if (flat.size() == size && is_long) choices.push_back(flat);
    }
  }
  return choices;
}

}  // namespace

std::vector<Point> points_of(const Instruction& instruction) {
  std::vector<Point> points{{}};
  for (const InstructionAxis& axis : instruction.axes) {
    std::vector<Point> longer;
    for (const Point& point : points) {
      for (int64_t at = 0; at < axis.size; ++at) {
        longer.push_back(point);
        longer.back().push_back(at);
      }
    }
    points = longer;
  }
  return points;
}

std::map<Assignment, std::vector<Form>> all_assignments(const Workload& workload, const Instruction& instruction,
                                                        const std::set<Relaxation>& allowed) {
  std::map<Assignment, std::vector<Form>> all;
  for (const bool is_exchanged : {false, true}) {
    if (is_exchanged && !(instruction.commutes && allowed.contains(Relaxation::kExchange))) continue;
    for (const std::vector<size_t>& flat : flat_choices(workload, allowed.contains(Relaxation::kFuse))) {
      for (const auto& [one, form] : Enumeration(workload, instruction, allowed, is_exchanged, flat).run()) {
        all[one].push_back(form);
      }
    }
  }
  return all;
}

std::set<Assignment> full_ones(const std::map<Assignment, std::vector<Form>>& all) {
  std::set<Assignment> full;
  for (const auto& [assignment, forms] : all) {
    const bool is_full =
        std::none_of(all.begin(), all.end(), [&, &assignment = assignment, &forms = forms](const auto& other) {
          return other.first.is_exchanged == assignment.is_exchanged &&
                 std::any_of(other.second.begin(), other.second.end(),
                             [&](const Form& form) { return is_larger(form, forms.front()); });
        });
    if (is_full) full.insert(assignment);
  }
  return full;
}

}  // namespace covenant::test
