#include "compiler/embedding/axes.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "acg/base/check.h"
#include "acg/base/rounding.h"
#include "compiler/codelet/diagnose.h"
#include "compiler/embedding/places.h"

namespace covenant::compiler::embedding {
namespace {

/// A factor that may lie along an axis of the instruction.
struct Candidate {
  size_t axis = 0;
  int64_t extent = 1;      ///< instances, or positions of the window
  int64_t least = 1;       ///< a banded axis has at least two outputs; axes counted as one are not counted apart
  bool may_stride = true;  ///< positions of a window, banded outputs, and axes counted as one are side by side
};

/// An axis that may lie along an axis of the instruction.
struct Home {
  size_t axis = 0;
  size_t place = 0;
};

class Search {
 public:
  /// `only`: fills this axis of the instruction alone. `first`: ends at the first embedding.
  Search(const Workload& workload, const Instruction& instruction, const Rules& rules, const Bounds& bounds,
         std::optional<size_t> only = std::nullopt, bool first = false)
      : workload_(workload), instruction_(instruction), rules_(rules), bounds_(bounds), is_first_(first) {
    for (const bool of_sums : {false, true}) {
      for (size_t place = 0; place < instruction.axes.size(); ++place) {
        if (only.value_or(place) == place && instruction.axes[place].size > 1 &&
            instruction.axes[place].is_reduction == of_sums) {
          order_.push_back(place);
        }
      }
    }
  }

  Found run() {
    search(false);
    if (instruction_.commutes && allows(Relaxation::kExchange)) search(true);
    if (!found_.is_complete) {
      found_.stopped = codelet::diagnose(
          "EMB0012", {}, print(instruction_), "the search for embeddings was given up: there may be others",
          fmt::format("{} nodes", found_.nodes), {fmt::format("at most {}", rules_.most_nodes)},
          "allow more nodes or fewer relaxations, or give bounds");
    }
    return found_;
  }

 private:
  bool allows(Relaxation relaxation) const { return rules_.allowed.contains(relaxation); }

  void search(bool is_exchanged) {
    if (!has_types(instruction_, workload_, is_exchanged)) return;
    find_homes(is_exchanged);
    const std::vector<Band> possible = allowed_bands(is_exchanged);
    check(workload_.axes.size() <= kMostAxes, "a workload of too many axes");
    for (uint32_t choice = 0; choice >> possible.size() == 0 && found_.is_complete && !is_done(); ++choice) {
      current_ = {is_exchanged, std::vector<std::vector<Factor>>(instruction_.axes.size()), {}, {}};
      bands_.clear();
      for (size_t b = 0; b < possible.size(); ++b) {
        if ((choice >> b & 1U) == 0) continue;
        bands_.push_back(possible[b]);
        current_.band.push_back(possible[b].axis);
      }
      decided_.assign(instruction_.axes.size(), false);
      for (size_t place = 0; place < decided_.size(); ++place) decided_[place] = instruction_.axes[place].size < 2;
      decide(0);
      for (const size_t place : order_) count_as_one(place);
    }
  }

  /// Searches again with each choice of axes along this axis of the instruction that are counted as one.
  void count_as_one(size_t place) {
    if (!allows(Relaxation::kFuse)) return;
    std::vector<size_t> axes;
    for (const Candidate& candidate : candidates_of(place)) {
      if (candidate.may_stride) axes.push_back(candidate.axis);
    }
    for (uint32_t choice = 0; choice >> axes.size() == 0 && found_.is_complete && !is_done(); ++choice) {
      if (std::popcount(choice) < 2 || !count_nodes(1)) continue;
      current_.flat.clear();
      for (size_t i = 0; i < axes.size(); ++i) {
        if ((choice >> i & 1U) != 0) current_.flat.push_back(axes[i]);
      }
      flat_place_ = place;
      decide(0);
    }
    current_.flat.clear();
  }

  /// Fills the axes of the instruction from the `next`-th on.
  void decide(size_t next) {
    if (!found_.is_complete || is_done()) return;
    const int64_t cost = bounds_.lower ? bounds_.lower(current_, decided_) : 0;
    if (bounds_.lower && cost > most()) return;
    if (next == order_.size()) return keep(cost);
    const size_t place = order_[next];
    const std::vector<Candidate> candidates = candidates_of(place);
    fill(next, candidates, 0, 1);
    current_.positions[place].clear();
  }

  bool is_done() const { return is_first_ && !found_.embeddings.empty(); }
  int64_t most() const { return std::min(bounds_.most, least_); }

