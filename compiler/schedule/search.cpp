#include "compiler/schedule/search.h"

#include <algorithm>

#include "acg/base/rounding.h"
#include "acg/graph/queries.h"
#include "compiler/codelet/diagnose.h"
#include "compiler/schedule/contiguous_segments.h"
#include "compiler/target/stream/cost.h"

namespace covenant::compiler {
namespace {

/// From the largest to the smallest.
std::vector<int64_t> sizes(const TileLoop& loop, bool remainders) {
  if (!loop.splittable) return {loop.trips};
  std::vector<int64_t> result;
  for (int64_t size = loop.trips; size >= 1; --size) {
    const int64_t tiles = loop.tiles(size);
    // Of all sizes that need as many tiles, the smallest leaves least to spare.
    const bool is_smallest = size == 1 || loop.tiles(size - 1) > tiles;
    const bool covers = remainders && loop.may_overhang && is_smallest && (tiles * size - loop.trips) * 8 <= loop.trips;
    if (loop.trips % size == 0 || covers) result.push_back(size);
  }
  return result;
}

const TileNest& nest_of(const TileProblem& problem, size_t buffer) {
  for (const TileNest& nest : problem.nests) {
    if (nest.destination == buffer ||
        std::find(nest.operands.begin(), nest.operands.end(), buffer) != nest.operands.end())
      return nest;
  }
  fail("a buffer belongs to no nest");
}

class Search {
 public:
  Search(const TileProblem& problem, const acg::Machine& machine, const TilingLimits& limits, const Pinned& pinned)
      : problem_(problem), machine_(machine), limits_(limits), storage_(machine.memories.size()) {
    for (size_t i = 0; i < problem.loops.size(); ++i) {
      const bool is_open = pinned.tiling.empty() || pinned.tiling[i] == 0;
      sizes_.push_back(is_open ? sizes(problem.loops[i], limits.remainders) : std::vector{pinned.tiling[i]});
      tiling_.push_back(sizes_.back().back());
    }
  }

  TilingSearch run() {
    if (const std::optional<Shortage> shortage = find_shortage()) {
      result_.shortage = shortage;
      return result_;
    }
    descend(0);
    return std::move(result_);
  }

 private:
  /// Chooses the size of loop `loop`; all later ones are smallest, so what does not fit now never will.
  void descend(size_t loop) {
    if (loop == problem_.loops.size()) {
      const std::string why_not = infeasible_because();
      if (why_not.empty()) result_.valid.push_back(tiling_);
      if (!why_not.empty()) result_.infeasible_because = why_not;
      return;
    }
    for (const int64_t size : sizes_[loop]) {
      if (result_.stop == StopReason::kCandidateLimit) return;
      tiling_[loop] = size;
      if (++result_.candidates >= limits_.max_candidates) result_.stop = StopReason::kCandidateLimit;
      if (!find_shortage()) descend(loop + 1);
    }
    tiling_[loop] = sizes_[loop].back();
  }

  /// The first memory whose buffer cannot hold its locals.
  std::optional<Shortage> find_shortage() {
    std::fill(storage_.begin(), storage_.end(), 0);
    for (const TileBuffer& buffer : problem_.buffers) {
      for (const acg::MemoryId id : buffer.memories) {
        const acg::Memory& memory = acg::get(machine_, id);
        storage_[id.value] += buffer.units(memory, tiling_);
      }
    }
    for (uint32_t i = 0; i < storage_.size(); ++i) {
      const acg::Memory& memory = machine_.memories[i];
      if (storage_[i] > 0 && storage_[i] > memory.buffer_units()) {
        return Shortage{{i}, storage_[i] * memory.unit_bytes(), memory.buffer_bytes()};
      }
    }
    return std::nullopt;
  }

