#include "tests/property/embedding/brute_force.h"

#include <algorithm>
#include <cstdlib>
#include <map>

namespace covenant::test {
namespace {

using namespace compiler::embedding;
using Point = std::vector<int64_t>;

Point difference(const Point& a, const Point& b) {
  Point result(a.size());
  for (size_t i = 0; i < a.size(); ++i) result[i] = a[i] - b[i];
  return result;
}

/// A run of equal steps along one axis of the workload.
struct Direction {
  size_t axis = 0;
  int64_t distance = 1;
  int64_t length = 1;
};

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
              bool is_exchanged)
      : workload_(workload), instruction_(instruction), allowed_(allowed), points_(points_of(instruction)) {
    assignment_.is_exchanged = is_exchanged;
    assignment_.points.resize(points_.size());
    Point point(workload.axes.size(), 0);
    do {
      instances_.push_back(point);
    } while (next(point));
  }

  std::set<Assignment> run() {
    assignment_.points[0] = instances_[0];
    assign(1);
    return std::move(found_);
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
      if (is_embedding()) found_.insert(assignment_);
      return;
    }
    if (allows(Relaxation::kPad)) {
      assignment_.points[i] = std::nullopt;
      assign(i + 1);
    }
    for (const Point& instance : instances_) {
      assignment_.points[i] = instance;
      bool fits = true;
      for (size_t j = 0; j < i && fits; ++j) fits = !assignment_.points[j] || agree(i, j);
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
  bool agree(size_t i, size_t j) const {
    const Point &a = *assignment_.points[i], &b = *assignment_.points[j];
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

  bool is_embedding() const {
    std::vector<int64_t> lengths;
    std::set<size_t> used;
    for (size_t place = 0; place < instruction_.axes.size(); ++place) {
      const std::vector<Point> row = row_of(place);
      lengths.push_back(static_cast<int64_t>(row.size()));
      if (lengths.back() != instruction_.axes[place].size && !may_pad(place)) return false;
      const auto directions = directions_of(row);
      if (!directions || (directions->size() > 1 && !allows(Relaxation::kFuse))) return false;
      for (const Direction& direction : *directions) {
        if (!used.insert(direction.axis).second || !is_regular(direction)) return false;
        const int64_t extent = workload_.axes[direction.axis].extent;
        const bool is_exact = extent % (direction.distance * direction.length) == 0;
        if (!is_exact && (direction.distance != 1 || !may_pad(place))) return false;
      }
    }
    return is_box(lengths) && covers();
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
      row.push_back(*assignment_.points[i]);
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
    if (!is_regular(workload_.output, direction.axis, true)) return false;
    return std::all_of(workload_.inputs.begin(), workload_.inputs.end(),
                       [&](const Access& access) { return is_regular(access, direction.axis, false); });
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
      Point sum(workload_.axes.size(), 0);
      for (size_t place = 0; place < lengths.size(); ++place) {
        is_inside = is_inside && points_[i][place] < lengths[place];
        if (!is_inside) break;
        const Point part = row_of(place)[static_cast<size_t>(points_[i][place])];
        for (size_t axis = 0; axis < sum.size(); ++axis) sum[axis] += part[axis];
      }
      if (assignment_.points[i].has_value() != is_inside) return false;
      if (is_inside && *assignment_.points[i] != sum) return false;
    }
    return true;
  }

  /// True if translates do each instance once: the first one that is not done must be the first of a translate.
  bool covers() const {
    std::set<Point> done;
    for (const Point& origin : instances_) {
      if (done.contains(origin)) continue;
      for (const auto& point : assignment_.points) {
        if (!point) continue;
        Point moved(origin);
        bool is_inside = true;
        for (size_t axis = 0; axis < moved.size(); ++axis) {
          moved[axis] += (*point)[axis];
          is_inside = is_inside && moved[axis] < workload_.axes[axis].extent;
        }
        if (is_inside && !done.insert(moved).second) return false;
        if (!is_inside && !allows(Relaxation::kPad)) return false;
      }
    }
    return true;
  }

  const Workload& workload_;
  const Instruction& instruction_;
  const std::set<Relaxation>& allowed_;
  std::vector<Point> points_;
  std::vector<Point> instances_;
  Assignment assignment_;
  std::set<Assignment> found_;
};

/// Directions by place and axis of the workload.
using Form = std::map<std::pair<size_t, size_t>, Direction>;

Form form_of(const Assignment& assignment, const Instruction& instruction) {
  const std::vector<Point> points = points_of(instruction);
  Form form;
  for (size_t place = 0; place < instruction.axes.size(); ++place) {
    std::vector<Point> row;
    for (size_t i = 0; i < points.size(); ++i) {
      Point others = points[i];
      others[place] = 0;
      if (others == points[0] && assignment.points[i]) row.push_back(*assignment.points[i]);
    }
    const auto directions = directions_of(row);
    for (const Direction& direction : *directions) form[{place, direction.axis}] = direction;
  }
  return form;
}

bool is_larger(const Form& larger, const Form& form) {
  for (const auto& [key, direction] : larger) {
    const auto own = form.find(key);
    if (own == form.end() ? direction.distance != 1
                          : own->second.distance != direction.distance || own->second.length > direction.length) {
      return false;
    }
  }
  const auto lengths = [](const Form& of) {
    int64_t sum = 0;
    for (const auto& [key, direction] : of) sum += direction.length;
    return sum;
  };
  const bool has_all =
      std::all_of(form.begin(), form.end(), [&](const auto& one) { return larger.contains(one.first); });
  return has_all && lengths(larger) > lengths(form);
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

std::set<Assignment> all_assignments(const Workload& workload, const Instruction& instruction,
                                     const std::set<Relaxation>& allowed) {
  std::set<Assignment> all = Enumeration(workload, instruction, allowed, false).run();
  if (instruction.commutes && allowed.contains(Relaxation::kExchange)) {
    all.merge(Enumeration(workload, instruction, allowed, true).run());
  }
  return all;
}

std::set<Assignment> full_ones(const std::set<Assignment>& all, const Instruction& instruction) {
  std::vector<std::pair<const Assignment*, Form>> forms;
  for (const Assignment& one : all) forms.emplace_back(&one, form_of(one, instruction));
  std::set<Assignment> full;
  for (const auto& [assignment, form] : forms) {
    const bool is_full = std::none_of(forms.begin(), forms.end(), [&](const auto& other) {
      return other.first->is_exchanged == assignment->is_exchanged && is_larger(other.second, form);
    });
    if (is_full) full.insert(*assignment);
  }
  return full;
}

}  // namespace covenant::test