  void keep(int64_t cost) {
    if (bounds_.tightens && cost < least_) {
      found_.embeddings.clear();
      least_ = cost;
    }
    found_.embeddings.push_back(current_);
  }

  std::vector<Candidate> candidates_of(size_t place) const {
    std::vector<Candidate> candidates;
    for (size_t axis = 0; axis < workload_.axes.size(); ++axis) {
      const auto band = std::ranges::find(bands_, axis, &Band::axis);
      if (band != bands_.end()) {
        if (band->has_columns(instruction_, place)) {
          candidates.push_back({axis, workload_.axes[axis].extent, 2, false});
        } else if (band->has_sums(instruction_, place)) {
          candidates.push_back({axis, band->window(outputs_of(axis), workload_), 1, false});
        }
        continue;
      }
      const bool is_tap = std::ranges::any_of(bands_, [&](const Band& one) { return one.tap == axis; });
      const bool is_home =
          std::ranges::any_of(homes_, [&](const Home& home) { return home.axis == axis && home.place == place; });
      const bool is_one = std::ranges::find(current_.flat, axis) != current_.flat.end();
      if (is_home && !is_tap && !is_one && !is_placed(axis)) {
        candidates.push_back({axis, workload_.axes[axis].extent, 1, true});
      }
    }
    if (!current_.flat.empty() && flat_place_ == place) {
      const size_t axis = workload_.axes.size();
      candidates.push_back({axis, extent_of(current_, workload_, axis), 2, false});
    }
    return candidates;
  }

  bool is_placed(size_t axis) const {
    return std::ranges::any_of(current_.positions, [&](const std::vector<Factor>& factors) {
      return std::ranges::find(factors, axis, &Factor::axis) != factors.end();
    });
  }

  /// Finds where axes may lie that are not banded.
  void find_homes(bool is_exchanged) {
    homes_.clear();
    for (const size_t place : order_) {
      for (size_t axis = 0; axis < workload_.axes.size(); ++axis) {
        if (workload_.axes[axis].extent < 2) continue;
        const auto needs = needs_of(workload_, instruction_, is_exchanged, axis, place);
        if (needs && std::ranges::includes(rules_.allowed, *needs)) homes_.push_back({axis, place});
      }
    }
  }

  /// Outputs and positions that are not side by side in their tensors are strided.
  std::vector<Band> allowed_bands(bool is_exchanged) const {
    if (!allows(Relaxation::kBand)) return {};
    std::vector<Band> bands = bands_of(workload_, instruction_, is_exchanged);
    if (allows(Relaxation::kStrided)) return bands;
    std::erase_if(bands, [&](const Band& band) {
      return band.lattice != 1 || std::ranges::any_of(workload_.output.indices, [&](const AffineIndex& index) {
               return std::abs(index.coefficients[band.axis]) > 1;
             });
    });
    return bands;
  }

  int64_t outputs_of(size_t axis) const {
    for (const size_t place : order_) {
      for (const Factor& factor : current_.positions[place]) {
        if (factor.axis == axis && !instruction_.axes[place].is_reduction) return factor.count;
      }
    }
    return 1;
  }

  /// Tries all factors of the candidates from `from` on, `product` places being taken.
  void fill(size_t next, const std::vector<Candidate>& candidates, size_t from, int64_t product) {
    const size_t place = order_[next];
    std::vector<Factor>& factors = current_.positions[place];
    if (from == candidates.size()) return finish(next, candidates, product);
    const Candidate& candidate = candidates[from];
    const int64_t most = std::min(candidate.extent, instruction_.axes[place].size / product);
    const bool is_alone = !factors.empty() && !allows(Relaxation::kFuse);
    for (int64_t count = 2; !is_alone && count <= most; ++count) {
      if (!fits(place, product * count) || (candidate.axis == workload_.axes.size() && is_box(count))) continue;
      for (const int64_t stride : strides_of(place, candidate, count)) {
        if (!count_nodes(1)) return;
        factors.push_back({candidate.axis, count, stride});
        fill(next, candidates, from + 1, product * count);
        factors.pop_back();
      }
    }
    if (candidate.least == 1) fill(next, candidates, from + 1, product);
  }

  /// True if so many instances of the axes that are counted as one are, in every step, those of fewer of them: then
  /// another embedding says the same.
  bool is_box(int64_t count) const {
    const int64_t outermost = workload_.axes[current_.flat.front()].extent;
    const int64_t innermost = workload_.axes[current_.flat.back()].extent;
    return extent_of(current_, workload_, workload_.axes.size()) / outermost % count == 0 || count % innermost == 0;
  }

