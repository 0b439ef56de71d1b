#include "compiler/schedule/splits.h"

#include <algorithm>
#include <map>
#include <set>

#include "acg/graph/queries.h"
#include "compiler/schedule/pinned.h"

namespace covenant::compiler {
namespace {

/// The model is accurate to about one percent, and a split doubles a layer's words: it must gain more than that.
constexpr uint64_t kWorthwhile = 100;
/// Number of tilings of each part that are tried together, and of splits that are simulated.
constexpr size_t kFewTilings = 3;
constexpr size_t kSimulatedSplits = 24;

bool wins(uint64_t cycles, uint64_t against) { return cycles + against / kWorthwhile < against; }

/// Least cycles of the busiest engine, however the layer is tiled: every step once, every byte across its edge once.
uint64_t least_work(const TileProblem& problem, const acg::Machine& machine) {
  std::map<std::string, uint64_t> work;
  for (const TileNest& nest : problem.nests) {
    uint64_t steps = 1;
    for (size_t i = 0; i < problem.shared; ++i) steps *= static_cast<uint64_t>(problem.loops[i].trips);
    for (const size_t loop : nest.loops) steps *= static_cast<uint64_t>(problem.loops[loop].trips);
    work[nest.compute.location] += steps;
  }
  std::vector<int64_t> whole;
  for (const TileLoop& loop : problem.loops) whole.push_back(loop.trips);
  for (const TileBuffer& buffer : problem.buffers) {
    if (buffer.role == TileRole::kIntermediate) continue;
    const bool is_load = buffer.role == TileRole::kLoad;
    const acg::MemoryId nearest = is_load ? buffer.memories.front() : buffer.memories.back();
    const auto edge =
        is_load ? acg::edge_between(machine, buffer.home, nearest) : acg::edge_between(machine, nearest, buffer.home);
    if (!edge) continue;  // reached through caches, which may hold the data already
    uint64_t size = 1;
    for (size_t d = 0; d < buffer.extents.size(); ++d) {
      size *= static_cast<uint64_t>(std::min(buffer.extents[d].evaluate(whole), buffer.tensor_shape[d]));
    }
    work[std::to_string(edge.value())] +=
        packed_bytes(buffer.dtype, size) / std::max<uint64_t>(1, machine.edges[edge.value()].bandwidth / 8);
  }
  uint64_t most = 0;
  for (const auto& [engine, cycles] : work) most = std::max(most, cycles);
  return most;
}

/// Sizes of tiles that leave a remainder, largest first: for each number of whole tiles, the largest size (which leaves
/// least) and the smallest.
std::vector<int64_t> sizes_to_split(int64_t trips) {
  std::set<int64_t, std::greater<>> sizes;
  for (int64_t whole = 1; whole < trips; ++whole) {
    for (const int64_t size : {trips / whole, (trips + whole) / (whole + 1)}) {
      if (trips % size != 0) sizes.insert(size);
    }
  }
  return {sizes.begin(), sizes.end()};
}

/// True if the same engines fill and empty buffer `i` in both parts: both then use one channel.
bool shares_channel(const TileProblem& first, const TileProblem& second, size_t i) {
  if (first.buffers[i].memories != second.buffers[i].memories) return false;
  for (size_t n = 0; n < first.nests.size(); ++n) {
    const TileNest& nest = first.nests[n];
    const bool uses =
        nest.destination == i || std::find(nest.operands.begin(), nest.operands.end(), i) != nest.operands.end();
    if (uses && nest.compute.location != second.nests[n].compute.location) return false;
  }
  return true;
}

/// True if each part of a split of `loop` writes only its own range of bytes, that is, if the loop indexes the
/// outermost dimension of the results. Engines that interleave their bytes could not be told from engines that race.
bool separates_results(const TileProblem& problem, size_t loop) {
  return std::all_of(problem.buffers.begin(), problem.buffers.end(), [&](const TileBuffer& buffer) {
    if (buffer.role != TileRole::kStore) return true;
    for (size_t d = 0; d < buffer.extents.size(); ++d) {
      const auto& factors = buffer.extents[d].factors;
      const bool is_indexed =
          std::any_of(factors.begin(), factors.end(), [&](const auto& f) { return f.first == loop; });
      if (is_indexed) return factors.size() == 1;
      if (buffer.tensor_shape[d] > 1) return false;
    }
    return false;
  });
}

/// A channel of both parts is as large as the larger of its two tiles. Registers have no channels: one part leaves them
/// all to the other.
bool fit_together(const TileProblem& first, const Tiling& of_first, const TileProblem& second, const Tiling& of_second,
                  const acg::Machine& machine) {
  std::map<acg::MemoryId, uint64_t> units;
  std::map<acg::MemoryId, uint64_t> channels;
  const auto add = [&](acg::MemoryId memory, uint64_t size) {
    units[memory] += size;
    ++channels[memory];
  };
  for (size_t i = 0; i < first.buffers.size(); ++i) {
    const auto first_units = [&](acg::MemoryId id) { return first.buffers[i].units(acg::get(machine, id), of_first); };
    const auto second_units = [&](acg::MemoryId id) {
      return second.buffers[i].units(acg::get(machine, id), of_second);
    };
    const bool shared = shares_channel(first, second, i);
    for (const acg::MemoryId id : first.buffers[i].memories) {
      add(id, shared ? std::max(first_units(id), second_units(id)) : first_units(id));
    }
    if (shared) continue;
    for (const acg::MemoryId id : second.buffers[i].memories) add(id, second_units(id));
  }
  return std::all_of(units.begin(), units.end(), [&](const auto& entry) {
    const acg::Memory& memory = acg::get(machine, entry.first);
    if (memory.kind == acg::MemoryKind::kRegisterFile) return true;
    return entry.second <= memory.buffer_units() && channels[entry.first] <= memory.channels;
  });
}

/// Where to split a loop of `trips` that two nodes share, so that both finish together: the first would need `own`
/// cycles for all of it, the second `other`. The exact place comes first, then nearby ones that leave one part a
/// multiple of a power of two.
std::vector<int64_t> places_to_share(int64_t trips, uint64_t own, uint64_t other) {
  const auto exact = static_cast<int64_t>(static_cast<uint64_t>(trips) * other / std::max<uint64_t>(1, own + other));
  std::vector<int64_t> places;
  const auto add = [&](int64_t at) {
    const bool is_new = std::find(places.begin(), places.end(), at) == places.end();
    if (at >= 1 && at < trips && is_new) places.push_back(at);
  };
  for (const int64_t step : {1, 2, 4, 8, 16, 32}) {
    for (const int64_t at : {exact / step * step, (exact / step + 1) * step}) {
      add(at);
      add(trips - (trips - at) / step * step);
    }
  }
  return places;
}

/// Searches for schedules with one loop split.
class SplitSearch {
 public:
  SplitSearch(const TileProblem& problem, const CostModel& model, const TilingLimits& limits)
      : problem_(problem), model_(model), limits_(limits) {}

