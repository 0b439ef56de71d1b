/// Finds schedules for the packed codelet of a layer; equal layers are searched only once.
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

/// Searches for one machine. Layers are equal if their problems and what is pinned of them are; names of layers,
/// constants and locations in files do not count. Thread-safe: results depend neither on the number of threads nor on
/// earlier searches.
class LayerSearch {
 public:
  /// `model` must outlive the search. `threads`: for `search_all`; 0: as many as the computer has cores.
  explicit LayerSearch(const CostModel& model, const TilingLimits& limits = {.remainders = true}, size_t threads = 0);

  const CostModel& model() const { return model_; }
  const acg::Machine& machine() const { return model_.machine(); }

  /// The schedules of a packed codelet, best first. Keeps what `chosen` gives and searches the rest. Errors: CDL0050,
  /// CDL0052 (`problem.h`), CDL0051, CDL0053 (`search.h`) and those of `pinned.h`; SCH0016 (tiles of `chosen` do not
  /// fit a memory) and SCH0017 (they cannot be expressed) if there would be schedules without `chosen`.
  Result<ScheduleSearch> search(const codelet::Codelet& packed, const LayerSchedule* chosen = nullptr);

  /// Searches on all threads in advance, so that later calls of `search` find their results.
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
  std::map<std::string, Result<ScheduleSearch>> known_;  ///< results by problem and what is pinned
};

}  // namespace covenant::compiler