  /// True if so many places can be part of a full axis.
  bool fits(size_t place, int64_t product) const { return pads(place) || instruction_.axes[place].size % product == 0; }
  bool pads(size_t place) const {
    return allows(Relaxation::kPad) && may_idle(workload_, instruction_, current_.is_exchanged, place);
  }
  bool is_legal(size_t place, const Candidate& candidate, int64_t count, int64_t stride) const {
    if (stride > candidate.extent / count) return false;
    return (stride == 1 && pads(place)) || candidate.extent % (count * stride) == 0;
  }

  std::vector<int64_t> strides_of(size_t place, const Candidate& candidate, int64_t count) {
    std::vector<int64_t> strides;
    if (is_legal(place, candidate, count, 1)) strides.push_back(1);
    if (!candidate.may_stride || !allows(Relaxation::kStrided) || candidate.extent % count != 0) return strides;
    for (const int64_t divisor : divisors_of(candidate.extent)) {
      if (divisor > 1 && is_legal(place, candidate, count, divisor)) strides.push_back(divisor);
    }
    return strides;
  }

  /// Ascending; by trial, which counts as nodes.
  const std::vector<int64_t>& divisors_of(int64_t extent) {
    const auto [known, is_new] = divisors_.try_emplace(extent);
    std::vector<int64_t>& divisors = known->second;
    for (int64_t trial = 1; is_new && trial <= extent / trial && count_nodes(1); ++trial) {
      if (extent % trial != 0) continue;
      divisors.push_back(trial);
      if (trial != extent / trial) divisors.push_back(extent / trial);
    }
    std::ranges::sort(divisors);
    return divisors;
  }

  bool count_nodes(uint64_t nodes) {
    if (rules_.most_nodes - found_.nodes < nodes) found_.is_complete = false;
    if (found_.is_complete) found_.nodes += nodes;
    return found_.is_complete;
  }

  void finish(size_t next, const std::vector<Candidate>& candidates, int64_t product) {
    const size_t place = order_[next];
    if (!found_.is_complete || (product != instruction_.axes[place].size && !pads(place))) return;
    if (rules_.only_full && !is_full(place, candidates, product)) return;
    decided_[place] = true;
    std::vector<Factor>& factors = current_.positions[place];
    if (rules_.every_order) {
      const std::vector<Factor> given = factors;  // by axis: the first of all orders
      do {
        decide(next + 1);
      } while (std::next_permutation(factors.begin(), factors.end(),
                                     [](const Factor& a, const Factor& b) { return a.axis < b.axis; }));
      factors = given;
    } else {
      decide(next + 1);
    }
    decided_[place] = false;
  }

  /// True if no factor can grow to a larger legal count. Banded outputs, whose windows grow with them, are looked at
  /// when their windows are decided.
  bool is_full(size_t place, const std::vector<Candidate>& candidates, int64_t product) const {
    const std::vector<Factor>& factors = current_.positions[place];
    const int64_t size = instruction_.axes[place].size;
    const auto widens = [&](const Band& band) { return band.has_sums(instruction_, place) && can_widen(band, place); };
    if (pads(place) && std::ranges::any_of(bands_, widens)) return false;
    return std::ranges::none_of(candidates, [&](const Candidate& candidate) {
      const bool is_banded = std::ranges::find(bands_, candidate.axis, &Band::axis) != bands_.end();
      if (is_banded && !instruction_.axes[place].is_reduction) return false;
      const auto factor = std::ranges::find(factors, candidate.axis, &Factor::axis);
      const bool is_new = factor == factors.end();
      if (is_new && !factors.empty() && !allows(Relaxation::kFuse)) return false;
      const int64_t count = is_new ? 1 : factor->count, stride = is_new ? 1 : factor->stride;
      const int64_t most = std::min(candidate.extent, size / (product / count));
      for (int64_t larger = count + 1; larger <= most; ++larger) {
        if (is_legal(place, candidate, larger, stride)) return true;
      }
      return false;
    });
  }

