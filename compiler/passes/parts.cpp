#include "compiler/passes/parts.h"

#include <algorithm>
#include <map>
#include <set>

#include "acg/graph/queries.h"
#include "compiler/passes/cost.h"
#include "compiler/passes/force.h"

namespace covenant::compiler {
namespace {

/// The model is right to about a hundredth, and a cut doubles a layer's words: it must win more than that.
constexpr uint64_t kWorthwhile = 100;
/// Tilings of each part that are tried together, and cuts that are played through.
constexpr size_t kFewTilings = 3;
constexpr size_t kPlayedCuts = 24;
/// Words of an engine that a cut layer may have: two parts fit an instruction memory this deep.
constexpr uint64_t kInstructionDepth = 256;

bool is_faster(const Schedule& a, const Schedule& b) { return a.prediction.cycles < b.prediction.cycles; }

bool wins(uint64_t cycles, uint64_t against) { return cycles + against / kWorthwhile < against; }

/// Cycles that the busiest engine works, however the layer is tiled: every step once, every byte across its edge once.
uint64_t least_work(const TileProblem& problem, const acg::Machine& machine) {
  std::map<std::string, uint64_t> work;
  for (const TileNest& nest : problem.nests) {
    uint64_t steps = 1;
    for (size_t i = 0; i < problem.shared; ++i) steps *= static_cast<uint64_t>(problem.loops[i].trips);
    for (const size_t loop : nest.loops) steps *= static_cast<uint64_t>(problem.loops[loop].trips);
    work[nest.compute.location] += steps;
  }
  const acg::MemoryId outermost = acg::outermost_memory(machine);
  std::vector<int64_t> whole;
  for (const TileLoop& loop : problem.loops) whole.push_back(loop.trips);
  for (const TileBuffer& buffer : problem.buffers) {
    if (buffer.role == TileRole::kIntermediate) continue;
    const bool is_load = buffer.role == TileRole::kLoad;
    const acg::MemoryId nearest = is_load ? buffer.memories.front() : buffer.memories.back();
    const auto edge =
        is_load ? acg::edge_between(machine, outermost, nearest) : acg::edge_between(machine, nearest, outermost);
    check(edge.has_value(), "a tile comes along an edge");
    uint64_t size = bytes(buffer.dtype);
    for (size_t d = 0; d < buffer.extents.size(); ++d) {
      size *= static_cast<uint64_t>(std::min(buffer.extents[d].evaluate(whole), buffer.tensor_shape[d]));
    }
    work[std::to_string(*edge)] += size / std::max<uint64_t>(1, machine.edges[*edge].bandwidth / 8);
  }
  uint64_t most = 0;
  for (const auto& [engine, cycles] : work) most = std::max(most, cycles);
  return most;
}

bool holds_two_parts(const acg::Machine& machine) {
  return std::any_of(machine.memories.begin(), machine.memories.end(), [](const acg::Memory& memory) {
    return memory.kind == acg::MemoryKind::kInstruction && memory.depth >= kInstructionDepth;
  });
}

/// Sizes of tiles that leave something over, largest first: of all with as many whole tiles the largest, which leaves
/// least, and the smallest.
std::vector<int64_t> sizes_to_cut(int64_t trips) {
  std::set<int64_t, std::greater<>> sizes;
  for (int64_t whole = 1; whole < trips; ++whole) {
    for (const int64_t size : {trips / whole, (trips + whole) / (whole + 1)}) {
      if (trips % size != 0) sizes.insert(size);
    }
  }
  return {sizes.begin(), sizes.end()};
}

/// Both parts use the same channels: each is as large as the larger of its two tiles.
bool fit_together(const std::vector<Part>& parts, const acg::Machine& machine) {
  std::map<acg::MemoryId, uint64_t> units;
  for (size_t i = 0; i < parts[0].problem.buffers.size(); ++i) {
    for (const acg::MemoryId id : parts[0].problem.buffers[i].memories) {
      uint64_t most = 0;
      for (const Part& part : parts) {
        most = std::max(most, part.problem.buffers[i].units(acg::get(machine, id), part.tiling));
      }
      units[id] += most;
    }
  }
  return std::all_of(units.begin(), units.end(),
                     [&](const auto& entry) { return entry.second <= acg::get(machine, entry.first).half_units(); });
}

/// Finds schedules with one loop cut.
class CutSearch {
 public:
  CutSearch(const TileProblem& problem, const acg::Machine& machine, const TilingLimits& limits)
      : problem_(problem), machine_(machine), limits_(limits) {}

  /// The best pairs of tilings by their sums.
  std::vector<Schedule> run(ScheduleSearch& search) {
    for (size_t loop = 0; loop < problem_.shared; ++loop) {
      if (!problem_.loops[loop].splittable) continue;
      for (const int64_t size : sizes_to_cut(problem_.loops[loop].trips)) try_size(loop, size);
    }
    search.candidates += candidates_;
    if (is_stopped()) search.stop = StopReason::kCandidateLimit;
    std::stable_sort(pairs_.begin(), pairs_.end(), is_faster);
    if (pairs_.size() > kPlayedCuts) pairs_.resize(kPlayedCuts);
    return std::move(pairs_);
  }

 private:
  bool is_stopped() const { return candidates_ >= limits_.max_cut_candidates; }