  /// Why loops and transfers cannot express the tiling; empty if they can.
  std::string infeasible_because() const {
    for (size_t i = 0; i < problem_.loops.size(); ++i) {
      if (tiling_[i] <= limits_.max_trips && problem_.loops[i].tiles(tiling_[i]) <= limits_.max_trips) continue;
      return "loop " + problem_.loops[i].variable + " turns more than " + std::to_string(limits_.max_trips) + " times";
    }
    for (const TileNest& nest : problem_.nests) {
      if (std::string why_not = loops_infeasible_because(nest); !why_not.empty()) return why_not;
    }
    for (const TileBuffer& buffer : problem_.buffers) {
      if (std::string why_not = transfer_infeasible_because(buffer); !why_not.empty()) return why_not;
    }
    return "";
  }

  std::string loops_infeasible_because(const TileNest& nest) const {
    size_t tile_loops = 0;
    size_t nest_loops = 0;
    const auto count = [&](size_t loop) {
      if (tiling_[loop] > 1) ++nest_loops;
      if (tiling_[loop] < problem_.loops[loop].trips) ++tile_loops;
    };
    for (size_t i = 0; i < problem_.shared; ++i) count(i);
    for (const size_t loop : nest.loops) count(loop);
    const acg::Compute& node = acg::get(machine_, acg::find_compute(machine_, nest.compute.location).value());
    const size_t most = node.unit == acg::UnitKind::kSimdArray ? limits_.max_simd_loops : limits_.max_pass_loops;
    const auto too_many = [&](size_t loops, const std::string& what, size_t allowed) {
      return std::to_string(loops) + " loops " + what + " " + nest.compute.capability + " on " + node.name +
             ", which has " + std::to_string(allowed);
    };
    if (tile_loops > limits_.max_tile_loops) return too_many(tile_loops, "around", limits_.max_tile_loops);
    return nest_loops > most ? too_many(nest_loops, "within", most) : "";
  }

  std::string transfer_infeasible_because(const TileBuffer& buffer) const {
    if (buffer.role == TileRole::kIntermediate) return "";
    const std::string& tensor = buffer.reference.surrogate;
    const std::vector<int64_t> shape = buffer.shape(tiling_);
    uint64_t tile_bits = bits(buffer.dtype);
    for (const int64_t extent : shape) tile_bits *= static_cast<uint64_t>(extent);
    // Algorithm 1: a tile is whole addressable elements of the memory that it leaves.
    const acg::MemoryId source =
        buffer.role == TileRole::kLoad ? acg::outermost_memory(machine_) : buffer.memories.front();
    const acg::Memory& memory = acg::get(machine_, source);
    if (tile_bits % (memory.granularity == 0 ? memory.data_width : memory.granularity) != 0) {
      return "a tile of " + tensor + " is not whole elements of " + memory.name;
    }
    const acg::Memory& nearest =
        acg::get(machine_, buffer.role == TileRole::kLoad ? buffer.memories.front() : buffer.memories.back());
    const TransferShape runs = transfer_shape(problem_, buffer, nearest, tiling_);
    if (contiguous_segments(runs, bytes(buffer.dtype), limits_.max_segment_bytes, limits_.max_transfer_loops))
      return "";
    return "a tile of " + tensor + " takes more than " + std::to_string(limits_.max_transfer_loops) +
           " loops of a transfer";
  }

