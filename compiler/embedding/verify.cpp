#include "compiler/embedding/verify.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

#include "compiler/codelet/diagnose.h"

namespace covenant::compiler::embedding {
namespace {

/// The element that an instance accesses: `x[0,2,0,3]`.
std::vector<int64_t> element_of(const Access& access, const std::vector<int64_t>& point) {
  std::vector<int64_t> element;
  for (const AffineIndex& index : access.indices) element.push_back(index.at(point));
  return element;
}

class Verifier {
 public:
  Verifier(const Embedding& embedding, const Workload& workload, const Instruction& instruction)
      : embedding_(embedding), workload_(workload), instruction_(instruction) {}

  Status run() {
    using Check = Status (Verifier::*)();
    for (const Check step : {&Verifier::check_form, &Verifier::check_flat, &Verifier::check_bands,
                             &Verifier::check_factors, &Verifier::check_zeros, &Verifier::check_sharing}) {
      if (const Status done = (this->*step)(); !done) return done.error();
    }
    return Done{};
  }

 private:
  Status check_form() {
    if (embedding_.positions.size() != instruction_.axes.size() ||
        workload_.inputs.size() != instruction_.inputs.size()) {
      return refuse("the instruction has other axes or operands", std::to_string(embedding_.positions.size()),
                    {std::to_string(instruction_.axes.size())}, "embed into the instruction that the workload matches");
    }
    if (embedding_.is_exchanged && !instruction_.commutes) {
      return refuse("operands cannot change places in this function", instruction_.compute, {},
                    "leave out 'exchanged'");
    }
    return Done{};
  }

  Status check_flat() {
    const size_t one = workload_.axes.size();
    for (size_t member = 0; member < embedding_.flat.size(); ++member) {
      const size_t axis = embedding_.flat[member];
      const bool is_placed = std::ranges::any_of(embedding_.positions, [&](const std::vector<Factor>& factors) {
        return std::ranges::find(factors, axis, &Factor::axis) != factors.end();
      });
      const bool is_again = std::ranges::count(embedding_.flat, axis) > 1;
      if (is_placed || is_again || std::ranges::count(embedding_.band, axis) > 0) {
        return refuse("an axis of the workload is placed twice", workload_.axes[axis].name, {"once"}, "place it once");
      }
    }
    if (!embedding_.flat.empty() && (embedding_.flat.size() < 2 || places_of(one) != 1)) {
      return refuse("axes that are counted as one are a single axis, or stand in several places",
                    workload_.axes[embedding_.flat.front()].name, {"two axes or more, in one place"},
                    "leave out the parentheses");
    }
    return Done{};
  }

  int64_t places_of(size_t axis) const {
    int64_t places = 0;
    for (const std::vector<Factor>& factors : embedding_.positions) {
      places += std::ranges::count(factors, axis, &Factor::axis);
    }
    return places;
  }

  std::string name_of_axis(size_t axis) const {
    return axis < workload_.axes.size() ? workload_.axes[axis].name
                                        : "(" + workload_.axes[embedding_.flat[0]].name + " ...)";
  }

  Status check_bands() {
    std::vector<std::string> names;
    for (const Band& band : bands_of(workload_, instruction_, embedding_.is_exchanged)) {
      names.push_back(workload_.axes[band.axis].name);
      if (std::ranges::find(embedding_.band, band.axis) != embedding_.band.end()) bands_.push_back(band);
    }
    for (const Band& band : bands_) {
      if (band.tap && std::ranges::count(embedding_.flat, *band.tap) > 0) {
        return refuse("taps that a window goes through are counted as one", workload_.axes[*band.tap].name, {},
                      "leave them out");
      }
    }
    for (const size_t axis : embedding_.band) {
      if (std::ranges::find(bands_, axis, &Band::axis) == bands_.end()) {
        return refuse("positions of an axis cannot overlap: no constant operand is their matrix",
                      workload_.axes[axis].name, names, "band an output axis that the other operand has, too");
      }
      if (outputs_of(axis) < 2) {
        return refuse("a banded axis has one output in the instruction", workload_.axes[axis].name, {},
                      "place at least two of its outputs, or do not band it");
      }
    }
    return Done{};
  }