  void try_size(size_t loop, int64_t size) {
    if (is_stopped()) return;
    const int64_t trips = problem_.loops[loop].trips;
    const int64_t at = trips / size * size;
    const TileProblem second = part_of(problem_, loop, at, trips);
    const std::vector<Schedule> firsts = tilings(part_of(problem_, loop, 0, at), loop, size);
    if (firsts.empty()) return;
    for (const Schedule& rest : tilings(second, loop, trips - at)) {
      for (const Schedule& first : firsts) {
        Schedule pair = first;
        pair.prediction.cycles += rest.prediction.cycles;
        pair.cut = Cut{loop, at, second, rest.tiling, rest.order};
        if (fit_together(parts_of(problem_, pair), machine_)) pairs_.push_back(std::move(pair));
      }
    }
  }

  std::vector<Schedule> tilings(const TileProblem& part, size_t loop, int64_t size) {
    if (is_stopped()) return {};
    Forced forced{Tiling(part.loops.size()), {}};
    forced.tiling[loop] = size;
    TilingLimits limits = limits_;
    limits.max_candidates = limits_.max_cut_candidates - candidates_;
    const TilingSearch found = valid_tilings(part, machine_, limits, forced);
    candidates_ += found.candidates;
    return best_by_sum(part, machine_, limits, found.valid, kFewTilings);
  }

  const TileProblem& problem_;
  const acg::Machine& machine_;
  const TilingLimits& limits_;
  uint64_t candidates_ = 0;
  std::vector<Schedule> pairs_;
};

Prediction play(const TileProblem& problem, const acg::Machine& machine, const TilingLimits& limits,
                const Schedule& schedule) {
  const Cut& cut = *schedule.cut;
  const TileProblem first = part_of(problem, cut.loop, 0, cut.at);
  return TileCosts(cut.problem, machine, cut.tiling, limits, 2)
      .play_behind(TileCosts(first, machine, schedule.tiling, limits, 2), schedule.order, cut.order,
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
  if (!schedule.cut) {
    return {{reordered(problem, schedule.order), reordered(schedule.tiling, schedule.order)}};
  }
  const Cut& cut = *schedule.cut;
  return {
      {reordered(part_of(problem, cut.loop, 0, cut.at), schedule.order), reordered(schedule.tiling, schedule.order)},
      {reordered(cut.problem, cut.order), reordered(cut.tiling, cut.order)}};
}

std::vector<bool> kept_buffers(const TileProblem& problem, const Schedule& schedule) {
  const Cut& cut = schedule.cut.value();
  std::vector<bool> kept;
  for (const TileBuffer& buffer : problem.buffers) {
    kept.push_back(buffer.role == TileRole::kLoad && !buffer.depends_on(cut.loop) &&
                   std::all_of(buffer.loops.begin(), buffer.loops.end(), [&](size_t loop) {
                     const TileLoop& whole = problem.loops[loop];
                     return whole.tiles(schedule.tiling[loop]) == 1 && whole.tiles(cut.tiling[loop]) == 1;
                   }));
  }
  return kept;
}

void add_cut_schedules(const acg::Machine& machine, const TilingLimits& limits, ScheduleSearch& search) {
  const TileProblem& problem = search.problem;
  const Prediction plain = search.played.front().prediction;
  if (!plain.is_played || !holds_two_parts(machine) || !wins(least_work(problem, machine), plain.cycles)) return;
  std::vector<Schedule> better;
  for (Schedule& schedule : CutSearch(problem, machine, limits).run(search)) {
    schedule.prediction = play(problem, machine, limits, schedule);
    if (wins(schedule.prediction.cycles, plain.cycles)) better.push_back(std::move(schedule));
  }
  std::stable_sort(better.begin(), better.end(), is_faster);
  search.played.insert(search.played.begin(), better.begin(), better.end());
}

Result<ScheduleSearch> search_forced_cut(const TileProblem& problem, const acg::Machine& machine,
                                         const TilingLimits& limits, const LayerSchedule& chosen) {
  const Result<size_t> loop = cut_loop(chosen, problem);
  if (!loop) return loop.error();
  const int64_t at = chosen.cut->at;
  const TileProblem first = part_of(problem, *loop, 0, at);
  const TileProblem second = part_of(problem, *loop, at, problem.loops[*loop].trips);
  const Result<Forced> of_first = forced_by(chosen, first);
  if (!of_first) return of_first.error();
  const Result<Forced> of_second = forced_by(second_part(chosen), second);
  if (!of_second) return of_second.error();
  const Result<ScheduleSearch> firsts = search_schedules(first, machine, limits, *of_first);
  if (!firsts) return firsts.error();
  const Result<ScheduleSearch> seconds = search_schedules(second, machine, limits, *of_second);
  if (!seconds) return seconds.error();
  ScheduleSearch search{problem,
                        {},
                        firsts->valid + seconds->valid,
                        firsts->candidates + seconds->candidates,
                        std::max(firsts->stop, seconds->stop)};
  for (const Schedule& one : firsts->played) {
    for (const Schedule& other : seconds->played) {
      Schedule pair = one;
      pair.cut = Cut{*loop, at, second, other.tiling, other.order};
      if (search.played.size() == limits.max_played || !fit_together(parts_of(problem, pair), machine)) continue;
      pair.prediction = play(problem, machine, limits, pair);
      search.played.push_back(std::move(pair));
    }
  }
  if (search.played.empty()) {
    return Diagnostic{"SCH0016",
                      chosen.cut->where,
                      problem.name,
                      "the tiles of the two parts do not fit together",
                      chosen.cut->loop,
                      {},
                      "make a tile of the part smaller whose tiles of one memory are larger"};
  }
  std::stable_sort(search.played.begin(), search.played.end(), is_faster);
  return search;
}

}  // namespace covenant::compiler