  /// One part after the other: whole tiles, then the remainder.
  void try_remainders() {
    for (size_t loop = 0; loop < problem_.shared; ++loop) {
      if (!problem_.loops[loop].can_be_split()) continue;
      const int64_t trips = problem_.loops[loop].trips;
      for (const int64_t size : sizes_to_split(trips)) try_split(problem_, loop, trips / size * size, size);
    }
  }

  /// Both parts at once: the second part is on other nodes, with the problem `other`.
  void try_nodes(const TileProblem& other) {
    const uint64_t own_work = least_work(problem_, model_.machine());
    const uint64_t other_work = least_work(other, model_.machine());
    std::vector<std::vector<int64_t>> places;
    for (size_t loop = 0; loop < problem_.shared; ++loop) {
      const bool is_open = problem_.loops[loop].can_be_split() && separates_results(problem_, loop);
      places.push_back(is_open ? places_to_share(problem_.loops[loop].trips, own_work, other_work)
                               : std::vector<int64_t>{});
    }
    for (size_t i = 0; !is_stopped(); ++i) {
      bool is_any = false;
      for (size_t loop = 0; loop < problem_.shared; ++loop) {
        if (i >= places[loop].size()) continue;
        is_any = true;
        try_split(other, loop, places[loop][i], 0);
      }
      if (!is_any) return;
    }
  }

  /// The best pairs of tilings by their sums.
  std::vector<Schedule> take(ScheduleSearch& search) {
    search.candidates += candidates_;
    if (is_stopped()) search.stop = StopReason::kCandidateLimit;
    std::stable_sort(pairs_.begin(), pairs_.end(), [](const Pair& a, const Pair& b) { return a.cycles < b.cycles; });
    if (pairs_.size() > kSimulatedSplits) pairs_.resize(kSimulatedSplits);
    std::vector<Schedule> result;
    for (Pair& pair : pairs_) {
      LoopSplit split = splits_[pair.split];
      split.tiling = std::move(pair.second.tiling);
      split.order = std::move(pair.second.order);
      result.push_back({std::move(pair.first.tiling), std::move(pair.first.order), {}, std::move(split)});
    }
    return result;
  }