  const TileProblem& problem_;
  const acg::Machine& machine_;
  const TilingLimits& limits_;
  std::vector<std::vector<int64_t>> sizes_;
  std::vector<uint64_t> storage_;
  Tiling tiling_;
  TilingSearch result_;
};

/// Bytes that the edge between the outermost memory and the buffer moves in a cycle.
uint64_t edge_bytes(const acg::Machine& machine, const TileBuffer& buffer) {
  const acg::MemoryId outermost = acg::outermost_memory(machine);
  const bool is_load = buffer.role == TileRole::kLoad;
  const acg::MemoryId nearest = is_load ? buffer.memories.front() : buffer.memories.back();
  const auto edge =
      is_load ? acg::edge_between(machine, outermost, nearest) : acg::edge_between(machine, nearest, outermost);
  check(edge.has_value(), "a tile does not come along an edge");
  return std::max<uint64_t>(1, machine.edges[edge.value()].bandwidth / 8);
}

/// All orders of the shared loops that differ in their split ones; the others keep their places.
std::vector<std::vector<size_t>> orders(const TileProblem& problem, const Tiling& tiling, const Pinned& pinned) {
  if (!pinned.order.empty()) return {pinned.order};
  std::vector<size_t> places;
  for (size_t i = 0; i < problem.shared; ++i) {
    if (problem.loops[i].tiles(tiling[i]) > 1) places.push_back(i);
  }
  std::vector<size_t> split = places;
  std::vector<std::vector<size_t>> result;
  do {
    result.emplace_back(problem.shared);
    for (size_t i = 0; i < problem.shared; ++i) result.back()[i] = i;
    for (size_t i = 0; i < places.size(); ++i) result.back()[places[i]] = split[i];
  } while (std::next_permutation(split.begin(), split.end()));
  return result;
}

/// Loops that are pinned, turn within a tile and index what lies in `memory`.
std::string loops_to_shrink(const TileProblem& problem, acg::MemoryId memory, const Pinned& pinned) {
  std::string names;
  for (size_t i = 0; i < problem.loops.size(); ++i) {
    const bool counts = std::any_of(problem.buffers.begin(), problem.buffers.end(), [&](const TileBuffer& buffer) {
      return buffer.depends_on(i) &&
             std::find(buffer.memories.begin(), buffer.memories.end(), memory) != buffer.memories.end();
    });
    if (!counts || !problem.loops[i].splittable || pinned.tiling[i] <= 1) continue;
    names += (names.empty() ? "" : ", ") + problem.loops[i].variable;
  }
  return names;
}

Diagnostic explain(const TileProblem& problem, const acg::Machine& machine, const TilingSearch& search,
                   const Pinned& pinned) {
  const bool is_pinned = std::any_of(pinned.tiling.begin(), pinned.tiling.end(), [](int64_t size) { return size > 0; });
  if (search.shortage) {
    const Shortage& shortage = *search.shortage;
    const std::string& memory = acg::get(machine, shortage.memory).name;
    const std::string need = std::to_string(shortage.need_bytes);
    const std::string buffer =
        "one buffer of " + memory + " has " + std::to_string(shortage.capacity_bytes) + " bytes, ";
    if (is_pinned) {
      return codelet::diagnose(
          "SCH0016", {}, problem.name, buffer + "these tiles need " + need, need + " bytes",
          {std::to_string(shortage.capacity_bytes) + " bytes or fewer"},
          "make the tile of one of these loops smaller: " + loops_to_shrink(problem, shortage.memory, pinned));
    }
    return codelet::diagnose("CDL0051", {}, problem.name, buffer + "the smallest tiles need " + need, memory,
                             {need + " bytes or more"}, "make " + memory + " deeper");
  }
  const std::string candidates = std::to_string(search.candidates) + " candidates";
  if (is_pinned) {
    return codelet::diagnose("SCH0017", {}, problem.name,
                             "the machine's loops and transfers cannot express these tiles", search.infeasible_because,
                             {}, "choose other tiles, or leave some out: they are searched then");
  }
  return codelet::diagnose("CDL0053", {}, problem.name,
                           search.stop == StopReason::kCandidateLimit
                               ? "no tiling was found within the limit of candidates"
                               : "no tiling can be expressed by the machine's loops and transfers",
                           candidates, {}, "make the memories deeper so that fewer loops are split");
}

}  // namespace

TilingSearch valid_tilings(const TileProblem& problem, const acg::Machine& machine, const TilingLimits& limits,
                           const Pinned& pinned) {
  return Search(problem, machine, limits, pinned).run();
}

size_t tile_loops_around(const TileProblem& problem, const Tiling& tiling, const TileBuffer& buffer,
                         const TileNest& nest, uint64_t* turns) {
  std::vector<size_t> order;
  for (size_t i = 0; i < problem.shared; ++i) order.push_back(i);
  order.insert(order.end(), nest.loops.begin(), nest.loops.end());
  size_t around = 0;
  size_t last = 0;
  uint64_t product = 1;
  uint64_t last_product = 1;
  for (const size_t loop : order) {
    const int64_t trips = problem.loops[loop].tiles(tiling[loop]);
    if (trips == 1) continue;
    ++around;
    product *= static_cast<uint64_t>(trips);
    if (!buffer.depends_on(loop)) continue;
    last = around;
    last_product = product;
  }
  if (turns != nullptr) *turns = last_product;
  return last;
}

OffchipCost offchip_cost(const TileProblem& problem, const acg::Machine& machine, const Tiling& tiling,
                         const TilingLimits& limits) {
  OffchipCost cost;
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const TileBuffer& buffer = problem.buffers[i];
    if (buffer.role == TileRole::kIntermediate) continue;
    uint64_t turns = 1;
    tile_loops_around(problem, tiling, buffer, nest_of(problem, i), &turns);
    const acg::Memory& nearest =
        acg::get(machine, buffer.role == TileRole::kLoad ? buffer.memories.front() : buffer.memories.back());
    const auto runs = contiguous_segments(transfer_shape(problem, buffer, nearest, tiling), bytes(buffer.dtype),
                                          limits.max_segment_bytes, limits.max_transfer_loops);
    check(runs.has_value(), "the cost of an invalid tiling");
    uint64_t count = turns;
    for (const SegmentLoop& loop : runs.value().loops) count *= static_cast<uint64_t>(loop.trips);
    const uint64_t beat = edge_bytes(machine, buffer);
    cost.bytes += count * runs.value().segment_bytes;
    cost.beats += count * ceil_divide(runs.value().segment_bytes, beat);
  }
  return cost;
}

