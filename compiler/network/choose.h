/// Which lowering of each layer is best on a machine, by the cost model.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "acg/base/result.h"
#include "compiler/codelet/codelet.h"
#include "compiler/network/conv_lowerings.h"
#include "compiler/schedule/layer_search.h"
#include "compiler/schedule/schedule.h"
#include "compiler/schedule/search.h"

namespace covenant::compiler {

/// The codelet of an operation: one of `declared`, else the library's. Error: CDL0070.
Result<codelet::Codelet> codelet_of(const std::string& operation, const std::vector<codelet::Codelet>& declared);

/// The layer's codelet, bound, placed, routed, mapped and packed. Errors: CDL0070, and of these passes.
Result<codelet::Codelet> packed_codelet(const NetworkLayer& layer, const acg::Machine& machine,
                                        const std::vector<codelet::Codelet>& declared = {});
/// The same from the bound codelet on.
Result<codelet::Codelet> packed_codelet(const codelet::Codelet& bound, const acg::Machine& machine);

/// An lowering and the schedules that were found for it; none if it cannot be done on the machine.
struct Alternative {
  ConvLowering lowering;
  std::optional<ScheduleSearch> search;
};

/// All ways to do layer `index`, with their schedules, the best first: fewest predicted cycles, then the plainest. One
/// that cannot be done comes last. `declared`: codelets beside those of the library.
std::vector<Alternative> alternatives(const Network& network, size_t index, LayerSearch& search,
                                      const std::vector<codelet::Codelet>& declared = {});

/// The network with each layer done in its best way, and its activations laid out for that. A layer that `schedules`
/// has is done as it says there; others that can be done in the way called `pinned` are done so.
/// Errors, at the place in the schedules' file: SCH0003 (a layer is said twice), SCH0010 (the model has no such layer),
/// SCH0011 (the layer cannot be done in this way).
Result<Network> choose_lowerings(const Network& network, LayerSearch& search, const std::string& pinned = "",
                                 const std::vector<LayerSchedule>& schedules = {},
                                 const std::vector<codelet::Codelet>& declared = {});

/// Every schedule is about a layer that the network has, and does in this way. Errors: SCH0003, SCH0010, SCH0011.
Status check_lowerings(const Network& network, const std::vector<LayerSchedule>& schedules);

/// The schedule of each layer among `schedules`, or none. Layers of one name are taken in their order.
std::vector<const LayerSchedule*> schedules_of(const std::vector<LayerSchedule>& schedules, const Network& network);

}  // namespace covenant::compiler
