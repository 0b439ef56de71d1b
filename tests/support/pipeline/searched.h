/// The search of schedules with the cost model of the stream family, for tests of one layer.
#pragma once

#include <vector>

#include "compiler/families/stream/cost_model.h"
#include "compiler/passes/hoist.h"
#include "compiler/passes/insert_transfers.h"
#include "compiler/passes/strip_mine.h"
#include "compiler/schedule/layer_search.h"
#include "compiler/schedule/splits.h"

namespace covenant::test {

inline Result<compiler::ScheduleSearch> schedules(const compiler::codelet::Codelet& packed, const acg::Machine& machine,
                                                  const compiler::TilingLimits& limits = {.remainders = true},
                                                  const compiler::LayerSchedule* chosen = nullptr,
                                                  const compiler::stream::ExpressionLimits& expression = {}) {
  const compiler::stream::StreamCostModel model(machine, expression);
  return compiler::LayerSearch(model, limits).search(packed, chosen);
}

/// The codelet tiled by the best schedule of its search.
inline compiler::codelet::Codelet tile_as(const compiler::codelet::Codelet& packed, const acg::Machine& machine,
                                          const compiler::ScheduleSearch& search) {
  const std::vector<compiler::Part> parts = compiler::parts_of(search.problem, search.simulated.front());
  return compiler::hoist(compiler::insert_transfers(compiler::strip_mine(packed, machine, parts), machine));
}

/// The codelet in its best schedule.
inline Result<compiler::codelet::Codelet> tile(const compiler::codelet::Codelet& packed, const acg::Machine& machine,
                                               const compiler::TilingLimits& limits = {.remainders = true},
                                               const compiler::stream::ExpressionLimits& expression = {}) {
  const Result<compiler::ScheduleSearch> search = schedules(packed, machine, limits, nullptr, expression);
  if (!search) return search.error();
  return tile_as(packed, machine, *search);
}

inline Result<compiler::ScheduleSearch> search_schedules(const compiler::TileProblem& problem,
                                                         const acg::Machine& machine,
                                                         const compiler::TilingLimits& limits) {
  return compiler::search_schedules(problem, compiler::stream::StreamCostModel(machine), limits);
}

struct ValidTilings {
  std::vector<compiler::Tiling> valid;
  compiler::StopReason stop = compiler::StopReason::kComplete;
  uint64_t candidates = 0;
};

inline ValidTilings valid_tilings(const compiler::TileProblem& problem, const acg::Machine& machine,
                                  const compiler::TilingLimits& limits,
                                  const compiler::stream::ExpressionLimits& expression = {}) {
  const compiler::stream::StreamCostModel model(machine, expression);
  ValidTilings result;
  const compiler::TilingSearch search =
      compiler::for_each_tiling(problem, machine, *model.costs_of(problem), limits, {},
                                [&](const compiler::Tiling& tiling) { result.valid.push_back(tiling); });
  result.stop = search.stop;
  result.candidates = search.candidates;
  return result;
}

}  // namespace covenant::test