  Status check_factors() {
    for (size_t place = 0; place < instruction_.axes.size(); ++place) {
      int64_t product = 1;
      std::vector<size_t> axes;
      for (const Factor& factor : embedding_.positions[place]) {
        if (const Status done = check_factor(place, factor); !done) return done.error();
        if (factor.count > instruction_.axes[place].size / product) {
          return refuse("more factors than places", instruction_.axes[place].name,
                        {std::to_string(instruction_.axes[place].size)}, "make them smaller");
        }
        product *= factor.count;
        if (std::ranges::find(axes, factor.axis) != axes.end() || is_twice(place, factor.axis)) {
          return refuse("an axis of the workload is placed twice", name_of_axis(factor.axis), {"once"},
                        "place it once");
        }
        axes.push_back(factor.axis);
      }
    }
    return Done{};
  }

  Status check_factor(size_t place, const Factor& factor) const {
    const std::string name = name_of_axis(factor.axis);
    const auto band = std::ranges::find(bands_, factor.axis, &Band::axis);
    const bool of_window = band != bands_.end() && instruction_.axes[place].is_reduction;
    const int64_t most =
        of_window ? band->window(outputs_of(factor.axis), workload_) : extent_of(embedding_, workload_, factor.axis);
    if (factor.count < 2 || factor.count > most) {
      return refuse("a factor is no part of its axis", fmt::format("{}*{}", name, factor.count),
                    {fmt::format("2 to {}", most)}, "give a count within the extent");
    }
    if (band != bands_.end() && !band->has_columns(instruction_, place) && !band->has_sums(instruction_, place)) {
      return refuse("a banded axis is neither among the columns of the matrix nor in a sum", name, {},
                    "place it there, or do not band it");
    }
    // Strided instances and those between them must fill whole lengths, or steps would do some twice.
    if (factor.stride != 1 &&
        (of_window || factor.stride > most / factor.count || most % (factor.count * factor.stride) != 0)) {
      return refuse("steps would do some instances twice", fmt::format("{}*{}@{}", name, factor.count, factor.stride),
                    {"strides of which count * stride divides the extent"}, "give another stride, or none");
    }
    return Done{};
  }

  /// Idle places and steps past an axis add nothing to a sum only if a constant has zeros there.
  Status check_zeros() {
    for (size_t place = 0; place < instruction_.axes.size(); ++place) {
      if (!instruction_.axes[place].is_reduction || is_exact(place)) continue;
      bool has_constant = false;
      for (size_t i = 0; i < instruction_.inputs.size(); ++i) {
        has_constant =
            has_constant || (instruction_.inputs[i].mentions(place) && access_of(workload_, embedding_, i).is_constant);
      }
      if (!has_constant) {
        return refuse("idle places would add to the sums: no operand is a constant that has zeros there",
                      instruction_.axes[place].name, {"factors that fill the axis and divide their extents"},
                      "place other factors");
      }
    }
    return Done{};
  }

  /// Compares the first instance with the next one along each factor: positions are sums of their digits, so what holds
  /// of these pairs holds of all.
  Status check_sharing() {
    for (size_t place = 0; place < instruction_.axes.size(); ++place) {
      int64_t weight = 1;
      for (size_t f = embedding_.positions[place].size(); f-- > 0;) {
        const Factor& factor = embedding_.positions[place][f];
        const bool is_one = factor.axis == workload_.axes.size();
        // Steps begin anywhere in axes that are counted as one, so each of them may move next.
        for (const size_t axis : is_one ? embedding_.flat : std::vector<size_t>{factor.axis}) {
          if (const Status done = check_move(place, weight, axis, factor.stride); !done) return done.error();
        }
        weight *= factor.count;
      }
    }
    return Done{};
  }

  Status check_move(size_t place, int64_t weight, size_t axis, int64_t stride) const {
    const bool is_banded = std::ranges::find(bands_, axis, &Band::axis) != bands_.end();
    std::vector<int64_t> moved(workload_.axes.size(), 0);
    if (!is_banded || !instruction_.axes[place].is_reduction) moved[axis] = stride;
    for (size_t i = 0; !is_banded && i < instruction_.inputs.size(); ++i) {
      const Access& access = access_of(workload_, embedding_, i);
      if (const Status done = compare(access, instruction_.inputs[i], false, place, weight, moved); !done) return done;
    }
    return compare(workload_.output, instruction_.output, true, place, weight, moved);
  }