 private:
  struct Pair {
    size_t split = 0;
    SummedTiling first;
    SummedTiling second;
    uint64_t cycles = 0;
  };

  bool is_stopped() const { return candidates_ >= limits_.max_split_candidates; }

  /// Tries the best tilings of both parts, the second one on the nodes of `other`. `size` is that of the split loop's
  /// tiles, and the remainder is one tile; 0: both sizes are open.
  void try_split(const TileProblem& other, size_t loop, int64_t at, int64_t size) {
    const int64_t trips = problem_.loops[loop].trips;
    const TileProblem first_part = part_of(problem_, loop, 0, at);
    const std::vector<SummedTiling> firsts = tilings(first_part, loop, size);
    if (firsts.empty()) return;
    const TileProblem second_part = part_of(other, loop, at, trips);
    const bool is_parallel = other.nests.front().compute.location != problem_.nests.front().compute.location;
    const std::vector<SummedTiling> seconds = tilings(second_part, loop, size == 0 ? 0 : trips - at);
    for (const SummedTiling& second : seconds) {
      for (const SummedTiling& first : firsts) {
        if (!fit_together(first_part, first.tiling, second_part, second.tiling, model_.machine())) continue;
        const uint64_t cycles = is_parallel ? std::max(first.cycles, second.cycles) : first.cycles + second.cycles;
        pairs_.push_back({splits_.size(), first, second, cycles});
      }
    }
    if (!pairs_.empty() && pairs_.back().split == splits_.size()) {
      splits_.push_back({loop, at, second_part, {}, {}});
    }
  }

  std::vector<SummedTiling> tilings(const TileProblem& part, size_t loop, int64_t size) {
    if (is_stopped()) return {};
    Pinned pinned{Tiling(part.loops.size()), {}};
    pinned.tiling[loop] = size;
    TilingLimits limits = limits_;
    limits.max_candidates = limits_.max_split_candidates - candidates_;
    const std::unique_ptr<ProblemCosts> costs = model_.costs_of(part);
    BestTilings found = best_tilings(part, model_.machine(), *costs, limits, kFewTilings, pinned);
    candidates_ += found.search.candidates;
    return std::move(found.best);
  }

  const TileProblem& problem_;
  const CostModel& model_;
  const TilingLimits& limits_;
  uint64_t candidates_ = 0;
  std::vector<LoopSplit> splits_;  ///< the splits of the pairs, without tilings
  std::vector<Pair> pairs_;
};

Prediction simulate(const TileProblem& problem, const CostModel& model, const Schedule& schedule) {
  const LoopSplit& split = schedule.split.value();
  const TileProblem first = part_of(problem, split.loop, 0, split.at);
  return model.simulate_parts({first, schedule.tiling, schedule.order}, {split.problem, split.tiling, split.order},
                              kept_buffers(problem, schedule));
}

}  // namespace

TileProblem part_of(const TileProblem& problem, size_t loop, int64_t first, int64_t end) {
  TileProblem part = problem;
  TileLoop& range = part.loops[loop];
  range.may_overhang = range.may_overhang && end == range.trips;
  range.trips = end - first;
  range.first += first;
  for (TileBuffer& buffer : part.buffers) {
    for (size_t d = 0; d < buffer.extents.size(); ++d) {
      for (const auto& [variable, factor] : buffer.extents[d].factors) {
        if (variable == loop) buffer.first[d] += factor * first;
      }
    }
  }
  return part;
}

std::vector<Part> parts_of(const TileProblem& problem, const Schedule& schedule) {
  if (!schedule.split) {
    return {{reordered(problem, schedule.order), reordered(schedule.tiling, schedule.order)}};
  }
  const LoopSplit& split = *schedule.split;
  return {{reordered(part_of(problem, split.loop, 0, split.at), schedule.order),
           reordered(schedule.tiling, schedule.order)},
          {reordered(split.problem, split.order), reordered(split.tiling, split.order)}};
}

std::vector<bool> kept_buffers(const TileProblem& problem, const Schedule& schedule) {
  const LoopSplit& split = schedule.split.value();
  std::vector<bool> kept;
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const TileBuffer& buffer = problem.buffers[i];
    kept.push_back(buffer.role == TileRole::kLoad && !buffer.depends_on(split.loop) &&
                   shares_channel(problem, split.problem, i) &&
                   std::all_of(buffer.loops.begin(), buffer.loops.end(), [&](size_t loop) {
                     const TileLoop& whole = problem.loops[loop];
                     return whole.tiles(schedule.tiling[loop]) == 1 && whole.tiles(split.tiling[loop]) == 1;
                   }));
  }
  return kept;
}