namespace {

bool is_faster(const Schedule& a, const Schedule& b) { return a.prediction.cycles < b.prediction.cycles; }

}  // namespace

std::vector<Schedule> best_by_sum(const TileProblem& problem, const acg::Machine& machine, const TilingLimits& limits,
                                  const std::vector<Tiling>& valid, size_t count, const Pinned& pinned) {
  std::vector<Schedule> result;
  for (const Tiling& tiling : valid) {
    const TileCosts costs(problem, machine, tiling, limits);
    Schedule best;
    for (std::vector<size_t>& order : orders(problem, tiling, pinned)) {
      Prediction prediction = costs.sum(order);
      if (!best.order.empty() && prediction.cycles >= best.prediction.cycles) continue;
      best = {tiling, std::move(order), std::move(prediction)};
    }
    result.push_back(std::move(best));
  }
  std::stable_sort(result.begin(), result.end(), is_faster);
  if (result.size() > count) result.resize(count);
  return result;
}

Result<ScheduleSearch> search_schedules(const TileProblem& problem, const acg::Machine& machine,
                                        const TilingLimits& limits, const Pinned& pinned) {
  const TilingSearch search = valid_tilings(problem, machine, limits, pinned);
  if (search.valid.empty()) return explain(problem, machine, search, pinned);
  ScheduleSearch result{problem, {}, search.valid.size(), search.candidates, search.stop};
  result.simulated = best_by_sum(problem, machine, limits, search.valid, limits.max_simulated, pinned);
  for (Schedule& schedule : result.simulated) {
    schedule.prediction =
        TileCosts(problem, machine, schedule.tiling, limits).simulate(schedule.order, limits.max_commands);
  }
  std::stable_sort(result.simulated.begin(), result.simulated.end(), is_faster);
  return result;
}

TileProblem reordered(const TileProblem& problem, const std::vector<size_t>& order) {
  TileProblem result = problem;
  std::vector<size_t> place(problem.loops.size());
  for (size_t i = 0; i < place.size(); ++i) place[i] = i;
  for (size_t i = 0; i < order.size(); ++i) {
    result.loops[i] = problem.loops[order[i]];
    place[order[i]] = i;
  }
  for (TileBuffer& buffer : result.buffers) {
    for (Extent& extent : buffer.extents) {
      for (auto& [loop, factor] : extent.factors) loop = place[loop];
    }
    for (size_t& loop : buffer.loops) loop = place[loop];
    std::sort(buffer.loops.begin(), buffer.loops.end());
  }
  return result;
}

Tiling reordered(const Tiling& tiling, const std::vector<size_t>& order) {
  Tiling result = tiling;
  for (size_t i = 0; i < order.size(); ++i) result[i] = tiling[order[i]];
  return result;
}

}  // namespace covenant::compiler
