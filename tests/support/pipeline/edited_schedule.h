/// Schedules as users might write them: those that the search has chosen, with other sizes and orders.
#pragma once

#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "compiler/driver/pipeline.h"
#include "compiler/schedule/parse.h"

namespace covenant::test {

/// The schedules that the search chooses for the graph, read from their text; empty if it cannot be compiled.
inline std::vector<compiler::LayerSchedule> searched_schedules(const compiler::srdfg::Graph& graph,
                                                               const acg::Machine& machine) {
  const Result<std::string> text = compiler::emit_graph(graph, machine, "edited", "scheduled");
  if (!text) return {};
  const auto schedules = compiler::parse_schedules(*text, "edited.schedule");
  check(static_cast<bool>(schedules), "what is printed can be read");
  return *schedules;
}

/// Any size of any loop and any order, valid or not.
inline std::vector<compiler::LayerSchedule> edited(std::vector<compiler::LayerSchedule> schedules,
                                                   std::mt19937& random) {
  const auto draw = [&](int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random);
  };
  for (compiler::LayerSchedule& schedule : schedules) {
    for (compiler::LoopTile& tile : schedule.tiles) tile.size = draw(1, tile.trips);
    for (size_t i = schedule.order.size(); i-- > 1;) {
      std::swap(schedule.order[i], schedule.order[static_cast<size_t>(draw(0, static_cast<int64_t>(i)))]);
    }
  }
  return schedules;
}

}  // namespace covenant::test