void add_split_schedules(const CostModel& model, const TilingLimits& limits, const std::vector<TileProblem>& others,
                         ScheduleSearch& search) {
  const TileProblem& problem = search.problem;
  const Prediction plain = search.simulated.front().prediction;
  if (!plain.is_simulated || !model.holds_two_parts() || limits.smallest) return;
  std::vector<Schedule> splits;
  const auto take = [&](SplitSearch& found) {
    std::vector<Schedule> pairs = found.take(search);
    std::move(pairs.begin(), pairs.end(), std::back_inserter(splits));
  };
  for (const TileProblem& other : others) {
    SplitSearch shared(problem, model, limits);
    shared.try_nodes(other);
    take(shared);
  }
  if (wins(least_work(problem, model.machine()), plain.cycles)) {
    SplitSearch remainders(problem, model, limits);
    remainders.try_remainders();
    take(remainders);
  }
  std::vector<Schedule> better;
  for (Schedule& schedule : splits) {
    schedule.prediction = simulate(problem, model, schedule);
    if (wins(schedule.prediction.cycles, plain.cycles)) better.push_back(std::move(schedule));
  }
  std::stable_sort(better.begin(), better.end(), is_faster);
  search.simulated.insert(search.simulated.begin(), better.begin(), better.end());
}

Result<ScheduleSearch> search_pinned_split(const TileProblem& problem, const CostModel& model,
                                           const TilingLimits& limits, const std::vector<TileProblem>& others,
                                           const LayerSchedule& chosen) {
  const Result<size_t> loop = split_loop(chosen, problem);
  if (!loop) return loop.error();
  const SplitSchedule& split = chosen.split.value();
  const TileProblem first = part_of(problem, *loop, 0, split.at);
  const Result<size_t> nodes = split_nodes(chosen, problem, others);
  if (!nodes) return nodes.error();
  if (*nodes < others.size() && !separates_results(problem, *loop)) {
    return Diagnostic{"SCH0021",
                      split.where,
                      chosen.layer,
                      "parts on different nodes would write in between one another's results",
                      split.loop,
                      {},
                      "split the loop over the outermost dimension of the results, or leave `on` out"};
  }
  const TileProblem& whole = *nodes == others.size() ? problem : others[*nodes];
  const TileProblem second = part_of(whole, *loop, split.at, problem.loops[*loop].trips);
  const Result<Pinned> of_first = pinned_by(chosen, first);
  if (!of_first) return of_first.error();
  const Result<Pinned> of_second = pinned_by(second_part(chosen), second);
  if (!of_second) return of_second.error();
  const Result<ScheduleSearch> firsts = search_schedules(first, model, limits, *of_first);
  if (!firsts) return firsts.error();
  const Result<ScheduleSearch> seconds = search_schedules(second, model, limits, *of_second);
  if (!seconds) return seconds.error();
  ScheduleSearch search{problem,
                        {},
                        firsts->valid + seconds->valid,
                        firsts->candidates + seconds->candidates,
                        std::max(firsts->stop, seconds->stop)};
  for (const Schedule& one : firsts->simulated) {
    for (const Schedule& other : seconds->simulated) {
      Schedule pair = one;
      pair.split = LoopSplit{*loop, split.at, second, other.tiling, other.order};
      if (search.simulated.size() == limits.max_simulated ||
          !fit_together(first, one.tiling, second, other.tiling, model.machine())) {
        continue;
      }
      pair.prediction = simulate(problem, model, pair);
      search.simulated.push_back(std::move(pair));
    }
  }
  if (search.simulated.empty()) {
    return Diagnostic{"SCH0016",
                      split.where,
                      problem.name,
                      "the tiles of the two parts do not fit together",
                      split.loop,
                      {},
                      "make a tile of the part smaller whose tiles of one memory are larger"};
  }
  std::stable_sort(search.simulated.begin(), search.simulated.end(), is_faster);
  return search;
}

}  // namespace covenant::compiler
