#include "compiler/schedule/layer_search.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <optional>
#include <set>
#include <thread>

#include "compiler/schedule/other_nodes.h"
#include "compiler/schedule/pinned.h"
#include "compiler/schedule/problem_key.h"
#include "compiler/schedule/splits.h"

namespace covenant::compiler {
namespace {

using codelet::Codelet;

/// Problems of the same codelet on other nodes.
std::vector<TileProblem> problems_elsewhere(const Codelet& packed, const acg::Machine& machine, size_t choice,
                                            SplitReductions reductions) {
  std::vector<TileProblem> others;
  for (const Codelet& elsewhere : on_other_nodes(packed, machine)) {
    Result<TileProblem> other = tile_problem(elsewhere, machine, choice, reductions);
    if (other) others.push_back(std::move(*other));  // skipped otherwise: these nodes do not reach one another
  }
  return others;
}

/// Adapts the result for a problem that equals `problem`, which has other names.
ScheduleSearch retold(const ScheduleSearch& known, const TileProblem& problem, const std::vector<TileProblem>& others) {
  ScheduleSearch result = known;
  result.problem = problem;
  for (Schedule& schedule : result.simulated) {
    if (!schedule.split) continue;
    LoopSplit& split = *schedule.split;
    const std::vector<std::string> nodes = nodes_of(split.problem);
    const auto other =
        std::find_if(others.begin(), others.end(), [&](const TileProblem& one) { return nodes_of(one) == nodes; });
    const TileProblem& whole = nodes == nodes_of(problem) ? problem : *other;
    split.problem = part_of(whole, split.loop, split.at, whole.loops[split.loop].trips);
  }
  return result;
}

Result<ScheduleSearch> retold(const Result<ScheduleSearch>& known, const TileProblem& problem,
                              const std::vector<TileProblem>& others) {
  if (known) return retold(*known, problem, others);
  Diagnostic diagnostic = known.error();
  diagnostic.subject = problem.name;
  return diagnostic;
}

/// Calls `work` with 0 to `count - 1`, once each, on this many threads. Rethrows the first exception.
template <typename Work>
void in_parallel(size_t count, size_t threads, const Work& work) {
  std::atomic<size_t> next{0};
  std::exception_ptr failure;
  std::mutex mutex;
  const auto run = [&] {
    try {
      for (size_t i = next++; i < count; i = next++) work(i);
    } catch (...) {
      const std::scoped_lock lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  std::vector<std::thread> helpers;
  for (size_t i = 1; i < std::min(threads, count); ++i) helpers.emplace_back(run);
  run();
  for (std::thread& helper : helpers) helper.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace

LayerSearch::LayerSearch(const CostModel& model, const TilingLimits& limits, size_t threads)
    : model_(model),
      limits_(limits),
      threads_(threads > 0 ? threads : std::max<size_t>(1, std::thread::hardware_concurrency())) {}

Result<ScheduleSearch> LayerSearch::search_once(const TileProblem& problem, const std::vector<TileProblem>& others,
                                                const Pinned& pinned, bool is_open) {
  const std::string key = problem_key(problem, others, pinned);
  const std::string named = key + names_in(problem);  // diagnostics name tensors
  {
    const std::scoped_lock lock(mutex_);
    for (const std::string& one : {key, named}) {
      const auto known = known_.find(one);
      if (known != known_.end()) return retold(known->second, problem, others);
    }
  }
  Result<ScheduleSearch> search = search_schedules(problem, model_, limits_, pinned);
  if (search && limits_.remainders && is_open) add_split_schedules(model_, limits_, others, *search);
  const std::scoped_lock lock(mutex_);
  known_.emplace(search ? key : named, search);
  return search;
}

Result<ScheduleSearch> LayerSearch::search_at(const Codelet& packed, size_t choice, SplitReductions reductions,
                                              const LayerSchedule* chosen) {
  const Result<TileProblem> problem = tile_problem(packed, machine(), choice, reductions);
  if (!problem) return problem.error();
  const std::vector<TileProblem> others = problems_elsewhere(packed, machine(), choice, reductions);
  if (chosen != nullptr && chosen->split) return search_pinned_split(*problem, model_, limits_, others, *chosen);
  const bool is_open = chosen == nullptr || (chosen->tiles.empty() && chosen->order.empty());
  if (is_open) return search_once(*problem, others, {}, is_open);
  const Result<Pinned> pinned = pinned_by(*chosen, *problem);
  return pinned ? search_once(*problem, others, *pinned, is_open) : pinned.error();
}

Result<ScheduleSearch> LayerSearch::search_with(const Codelet& packed, SplitReductions reductions,
                                                const LayerSchedule* chosen) {
  std::optional<Diagnostic> first_failure;
  // Temporaries move from the last memory to earlier ones until everything fits.
  for (size_t choice = 0; choice < machine().memories.size(); ++choice) {
    Result<ScheduleSearch> found = search_at(packed, choice, reductions, chosen);
    if (found) return found;
    if (!first_failure) first_failure = found.error();
  }
  return first_failure.value();
}

Result<ScheduleSearch> LayerSearch::search(const Codelet& packed, const LayerSchedule* chosen) {
  Result<ScheduleSearch> found = search_with(packed, SplitReductions::kFreeOnes, chosen);
  if (found) return found;
  // Reductions that are better left whole are split only if nothing fits otherwise.
  if (chosen == nullptr || !search_with(packed, SplitReductions::kFreeOnes, nullptr)) {
    found = search_with(packed, SplitReductions::kAll, chosen);
  }
  if (found || chosen == nullptr) return found;
  // The user's choice is not to blame if no choice would work.
  if (Result<ScheduleSearch> open = search(packed); !open) return open;
  Diagnostic failure = found.error();
  if (failure.where.line == 0) failure.where = chosen->where;
  return failure;
}

void LayerSearch::search_all(const std::vector<Codelet>& packed) {
  std::vector<const Codelet*> distinct;
  std::set<std::string> keys;
  for (const Codelet& codelet : packed) {
    const Result<TileProblem> problem = tile_problem(codelet, machine(), 0);
    if (problem && keys.insert(problem_key(*problem, {}, {})).second) distinct.push_back(&codelet);
  }
  in_parallel(distinct.size(), threads_, [&](size_t i) { static_cast<void>(search(*distinct[i])); });
}

}  // namespace covenant::compiler
