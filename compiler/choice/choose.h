/// Chooses the best lowering of each layer on a machine, by the cost model.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "acg/base/result.h"
#include "compiler/codelet/codelet.h"
#include "compiler/lowerings/makers.h"
#include "compiler/network/network.h"
#include "compiler/schedule/layer_search.h"
#include "compiler/schedule/schedule.h"
#include "compiler/schedule/search.h"

namespace covenant::compiler {

/// A layer in one of its lowerings, and the schedules that were found for it; none if it cannot be done on the machine.
struct Alternative {
  NetworkLayer layer;
  bool as_stored = true;  ///< the tensors have the storages that the lowering wants
  std::optional<ScheduleSearch> search{};
};

/// All alternatives for layer `index`, those of a copy that gathers among them, with their schedules, best first:
/// fewest predicted cycles, then the plainest. Alternatives that cannot be compiled come last. `declared`: codelets
/// besides those of the library. `makers`: of the lowerings.
std::vector<Alternative> alternatives(const Network& network, size_t index, LayerSearch& search,
                                      const std::vector<codelet::Codelet>& declared = {},
                                      const LoweringMakers& makers = all_makers());

/// The network with the best lowering of each layer, and its activations laid out for that. A layer in `schedules` is
/// lowered as given there; others use the lowering called `pinned` if they have it. Errors, at the place in the
/// schedules' file: SCH0003 (a layer is given twice), SCH0010 (the model has no such layer), SCH0011 (the layer has no
/// such lowering).
Result<Network> choose_lowerings(const Network& network, LayerSearch& search, const std::string& pinned = "",
                                 const std::vector<LayerSchedule>& schedules = {},
                                 const std::vector<codelet::Codelet>& declared = {},
                                 const LoweringMakers& makers = all_makers());

/// Every schedule is about a layer that the network has, and does in this way. Errors: SCH0003, SCH0010, SCH0011.
Status check_lowerings(const Network& network, const std::vector<LayerSchedule>& schedules);

}  // namespace covenant::compiler
