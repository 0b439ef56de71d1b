#include "compiler/schedule/pinned.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

#include "acg/base/failure.h"
#include "acg/base/suggest.h"
#include "compiler/schedule/splits.h"

namespace covenant::compiler {
namespace {

/// Shared loops with several trips: only these can be ordered.
std::vector<size_t> turning(const TileProblem& problem) {
  std::vector<size_t> loops;
  for (size_t i = 0; i < problem.shared; ++i) {
    if (problem.loops[i].trips > 1) loops.push_back(i);
  }
  return loops;
}

class Reader {
 public:
  Reader(const LayerSchedule& schedule, const TileProblem& problem) : schedule_(schedule), problem_(problem) {}

  Pinned read() {
    Pinned pinned{Tiling(problem_.loops.size()), {}};
    for (const LoopTile& tile : schedule_.tiles) {
      const size_t loop = next_loop(tile, pinned.tiling);
      check_size(tile, problem_.loops[loop]);
      pinned.tiling[loop] = tile.size;
    }
    if (!schedule_.order.empty()) pinned.order = order();
    return pinned;
  }

 private:
  [[noreturn]] void refuse(const std::string& code, const SourceLocation& where, const std::string& message,
                           const std::string& offending, std::vector<std::string> allowed,
                           const std::string& fix) const {
    throw Failure{{code, where, schedule_.layer, message, offending, std::move(allowed), fix}};
  }

  /// The first loop of this name that has no size yet.
  size_t next_loop(const LoopTile& tile, const Tiling& taken) const {
    std::vector<std::string> names;
    bool is_known = false;
    for (size_t i = 0; i < problem_.loops.size(); ++i) {
      names.push_back(problem_.loops[i].variable);
      if (names.back() != tile.loop) continue;
      if (taken[i] == 0) return i;
      is_known = true;
    }
    if (is_known) refuse("SCH0003", tile.where, "the tile of this loop is said twice", tile.loop, {}, "keep one");
    refuse("SCH0012", tile.where, "the layer has no such loop", tile.loop, names, suggest(tile.loop, names));
  }

  void check_size(const LoopTile& tile, const TileLoop& loop) const {
    const std::string trips = std::to_string(loop.trips);
    if (tile.trips > 0 && tile.trips != loop.trips) {
      refuse("SCH0014", tile.where, fmt::format("loop {} has {} trips in this layer", loop.variable, trips),
             std::to_string(tile.trips), {trips}, "choose a tile of that loop; `of` only says what it was chosen for");
    }
    if (!loop.splittable && tile.size != loop.trips) {
      refuse("SCH0013", tile.where, fmt::format("loop {} cannot be split: one tile holds all of it", loop.variable),
             std::to_string(tile.size), {trips},
             fmt::format("write `tile {} {}`, or leave it out", loop.variable, trips));
    }
    if (loop.is_one_by_one && tile.size != 1) {
      refuse("SCH0013", tile.where,
             fmt::format("loop {} turns trip by trip: each writes over the end of the one before it", loop.variable),
             std::to_string(tile.size), {"1"}, fmt::format("write `tile {} 1`, or leave it out", loop.variable));
    }
    if (tile.size <= loop.trips && (loop.may_overhang || loop.trips % tile.size == 0)) return;
    std::vector<std::string> allowed;
    for (int64_t size = 1; size <= loop.trips && !loop.may_overhang; ++size) {
      if (loop.trips % size == 0) allowed.push_back(std::to_string(size));
    }
    if (loop.may_overhang) allowed = {"1 to " + trips};
    refuse("SCH0013", tile.where,
           fmt::format("tiles of this size do not cover the {} trips of loop {}", trips, tile.loop),
           std::to_string(tile.size), std::move(allowed), "choose one of the allowed sizes");
  }

  std::vector<size_t> order() const {
    std::vector<size_t> result(problem_.shared);
    for (size_t i = 0; i < result.size(); ++i) result[i] = i;
    const std::vector<size_t> places = turning(problem_);
    std::vector<std::string> names;
    for (const size_t place : places) names.push_back(problem_.loops[place].variable);
    if (!std::is_permutation(names.begin(), names.end(), schedule_.order.begin(), schedule_.order.end())) {
      refuse("SCH0015", schedule_.order_where, "the order names each loop around all computes once, outermost first",
             fmt::format("{}", fmt::join(schedule_.order, ", ")), names,
             "put these loops in an order, or leave it out");
    }
    for (size_t i = 0; i < places.size(); ++i) {
      const auto named = std::find(names.begin(), names.end(), schedule_.order[i]);
      result[places[i]] = places[static_cast<size_t>(named - names.begin())];
    }
    std::vector<size_t> in_order;
    std::ranges::copy_if(result, std::back_inserter(in_order), [&](size_t i) { return problem_.loops[i].in_order; });
    if (!std::ranges::is_sorted(in_order)) {
      refuse("SCH0015", schedule_.order_where, "loops of which each trip writes over the end of the one before it turn",
             fmt::format("{}", fmt::join(schedule_.order, ", ")), names, "leave these loops in their order");
    }
    return result;
  }

