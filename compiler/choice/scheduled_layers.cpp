#include "compiler/choice/scheduled_layers.h"

#include <set>

#include "acg/base/suggest.h"
#include "compiler/codelet/diagnose.h"

namespace covenant::compiler {

using codelet::diagnose;

ListedLayers::ListedLayers(const Network& network) {
  for (size_t i = 0; i < network.layers.size(); ++i) places_.emplace(network.layers[i].layer.name, i);
}

std::vector<std::string> ListedLayers::operator()(const std::string& name) const {
  if (places_.contains(name)) return {name};
  std::map<size_t, std::string> beginnings;  // names may hold a `+`, too: the first layer counts
  for (size_t plus = name.find('+'); plus != std::string::npos; plus = name.find('+', plus + 1)) {
    const auto first = places_.find(name.substr(0, plus));
    if (first != places_.end()) beginnings.emplace(first->second, first->first);
  }
  for (const auto& [place, first] : beginnings) {
    std::vector<std::string> result = (*this)(name.substr(first.size() + 1));
    if (result.empty()) continue;
    result.insert(result.begin(), first);
    return result;
  }
  return {};
}

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

std::vector<std::string> wished_lowerings(const std::vector<LayerSchedule>& schedules, const Network& network,
                                          const std::string& pinned) {
  std::vector<std::string> wishes;
  for (const LayerSchedule* schedule : schedules_of(schedules, network)) {
    wishes.push_back(schedule != nullptr ? schedule->lowering : pinned);
  }
  return wishes;
}

Status check_followed(const FusedNetwork& fused, const std::vector<LayerSchedule>& schedules) {
  std::set<std::string> names;
  for (const NetworkLayer& layer : fused.network.layers) names.insert(layer.layer.name);
  for (const LayerSchedule& schedule : schedules) {
    if (names.contains(schedule.layer)) continue;
    std::string reason = "the second alone must read what the first makes, and layers may be fused";
    for (const FusionVerdict& verdict : fused.verdicts) {
      if (verdict.producer + "+" + verdict.consumer == schedule.layer) reason = verdict.reason;
    }
    return diagnose("SCH0019", schedule.where, "", "these layers cannot be fused: " + reason, schedule.layer, {},
                    "give each a schedule of its own");
  }
  return Done{};
}

}  // namespace covenant::compiler
