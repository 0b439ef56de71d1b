#include "compiler/choice/choose.h"

#include <algorithm>
#include <limits>
#include <map>

#include "acg/base/suggest.h"
#include "compiler/binding/bind_layer.h"
#include "compiler/binding/layer_codelet.h"
#include "compiler/choice/choose_storage.h"
#include "compiler/choice/scheduled_layers.h"
#include "compiler/codelet/diagnose.h"
#include "compiler/layers/chain_layers.h"
#include "compiler/library/library.h"
#include "compiler/mapping/sequence.h"
#include "compiler/network/layer_traits.h"

namespace covenant::compiler {

using codelet::Codelet;
using codelet::diagnose;

namespace {

std::vector<std::string> names_of(const std::vector<ConvLowering>& ways) {
  std::vector<std::string> names;
  for (const ConvLowering& way : ways) names.push_back(way.name);
  return names;
}

Diagnostic no_such_way(const LayerSchedule& schedule, const std::vector<std::string>& names) {
  return diagnose("SCH0011", schedule.lowering_where, schedule.layer, "this layer cannot be done in this way",
                  schedule.lowering, names, suggest(schedule.lowering, names));
}

}  // namespace

std::vector<Alternative> alternatives(const Network& network, size_t index, LayerSearch& search,
                                      const std::vector<Codelet>& declared) {
  std::vector<Alternative> result;
  for (ConvLowering& lowering : conv_lowerings(network, index, search.machine())) {
    Alternative alternative{std::move(lowering), std::nullopt};
    if (const Result<Codelet> packed = packed_codelet(alternative.lowering.layer, search.machine(), declared)) {
      Result<ScheduleSearch> found = search.search(*packed);
      if (found) alternative.search = std::move(*found);
    }
    result.push_back(std::move(alternative));
  }
  const auto cycles = [](const Alternative& one) {
    return one.search ? one.search->simulated.front().prediction.cycles : std::numeric_limits<uint64_t>::max();
  };
  std::stable_sort(result.begin(), result.end(),
                   [&](const Alternative& a, const Alternative& b) { return cycles(a) < cycles(b); });
  return result;
}

Status check_lowerings(const Network& network, const std::vector<LayerSchedule>& schedules) {
  if (const Status agreed = check_layers(network, schedules); !agreed) return agreed;
  const std::vector<const LayerSchedule*> known = schedules_of(schedules, network);
  for (size_t i = 0; i < network.layers.size(); ++i) {
    const LayerSchedule* schedule = known[i];
    if (schedule == nullptr || schedule->lowering == network.layers[i].lowering) continue;
    return no_such_way(*schedule, {network.layers[i].lowering});
  }
  return Done{};
}

Result<Network> choose_lowerings(const Network& network, LayerSearch& search, const std::string& pinned,
                                 const std::vector<LayerSchedule>& schedules, const std::vector<Codelet>& declared) {
  if (const Status agreed = check_layers(network, schedules); !agreed) return agreed.error();
  const std::vector<const LayerSchedule*> known = schedules_of(schedules, network);
  std::vector<std::string> wishes;
  for (const LayerSchedule* schedule : known) wishes.push_back(schedule != nullptr ? schedule->lowering : pinned);
  Network result = choose_storages(network, wishes, search, declared);
  for (size_t i = 0; i < network.layers.size(); ++i) {
    const LayerSchedule* schedule = known[i];
    if (schedule == nullptr || result.layers[i].lowering == schedule->lowering) continue;
    return no_such_way(*schedule, names_of(conv_lowerings(network, i, search.machine())));
  }
  return result;
}

}  // namespace covenant::compiler
