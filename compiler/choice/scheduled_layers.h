/// Layers of a network for which a user has written schedules.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "acg/base/result.h"
#include "compiler/choice/fusion.h"
#include "compiler/network/network.h"
#include "compiler/schedule/schedule.h"

namespace covenant::compiler {

/// The layers that a name lists with `+` between them; of one layer, that alone. Empty if the network lacks one.
class ListedLayers {
 public:
  explicit ListedLayers(const Network& network);
  std::vector<std::string> operator()(const std::string& name) const;

 private:
  std::map<std::string, size_t> places_;  ///< place of the first layer of each name
};

/// Checks that every schedule is for a layer, and that no two are for the same one. Errors: SCH0003, SCH0010.
Status check_layers(const Network& network, const std::vector<LayerSchedule>& schedules);

/// The schedule of each layer among `schedules`, or none. Layers of one name are taken in their order.
std::vector<const LayerSchedule*> schedules_of(const std::vector<LayerSchedule>& schedules, const Network& network);

/// The wanted lowering of each layer: that of its schedule, or else `pinned`.
std::vector<std::string> wished_lowerings(const std::vector<LayerSchedule>& schedules, const Network& network,
                                          const std::string& pinned);

/// Checks that every schedule is for a layer of the network. Error: SCH0019 (layers that it lists were not fused; gives
/// the reason).
Status check_followed(const FusedNetwork& fused, const std::vector<LayerSchedule>& schedules);

}  // namespace covenant::compiler
