#include "compiler/layers/gathered_copies.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <tuple>
#include <utility>

#include "acg/base/rounding.h"
#include "compiler/codelet/vector_sizes.h"
#include "compiler/network/layer_traits.h"
#include "compiler/network/views.h"
#include "compiler/storage/vectors.h"

namespace covenant::compiler {
namespace {

/// Ways that are priced by a search of schedules: those with the fewest steps.
constexpr size_t kMostGathers = 3;
/// Steps that a vector may take: beyond, runs are copied first (transposed_copies.h) or one at a time.
constexpr uint64_t kMostStepsOfAVector = 16;

uint64_t span(const CopyLoop& loop) { return (loop.count - 1) * loop.in_x; }

uint64_t times(const std::vector<CopyLoop>& loops) {
  uint64_t count = 1;
  for (const CopyLoop& loop : loops) count *= loop.count;
  return count;
}

/// Runs that the copy moves as it is.
uint64_t runs_of(const std::vector<CopyLoop>& loops, uint64_t lanes) {
  uint64_t runs = 1;
  for (const CopyLoop& loop : loops) {
    const bool is_run = loop.in_x == 1 && loop.in_y == 1;
    runs *= is_run ? ceil_divide(loop.count, lanes) : loop.count;
  }
  return runs;
}

class Gathers {
 public:
  Gathers(std::vector<CopyLoop> loops, uint64_t lanes, uint64_t rows)
      : loops_(std::move(loops)), lanes_(lanes), rows_(rows) {
    std::ranges::sort(loops_, {}, &CopyLoop::in_y);
  }

  std::vector<Gather> best() {
    add_lanes();
    const uint64_t runs = runs_of(loops_, lanes_);
    std::erase_if(found_, [&](const Gather& one) { return steps(one) >= runs; });
    std::ranges::stable_sort(found_, {}, [&](const Gather& one) {
      return std::tuple(steps(one), one.vectors.count * row_of(one) * times(one.lanes));
    });
    std::vector<Gather> best;
    for (Gather& one : found_) {
      const bool is_named =
          std::ranges::any_of(best, [&](const Gather& other) { return name_of(other) == name_of(one); });
      if (best.size() < kMostGathers && !is_named) best.push_back(std::move(one));
    }
    return best;
  }

 private:
  uint64_t steps(const Gather& one) const {
    return times(one.outer) * one.vectors.count * ceil_divide(row_of(one), rows_);
  }

  /// Loops that are contiguous in y become lanes, the last of them perhaps in part.
  void add_lanes() {
    std::vector<CopyLoop> lanes;
    uint64_t adjacent = 1;
    for (size_t i = 0; i < loops_.size() && loops_[i].in_y == adjacent; ++i) {
      const CopyLoop& loop = loops_[i];
      std::vector<CopyLoop> outer(loops_.begin() + static_cast<std::ptrdiff_t>(i) + 1, loops_.end());
      lanes.emplace_back();
      for (uint64_t part = 2; part <= loop.count && adjacent * part <= lanes_; ++part) {
        if (loop.count % part != 0) continue;
        lanes.back() = {part, loop.in_x, loop.in_y};
        if (part == loop.count) {
          add_vectors(outer, lanes);
          continue;
        }
        std::vector<CopyLoop> others = outer;
        others.push_back({loop.count / part, loop.in_x * part, loop.in_y * part});
        add_vectors(others, lanes);
      }
      adjacent *= loop.count;
      if (adjacent > lanes_) return;
    }
  }

  /// One more loop may stay within a row.
  void add_vectors(const std::vector<CopyLoop>& outer, const std::vector<CopyLoop>& lanes) {
    add({outer, {}, lanes});
    for (size_t i = 0; i < outer.size(); ++i) {
      Gather one{outer, outer[i], lanes};
      one.outer.erase(one.outer.begin() + static_cast<std::ptrdiff_t>(i));
      add(std::move(one));
    }
  }

  /// Rows may be taken several times, but do not overlap.
  void add(Gather one) {
    const uint64_t row = row_of(one);
    const bool overlap =
        std::ranges::any_of(one.outer, [&](const CopyLoop& loop) { return loop.in_x > 0 && loop.in_x < row; });
    if (one.outer.size() <= kRowLoops && row <= kMostStepsOfAVector * rows_ && !overlap)
      found_.push_back(std::move(one));
  }

  std::vector<CopyLoop> loops_;
  uint64_t lanes_;
  uint64_t rows_;
  std::vector<Gather> found_;
};

/// Elements of a row that the lanes of a vector take, from the first one on.
std::vector<uint64_t> elements_of(const std::vector<CopyLoop>& lanes) {
  std::vector<uint64_t> elements{0};
  for (const CopyLoop& loop : lanes) {
    const size_t inner = elements.size();
    for (uint64_t i = 1; i < loop.count; ++i) {
      for (size_t k = 0; k < inner; ++k) elements.push_back(elements[k] + i * loop.in_x);
    }
  }
  return elements;
}

}  // namespace

uint64_t row_of(const Gather& gather) {
  uint64_t last = span(gather.vectors);
  for (const CopyLoop& loop : gather.lanes) last += span(loop);
  return last + 1;
}

std::string name_of(const Gather& gather) {
  const uint64_t vectors = gather.vectors.count;
  return fmt::format("rows of {} as {} vector{} of {}", row_of(gather), vectors, vectors == 1 ? "" : "s",
                     times(gather.lanes));
}

bool names_gather(const std::string& name) {
  return name.starts_with("rows of ") && name.find(" as ") != std::string::npos;
}

std::vector<Gather> gathers(const Network& network, const NetworkLayer& copy, const acg::Machine& machine) {
  if (traits(copy).form != LayerForm::kCopy || !has_one_hot_products(copy, machine)) return {};
  const uint64_t lanes = codelet::written_at_once(machine, copy.layer.dtypes.at("x"));
  return Gathers(loops_of(network, copy), lanes, reduced_at_once(machine)).best();
}

NetworkLayer gathered_copy(Network& network, const NetworkLayer& copy, const Gather& gather,
                           const acg::Machine& machine, TakenNames& names) {
  const std::string& name = copy.layer.name;
  std::vector<acg::Stride> from = steps_of(gather.outer, kRowLoops, &CopyLoop::in_x);
  from.push_back({row_of(gather), 1});
  std::vector<acg::Stride> to = steps_of(gather.outer, kRowLoops, &CopyLoop::in_y);
  to.insert(to.end(), {{gather.vectors.count, gather.vectors.in_y}, {times(gather.lanes), 1}});
  const size_t rows = add_loops(network, names, name + "/rows", copy.activations.at("x"), 0, from);
  const size_t made = add_loops(network, names, name + "/vectors", copy.activations.at("y"), 0, to);
  std::vector<uint64_t> chosen;
  for (uint64_t v = 0; v < gather.vectors.count; ++v) {
    for (const uint64_t element : elements_of(gather.lanes)) chosen.push_back(v * gather.vectors.in_x + element);
  }
  NetworkLayer layer = one_hot_product(network, copy, name, rows, made, chosen);
  layer.lowering = name_of(gather);
  set_views(network, layer, machine);
  return layer;
}

NetworkLayer gathered_alone(const Network& network, const NetworkLayer& copy, const Gather& gather,
                            const acg::Machine& machine) {
  Network alone;
  NetworkLayer only = copy;
  for (auto& [name, activation] : only.activations) {
    alone.activations.push_back(network.activations[activation]);
    activation = alone.activations.size() - 1;
  }
  TakenNames names;
  return gathered_copy(alone, only, gather, machine, names);
}

}  // namespace covenant::compiler