  const LayerSchedule& schedule_;
  const TileProblem& problem_;
};

/// Leaves out loops of one trip and those that cannot be split.
template <typename Written>
void write_tiling(const TileProblem& problem, const Tiling& tiling, const std::vector<size_t>& order, Written& to) {
  for (size_t i = 0; i < problem.loops.size(); ++i) {
    const TileLoop& loop = problem.loops[i];
    if (loop.splittable && loop.trips > 1) to.tiles.push_back({loop.variable, tiling[i], loop.trips, {}});
  }
  const std::vector<size_t> places = turning(problem);
  if (places.size() < 2) return;
  for (const size_t place : places) to.order.push_back(problem.loops[order[place]].variable);
}

/// Formats 1234567 as 1,234,567.
std::string grouped(uint64_t number) {
  std::string digits = std::to_string(number);
  for (size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}

}  // namespace

Result<Pinned> pinned_by(const LayerSchedule& schedule, const TileProblem& problem) {
  return guarded<Pinned>([&] { return Reader(schedule, problem).read(); });
}

Result<size_t> split_loop(const LayerSchedule& schedule, const TileProblem& problem) {
  const SplitSchedule& split = schedule.split.value();
  std::vector<std::string> names;
  for (size_t i = 0; i < problem.shared; ++i) {
    const TileLoop& loop = problem.loops[i];
    names.push_back(loop.variable);
    if (loop.variable != split.loop) continue;
    if (loop.splittable && split.at < loop.trips) return i;
    const std::string trips = std::to_string(loop.trips);
    return Diagnostic{"SCH0018",
                      split.where,
                      schedule.layer,
                      fmt::format("the second part begins outside of the {} trips of loop {}", trips, split.loop),
                      std::to_string(split.at),
                      {fmt::format("1 to {}", loop.trips - 1)},
                      "split the loop between two of its trips, or leave the split out"};
  }
  return Diagnostic{"SCH0012",
                    split.where,
                    schedule.layer,
                    "the layer has no such loop around all computes",
                    split.loop,
                    names,
                    suggest(split.loop, names)};
}

std::vector<std::string> nodes_of(const TileProblem& problem) {
  std::vector<std::string> nodes;
  for (const TileNest& nest : problem.nests) nodes.push_back(nest.compute.location);
  return nodes;
}

Result<size_t> split_nodes(const LayerSchedule& schedule, const TileProblem& problem,
                           const std::vector<TileProblem>& others) {
  const SplitSchedule& split = schedule.split.value();
  std::vector<std::string> allowed;
  for (size_t i = 0; i <= others.size(); ++i) {
    const std::vector<std::string> nodes = nodes_of(i == others.size() ? problem : others[i]);
    if (nodes == split.nodes || (split.nodes.empty() && i == others.size())) return i;
    allowed.push_back(fmt::format("{}", fmt::join(nodes, ", ")));
  }
  return Diagnostic{"SCH0020",
                    split.nodes_where,
                    schedule.layer,
                    "the second part cannot be on these nodes",
                    fmt::format("{}", fmt::join(split.nodes, ", ")),
                    allowed,
                    "name one of these nodes for each compute of the layer, or leave `on` out"};
}

LayerSchedule second_part(const LayerSchedule& schedule) {
  const SplitSchedule& split = schedule.split.value();
  LayerSchedule part;
  part.layer = schedule.layer;
  part.tiles = split.tiles;
  part.order = split.order;
  part.where = split.where;
  part.order_where = split.order_where;
  return part;
}

LayerSchedule schedule_of(const ScheduleSearch& search) {
  const Schedule& best = search.simulated.front();
  LayerSchedule schedule;
  schedule.layer = search.problem.name;
  if (best.split) {
    const LoopSplit& split = *best.split;
    write_tiling(part_of(search.problem, split.loop, 0, split.at), best.tiling, best.order, schedule);
    schedule.split = SplitSchedule{};
    schedule.split->loop = search.problem.loops[split.loop].variable;
    schedule.split->at = split.at;
    if (nodes_of(split.problem) != nodes_of(search.problem)) schedule.split->nodes = nodes_of(split.problem);
    write_tiling(split.problem, split.tiling, split.order, *schedule.split);
  } else {
    write_tiling(search.problem, best.tiling, best.order, schedule);
  }
  schedule.note =
      fmt::format("{} cycles predicted, most work: {}", grouped(best.prediction.cycles), best.prediction.limited_by);
  if (search.stop == StopReason::kCandidateLimit) {
    schedule.note += fmt::format(", the best of the first {} candidates", grouped(search.candidates));
  }
  return schedule;
}

}  // namespace covenant::compiler
