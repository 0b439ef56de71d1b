#include "compiler/schedule/tilings.h"

#include <algorithm>

#include "acg/graph/queries.h"

namespace covenant::compiler {
namespace {

constexpr uint64_t kValuesOfRegister = 1;

/// Candidate sizes of a loop, largest first.
std::vector<int64_t> sizes(const TileLoop& loop, bool remainders) {
  if (!loop.splittable) return {loop.trips};
  if (loop.is_one_by_one) return {1};
  std::vector<int64_t> result;
  for (int64_t size = loop.trips; size >= 1; --size) {
    const int64_t tiles = loop.tiles(size);
    // Among all sizes that need the same number of tiles, the smallest overhangs least.
    const bool is_smallest = size == 1 || loop.tiles(size - 1) > tiles;
    const bool covers = remainders && loop.may_overhang && is_smallest && (tiles * size - loop.trips) * 8 <= loop.trips;
    if (loop.trips % size == 0 || covers) result.push_back(size);
  }
  return result;
}

/// Tracks the units of each memory that tiles take; recomputes only the buffers that a loop changes.
class Storage {
 public:
  Storage(const TileProblem& problem, const acg::Machine& machine, const Tiling& tiling)
      : problem_(problem), machine_(machine), used_(machine.memories.size()), changed_by_(problem.loops.size()) {
    for (size_t i = 0; i < problem.buffers.size(); ++i) {
      units_.emplace_back(problem.buffers[i].memories.size());
      update(i, tiling);
      for (const size_t loop : problem.buffers[i].loops) changed_by_[loop].push_back(i);
    }
  }

  /// Tells that loop `loop` has a new size in `tiling`.
  void change(size_t loop, const Tiling& tiling) {
    for (const size_t buffer : changed_by_[loop]) update(buffer, tiling);
  }

  /// The first memory one of whose buffers cannot hold its locals.
  std::optional<acg::MemoryId> first_short() const {
    for (uint32_t i = 0; i < used_.size(); ++i) {
      const acg::Memory& memory = machine_.memories[i];
      // A register holds several values in turn: the cost model tells how many are alive at once.
      const uint64_t values = memory.kind == acg::MemoryKind::kRegisterFile ? kValuesOfRegister : 1;
      if (used_[i] > 0 && used_[i] > values * memory.buffer_units()) return acg::MemoryId{i};
    }
    return std::nullopt;
  }

  uint64_t used(acg::MemoryId memory) const { return used_[memory.value]; }

 private:
  void update(size_t buffer, const Tiling& tiling) {
    const TileBuffer& one = problem_.buffers[buffer];
    for (size_t hop = 0; hop < one.memories.size(); ++hop) {
      const acg::MemoryId memory = one.memories[hop];
      uint64_t& units = units_[buffer][hop];
      used_[memory.value] -= units;
      units = one.units(acg::get(machine_, memory), tiling);
      used_[memory.value] += units;
    }
  }

  const TileProblem& problem_;
  const acg::Machine& machine_;
  std::vector<uint64_t> used_;                   ///< by memory
  std::vector<std::vector<uint64_t>> units_;     ///< by buffer, one for each memory on its path
  std::vector<std::vector<size_t>> changed_by_;  ///< by loop: indices of buffers
};

class Search {
 public:
  Search(const TileProblem& problem, const acg::Machine& machine, ProblemCosts& costs, const TilingLimits& limits,
         const Pinned& pinned, const std::function<void(const Tiling&)>& visit)
      : problem_(problem),
        machine_(machine),
        costs_(costs),
        limits_(limits),
        visit_(visit),
        sizes_(open_sizes(problem, limits, pinned)),
        tiling_(smallest()),
        storage_(problem, machine, tiling_) {}

  TilingSearch run() {
    if (const std::optional<acg::MemoryId> id = storage_.first_short()) {
      const acg::Memory& memory = acg::get(machine_, *id);
      result_.shortage = Shortage{*id, storage_.used(*id) * memory.unit_bytes(), memory.buffer_bytes()};
      return result_;
    }
    descend(0);
    if (!infeasible_.empty()) result_.infeasible_because = costs_.infeasible_because(infeasible_);
    return std::move(result_);
  }

 private:
  static std::vector<std::vector<int64_t>> open_sizes(const TileProblem& problem, const TilingLimits& limits,
                                                      const Pinned& pinned) {
    std::vector<std::vector<int64_t>> result;
    for (size_t i = 0; i < problem.loops.size(); ++i) {
      const bool is_open = pinned.tiling.empty() || pinned.tiling[i] == 0;
      result.push_back(is_open ? sizes(problem.loops[i], limits.remainders) : std::vector{pinned.tiling[i]});
      if (limits.smallest) result.back() = {result.back().back()};
    }
    return result;
  }

  Tiling smallest() const {
    Tiling tiling;
    for (const std::vector<int64_t>& sizes : sizes_) tiling.push_back(sizes.back());
    return tiling;
  }

  /// Chooses the size of loop `loop`. All later ones have their smallest size: what does not fit now never will.
  void descend(size_t loop) {
    if (loop == problem_.loops.size()) return take();
    for (const int64_t size : sizes_[loop]) {
      if (result_.stop == StopReason::kCandidateLimit) break;
      set(loop, size);
      if (++result_.candidates >= limits_.max_candidates) result_.stop = StopReason::kCandidateLimit;
      if (!storage_.first_short()) descend(loop + 1);
    }
    set(loop, sizes_[loop].back());
  }

  void set(size_t loop, int64_t size) {
    if (tiling_[loop] == size) return;
    tiling_[loop] = size;
    storage_.change(loop, tiling_);
  }

  void take() {
    if (!costs_.is_feasible(tiling_)) {
      infeasible_ = tiling_;
      return;
    }
    ++result_.valid;
    visit_(tiling_);
  }

  const TileProblem& problem_;
  const acg::Machine& machine_;
  ProblemCosts& costs_;
  const TilingLimits& limits_;
  const std::function<void(const Tiling&)>& visit_;
  std::vector<std::vector<int64_t>> sizes_;
  Tiling tiling_;
  Storage storage_;
  Tiling infeasible_;  ///< the last infeasible one
  TilingSearch result_;
};

}  // namespace

TilingSearch for_each_tiling(const TileProblem& problem, const acg::Machine& machine, ProblemCosts& costs,
                             const TilingLimits& limits, const Pinned& pinned,
                             const std::function<void(const Tiling&)>& visit) {
  return Search(problem, machine, costs, limits, pinned, visit).run();
}

}  // namespace covenant::compiler
