#include "compiler/embedding/bounds.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <span>

#include "compiler/embedding/places.h"

namespace covenant::compiler::embedding {
namespace {

/// An axis as it is known before the search, for one order of operands.
struct AxisBound {
  int64_t extent = 1;
  std::vector<size_t> places{};  ///< axes of the instruction where it may lie, if it is not banded
  std::optional<Band> band{};    ///< if it can be
  size_t columns = 0;            ///< axis of the instruction where its banded outputs lie
  size_t sums = 0;               ///< axis of the instruction where its window lies
};

int64_t quotient_up(int64_t dividend, int64_t divisor) {
  return dividend / divisor + (dividend % divisor != 0 ? 1 : 0);
}

int64_t times(int64_t a, int64_t b) {
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<int64_t>::max() : product;
}

class StepBound {
 public:
  StepBound(const Workload& workload, const Instruction& instruction) : workload_(workload) {
    for (const InstructionAxis& axis : instruction.axes) {
      sizes_.push_back(axis.size);
      is_sum_.push_back(axis.is_reduction);
    }
    for (const bool is_exchanged : {false, true}) {
      std::vector<AxisBound>& bounds = axes_[is_exchanged ? 1 : 0];
      for (const Axis& axis : workload.axes) bounds.push_back({axis.extent});
      if (!is_exchanged || instruction.commutes) place_axes(instruction, is_exchanged, bounds);
    }
  }

  int64_t operator()(const Embedding& partial, const std::vector<bool>& decided) const {
    const std::vector<AxisBound>& axes = axes_[partial.is_exchanged ? 1 : 0];
    const size_t count = axes.size() + 1;
    std::vector<int64_t> room(2 * count + sizes_.size(), 1);  // instances placed, positions placed, instances left
    const auto instances = room.begin(), positions = instances + static_cast<ptrdiff_t>(count),
               left = positions + static_cast<ptrdiff_t>(count);
    for (size_t place = 0; place < sizes_.size(); ++place) {
      for (const Factor& factor : partial.positions[place]) {
        const bool of_window = is_sum_[place] && is_banded(partial, factor.axis);
        (of_window ? positions : instances)[static_cast<ptrdiff_t>(factor.axis)] = factor.count;
      }
    }
    int64_t product = 1;
    const auto add = [&](std::span<const size_t> places, int64_t length, int64_t placed) {
      const auto open = std::ranges::find_if(places, [&](size_t place) { return !decided[place]; });
      if (open != places.end() && placed == 1) {
        int64_t& rest = left[static_cast<ptrdiff_t>(*open)];
        rest = times(rest, length);
      } else {
        product = times(product, quotient_up(length, placed));
      }
    };
    if (!partial.flat.empty()) {
      add(axes[partial.flat.front()].places, extent_of(partial, workload_, count - 1),
          instances[static_cast<ptrdiff_t>(count) - 1]);
    }
    for (size_t a = 0; a + 1 < count; ++a) {
      const auto at = static_cast<ptrdiff_t>(a);
      const AxisBound& axis = axes[a];
      if (is_tap(partial, axes, a) || std::ranges::find(partial.flat, a) != partial.flat.end()) continue;
      if (!is_banded(partial, a)) {
        add(axis.places, axis.extent, instances[at]);
        continue;
      }
      add({&axis.columns, 1}, axis.extent, instances[at]);
      const int64_t outputs = decided[axis.columns] ? instances[at] : 2;  // windows of more outputs are longer
      add({&axis.sums, 1}, axis.band.value().window(outputs, workload_), positions[at]);
    }
    for (size_t place = 0; place < sizes_.size(); ++place) {
      product = times(product, quotient_up(left[static_cast<ptrdiff_t>(place)], sizes_[place]));
    }
    return product;
  }

 private:
  void place_axes(const Instruction& instruction, bool is_exchanged, std::vector<AxisBound>& bounds) const {
    for (size_t axis = 0; axis < bounds.size(); ++axis) {
      for (size_t place = 0; place < sizes_.size(); ++place) {
        if (sizes_[place] > 1 && needs_of(workload_, instruction, is_exchanged, axis, place))
          bounds[axis].places.push_back(place);
      }
    }
    for (const Band& band : bands_of(workload_, instruction, is_exchanged)) {
      AxisBound& bound = bounds[band.axis];
      bound.band = band;
      for (size_t place = 0; place < sizes_.size(); ++place) {
        if (band.has_columns(instruction, place)) bound.columns = place;
        if (band.has_sums(instruction, place)) bound.sums = place;
      }
    }
  }

  static bool is_banded(const Embedding& embedding, size_t axis) {
    return std::ranges::find(embedding.band, axis) != embedding.band.end();
  }
  static bool is_tap(const Embedding& embedding, const std::vector<AxisBound>& axes, size_t axis) {
    return std::ranges::any_of(embedding.band, [&](size_t one) { return axes[one].band->tap == axis; });
  }

  const Workload& workload_;
  std::vector<int64_t> sizes_;
  std::vector<bool> is_sum_;
  std::array<std::vector<AxisBound>, 2> axes_;  ///< operands in order, exchanged
};

}  // namespace

LowerBound step_bound(const Workload& workload, const Instruction& instruction) {
  return [bound = std::make_shared<const StepBound>(workload, instruction)](
             const Embedding& partial, const std::vector<bool>& decided) { return (*bound)(partial, decided); };
}

Bounds fewest_steps(const Workload& workload, const Instruction& instruction) {
  return {step_bound(workload, instruction), std::numeric_limits<int64_t>::max(), true};
}

}  // namespace covenant::compiler::embedding