  Status compare(const Access& access, const InstructionOperand& operand, bool is_output, size_t place, int64_t weight,
                 const std::vector<int64_t>& moved) const {
    const std::vector<int64_t> first = element_of(access, std::vector<int64_t>(moved.size(), 0));
    const std::vector<int64_t> next = element_of(access, moved);
    const bool may_repeat = !is_output && (access.is_constant || access.tensor.empty());
    const bool must_share = !operand.mentions(place);
    if (must_share ? first == next : (first != next || may_repeat)) return is_regular(access, moved, is_output);
    return refuse(
        fmt::format("instances 0 and {} of '{}' must {}share an element of {}, and do{}", weight,
                    instruction_.axes[place].name, must_share ? "" : "not ", access.tensor, must_share ? " not" : ""),
        fmt::format("{}[{}], {}[{}]", access.tensor, fmt::join(first, ","), access.tensor, fmt::join(next, ",")),
        {must_share ? "one element" : "two elements"}, "place another axis there");
  }

  /// Axes that move through two dimensions of a tensor at once span no rectangle; nor do outputs that share an index.
  Status is_regular(const Access& access, const std::vector<int64_t>& moved, bool is_output) const {
    for (size_t axis = 0; axis < moved.size(); ++axis) {
      if (moved[axis] == 0) continue;
      int64_t dimensions = 0;
      for (const AffineIndex& index : access.indices) {
        if (!index.mentions(axis)) continue;
        ++dimensions;
        for (size_t other = 0; is_output && other < moved.size(); ++other) {
          if (other != axis && index.mentions(other) && workload_.axes[other].extent > 1) ++dimensions;
        }
      }
      if (dimensions > 1) {
        return refuse(fmt::format("instances along an axis are no rectangle of {}", access.tensor),
                      workload_.axes[axis].name, {"axes that have a dimension of it for themselves"},
                      "place another axis there");
      }
    }
    return Done{};
  }

  int64_t outputs_of(size_t axis) const {
    for (size_t place = 0; place < instruction_.axes.size(); ++place) {
      if (instruction_.axes[place].is_reduction) continue;
      for (const Factor& factor : embedding_.positions[place]) {
        if (factor.axis == axis) return factor.count;
      }
    }
    return 1;
  }

  /// True if the axis has another place besides this one, or is a tap that a window goes through. A banded axis has
  /// two: one among outputs, one in a sum.
  bool is_twice(size_t place, size_t axis) const {
    if (std::ranges::any_of(bands_, [&](const Band& band) { return band.tap == axis; })) return true;
    const bool is_banded = std::ranges::find(bands_, axis, &Band::axis) != bands_.end();
    for (size_t other = 0; other < place; ++other) {
      const bool is_pair = is_banded && instruction_.axes[other].is_reduction != instruction_.axes[place].is_reduction;
      for (const Factor& factor : embedding_.positions[other]) {
        if (factor.axis == axis && !is_pair) return true;
      }
    }
    return false;
  }

  bool is_exact(size_t place) const {
    int64_t product = 1;
    for (const Factor& factor : embedding_.positions[place]) {
      const auto band = std::ranges::find(bands_, factor.axis, &Band::axis);
      const int64_t length = band != bands_.end() ? band->window(outputs_of(factor.axis), workload_)
                                                  : extent_of(embedding_, workload_, factor.axis);
      if (length % (factor.count * factor.stride) != 0) return false;
      product *= factor.count;
    }
    return product == instruction_.axes[place].size;
  }

  Diagnostic refuse(std::string message, std::string offending, std::vector<std::string> allowed,
                    std::string fix) const {
    return codelet::diagnose("EMB0011", {}, print(instruction_), std::move(message), std::move(offending),
                             std::move(allowed), std::move(fix));
  }

  const Embedding& embedding_;
  const Workload& workload_;
  const Instruction& instruction_;
  std::vector<Band> bands_;
};

}  // namespace

Status verify(const Embedding& embedding, const Workload& workload, const Instruction& instruction) {
  return Verifier(embedding, workload, instruction).run();
}

}  // namespace covenant::compiler::embedding