  /// True if the columns have room for one more output of a banded axis, and its window, lying along `sums` as now,
  /// takes no more steps then, nor a longer matrix.
  bool can_widen(const Band& band, size_t sums) const {
    const auto count_in = [&](size_t place) {
      const std::vector<Factor>& factors = current_.positions[place];
      const auto factor = std::ranges::find(factors, band.axis, &Factor::axis);
      return factor == factors.end() ? int64_t{1} : factor->count;
    };
    const auto columns = *std::ranges::find_if(order_, [&](size_t p) { return band.has_columns(instruction_, p); });
    const int64_t outputs = count_in(columns), positions = count_in(sums);
    int64_t product = 1;
    for (const Factor& factor : current_.positions[columns]) product *= factor.count;
    return outputs < workload_.axes[band.axis].extent &&
           product / outputs * (outputs + 1) <= instruction_.axes[columns].size &&
           ceil_divide(band.window(outputs + 1, workload_), positions) ==
               ceil_divide(band.window(outputs, workload_), positions);
  }

  const Workload& workload_;
  const Instruction& instruction_;
  const Rules& rules_;
  const Bounds& bounds_;
  bool is_first_;
  std::vector<Home> homes_;
  std::map<int64_t, std::vector<int64_t>> divisors_;
  std::vector<size_t> order_;  ///< axes of the instruction as they are decided: windows follow from outputs
  Embedding current_;
  std::vector<Band> bands_;
  std::vector<bool> decided_;
  size_t flat_place_ = 0;  ///< axis of the instruction along which axes are counted as one
  int64_t least_ = std::numeric_limits<int64_t>::max();  ///< least cost found, if bounds tighten
  Found found_;
};

/// True if there is an embedding; nothing if the search was given up before it found one.
std::optional<bool> has_any(const Workload& workload, const Instruction& instruction, const Rules& rules,
                            std::optional<size_t> only = std::nullopt) {
  const Found found = Search(workload, instruction, rules, {}, only, true).run();
  if (!found.embeddings.empty()) return true;
  return found.is_complete ? std::optional(false) : std::nullopt;
}

/// A way to make an embedding possible: the fewest relaxations that these rules lack, those that go less far first.
std::string nearest_way(const Workload& workload, const Instruction& instruction, const Rules& rules) {
  std::vector<Relaxation> lacking;
  std::ranges::set_difference(all_relaxations(), rules.allowed, std::back_inserter(lacking));
  std::vector<uint32_t> choices(size_t{1} << lacking.size());
  std::iota(choices.begin(), choices.end(), 0U);
  std::ranges::stable_sort(choices, {}, [](uint32_t choice) { return std::popcount(choice); });
  bool is_known = true;
  for (const uint32_t choice : choices) {
    std::set<Relaxation> added;
    for (size_t i = 0; i < lacking.size(); ++i) {
      if ((choice >> i & 1U) != 0) added.insert(lacking[i]);
    }
    Rules wider = rules;
    wider.allowed.insert(added.begin(), added.end());
    const std::optional<bool> is_possible = has_any(workload, instruction, wider);
    if (is_possible.value_or(false)) return "allow " + names_of(added);
    is_known = is_known && is_possible.has_value();
  }
  return is_known ? "take an instruction that has operands of this form"
                  : "allow more nodes: the search for relaxations that would do was given up";
}

/// The axes that could lie along an axis of the instruction, and what they would need.
std::vector<std::string> possible_axes(const Workload& workload, const Instruction& instruction, size_t place) {
  std::vector<std::string> possible;
  for (size_t axis = 0; axis < workload.axes.size(); ++axis) {
    const auto needs = needs_of(workload, instruction, false, axis, place);
    if (!needs) continue;
    const std::string extent = fmt::format("{} {}", workload.axes[axis].name, workload.axes[axis].extent);
    possible.push_back(needs->empty() ? extent : fmt::format("{} ({})", extent, names_of(*needs)));
  }
  return possible;
}

}  // namespace

Found embeddings_of(const Workload& workload, const Instruction& instruction, const Rules& rules,
                    const Bounds& bounds) {
  return Search(workload, instruction, rules, bounds).run();
}

Diagnostic why_none(const Workload& workload, const Instruction& instruction, const Rules& rules) {
  const auto is_empty = [&](size_t place) {
    return instruction.axes[place].size > 1 && !has_any(workload, instruction, rules, place).value_or(true);
  };
  size_t place = 0;
  while (place + 1 < instruction.axes.size() && !is_empty(place)) ++place;
  const InstructionAxis& axis = instruction.axes[place];
  return codelet::diagnose("EMB0010", {}, workload.compute,
                           fmt::format("no embedding into {}: under these rules ({}) nothing fills '{}'",
                                       print(instruction), names_of(rules.allowed), axis.name),
                           fmt::format("{} {}", axis.name, axis.size), possible_axes(workload, instruction, place),
                           nearest_way(workload, instruction, rules));
}

}  // namespace covenant::compiler::embedding
