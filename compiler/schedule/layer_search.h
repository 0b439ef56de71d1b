/// From the packed codelet of a layer to its schedules: searched once for all layers that are equal.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "acg/base/result.h"
#include "compiler/codelet/codelet.h"
#include "compiler/schedule/cost_model.h"
#include "compiler/schedule/schedule.h"
#include "compiler/schedule/search.h"

namespace covenant::compiler {

/// Searches for one machine. Layers are equal if their problems are, and what is pinned of them: names of layers,
/// constants and places in files do not count. Several threads may search at once, and what is found depends neither on
/// their number nor on what was searched before.
class LayerSearch {
 public:
  /// `model` outlives the search. `threads`: of `search_all`; 0: as many as the computer has cores.
  explicit LayerSearch(const CostModel& model, const TilingLimits& limits = {.remainders = true}, size_t threads = 0);

  const CostModel& model() const { return model_; }
  const acg::Machine& machine() const { return model_.machine(); }

  /// The schedules of a codelet that is packed, best first. What `chosen` says is kept; the rest is searched.
  /// Errors: CDL0050, CDL0052 (`problem.h`), CDL0051, CDL0053 (`search.h`) and those of `pinned.h`; SCH0016 (tiles of
  /// `chosen` do not fit a memory) and SCH0017 (they cannot be expressed), where without `chosen` there would be some
  /// that do.
  Result<ScheduleSearch> search(const codelet::Codelet& packed, const LayerSchedule* chosen = nullptr);

  /// Searches ahead, on all threads, for what `search` will be asked.
  void search_all(const std::vector<codelet::Codelet>& packed);

 private:
  Result<ScheduleSearch> search_with(const codelet::Codelet& packed, SplitReductions reductions,
                                     const LayerSchedule* chosen);
  Result<ScheduleSearch> search_at(const codelet::Codelet& packed, size_t choice, SplitReductions reductions,
                                   const LayerSchedule* chosen);
  Result<ScheduleSearch> search_once(const TileProblem& problem, const std::vector<TileProblem>& others,
                                     const Pinned& pinned, bool is_open);

  const CostModel& model_;
  TilingLimits limits_;
  size_t threads_;
  std::mutex mutex_;
  std::map<std::string, Result<ScheduleSearch>> known_;  ///< by problem and what is pinned
};

}  // namespace covenant::compiler
