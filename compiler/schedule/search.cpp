#include "compiler/schedule/search.h"

#include <algorithm>

#include "acg/graph/queries.h"
#include "compiler/codelet/diagnose.h"
#include "compiler/schedule/orders.h"

namespace covenant::compiler {
namespace {

/// Keeps the best of the tilings that are offered, up to a maximum number.
class Best {
 public:
  Best(const TileProblem& problem, ProblemCosts& costs, size_t count, const Pinned& pinned)
      : costs_(costs), count_(count), orders_(problem) {
    if (!pinned.order.empty()) pinned_orders_ = {pinned.order};
  }

  /// Offers a tiling. A later one replaces only one that is worse.
  void offer(const Tiling& tiling) {
    costs_.select(tiling);
    const uint64_t least = costs_.least_sum();
    if (count_ == 0 || (kept_.size() == count_ && least >= kept_.front().cycles)) return;
    SummedTiling best{tiling, {}, UINT64_MAX};
    for (const std::vector<size_t>& order : pinned_orders_.empty() ? orders_.of(tiling) : pinned_orders_) {
      const uint64_t cycles = costs_.sum(order);
      if (cycles >= best.cycles) continue;
      best.order = order;
      best.cycles = cycles;
      if (cycles == least) break;
    }
    keep(std::move(best));
  }

  std::vector<SummedTiling> take() {
    std::sort_heap(kept_.begin(), kept_.end(), is_better);
    return {std::make_move_iterator(kept_.begin()), std::make_move_iterator(kept_.end())};
  }

 private:
  struct Kept : SummedTiling {
    uint64_t number = 0;  ///< number of the offer
  };
  static bool is_better(const Kept& a, const Kept& b) {
    return a.cycles != b.cycles ? a.cycles < b.cycles : a.number < b.number;
  }

  void keep(SummedTiling tiling) {
    if (kept_.size() == count_) {
      if (tiling.cycles >= kept_.front().cycles) return;
      std::pop_heap(kept_.begin(), kept_.end(), is_better);
      kept_.pop_back();
    }
    kept_.push_back({std::move(tiling), offers_++});
    std::push_heap(kept_.begin(), kept_.end(), is_better);
  }

  ProblemCosts& costs_;
  size_t count_;
  LoopOrders orders_;
  std::vector<std::vector<size_t>> pinned_orders_;
  std::vector<Kept> kept_;  ///< a heap with the worst one in front
  uint64_t offers_ = 0;
};

/// Names of loops that are pinned, have several trips within a tile, and index data in `memory`.
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
  return codelet::diagnose(
      "CDL0053", {}, problem.name,
      search.stop == StopReason::kCandidateLimit ? "no tiling was found within the limit of candidates"
                                                 : "no tiling can be expressed by the machine's loops and transfers",
      candidates, {},
      search.infeasible_because.empty()
          ? "make the memories deeper so that fewer loops are split"
          : "make the memories deeper so that fewer loops are split, or the fields of the words wider: " +
                search.infeasible_because);
}

}  // namespace

BestTilings best_tilings(const TileProblem& problem, const acg::Machine& machine, ProblemCosts& costs,
                         const TilingLimits& limits, size_t count, const Pinned& pinned) {
  Best best(problem, costs, count, pinned);
  TilingSearch search =
      for_each_tiling(problem, machine, costs, limits, pinned, [&](const Tiling& tiling) { best.offer(tiling); });
  return {std::move(search), best.take()};
}

Result<ScheduleSearch> search_schedules(const TileProblem& problem, const CostModel& model, const TilingLimits& limits,
                                        const Pinned& pinned) {
  const std::unique_ptr<ProblemCosts> costs = model.costs_of(problem);
  const BestTilings found = best_tilings(problem, model.machine(), *costs, limits, limits.max_simulated, pinned);
  if (found.best.empty()) return explain(problem, model.machine(), found.search, pinned);
  ScheduleSearch result{problem, {}, found.search.valid, found.search.candidates, found.search.stop};
  for (const SummedTiling& one : found.best) {
    costs->select(one.tiling);
    result.simulated.push_back({one.tiling, one.order, costs->simulate(one.order, limits.max_commands)});
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
