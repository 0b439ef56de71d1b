#include "compiler/network/choose.h"

#include <algorithm>
#include <limits>
#include <map>

#include "acg/base/suggest.h"
#include "compiler/codelet/diagnose.h"
#include "compiler/library/library.h"
#include "compiler/mapping/sequence.h"
#include "compiler/network/bind_layer.h"
#include "compiler/network/chain_layers.h"
#include "compiler/network/choose_storage.h"
#include "compiler/network/declared_layers.h"
#include "compiler/network/fusion.h"
#include "compiler/network/layer_traits.h"

namespace covenant::compiler {

using codelet::Codelet;
using codelet::diagnose;

namespace {

/// Checks that every schedule is for a layer, and that no two are for the same one.
Status check_layers(const Network& network, const std::vector<LayerSchedule>& schedules) {
  if (schedules.empty()) return Done{};
  std::vector<std::string> names;
  std::map<std::string, size_t> open;  // layers of each name without a schedule
  for (const NetworkLayer& layer : network.layers) {
    names.push_back(layer.layer.name);
    ++open[layer.layer.name];
  }
  const ListedLayers listed(network);
  for (const LayerSchedule& schedule : schedules) {
    const std::vector<std::string> layers = listed(schedule.layer);
    if (layers.empty()) {
      return diagnose("SCH0010", schedule.where, "", "the model has no such layer", schedule.layer, names,
                      suggest(schedule.layer, names));
    }
    for (const std::string& layer : layers) {
      if (open[layer]-- == 0) {
        return diagnose("SCH0003", schedule.where, "", "the schedule of this layer is said twice", layer, {},
                        "keep one");
      }
    }
  }
  return Done{};
}

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

Result<Codelet> codelet_of(const NetworkLayer& layer, const std::vector<Codelet>& declared) {
  if (traits(layer).is_chain) return chain_codelet(layer);
  const Codelet* own = find_codelet(declared, layer.operation);
  return own != nullptr ? Result<Codelet>(*own) : library_codelet(layer.operation);
}

Result<Codelet> packed_codelet(const NetworkLayer& layer, const acg::Machine& machine,
                               const std::vector<Codelet>& declared) {
  Result<Codelet> codelet = codelet_of(layer, declared);
  if (!codelet) return codelet;
  const Result<Codelet> bound = bind_layer(*codelet, layer, machine);
  return bound ? map_to_machine(*bound, machine) : bound;
}

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

std::vector<const LayerSchedule*> schedules_of(const std::vector<LayerSchedule>& schedules, const Network& network) {
  std::vector<const LayerSchedule*> result(network.layers.size());
  if (schedules.empty()) return result;
  const ListedLayers listed(network);
  std::map<std::string, std::vector<const LayerSchedule*>> known;
  for (const LayerSchedule& schedule : schedules) {
    // The schedule of fused layers gives the lowering of the first of them.
    const std::vector<std::string> layers = listed(schedule.layer);
    if (!layers.empty()) known[layers.front()].push_back(&schedule);
  }
  std::map<std::string, size_t> before;  // layers of each name
  for (size_t i = 0; i < result.size(); ++i) {
    const std::string& name = network.layers[i].layer.name;
    const auto found = known.find(name);
    const size_t place = before[name]++;
    if (found != known.end() && place < found->second.size()) result[i] = found->second[place];
  }
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
