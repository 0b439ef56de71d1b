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
#include "compiler/layers/gathered_copies.h"
#include "compiler/library/library.h"
#include "compiler/mapping/sequence.h"

namespace covenant::compiler {

using codelet::Codelet;
using codelet::diagnose;

namespace {

/// `names`: of the lowerings that the layer has, perhaps the wanted one among them.
Diagnostic no_such_lowering(const LayerSchedule& schedule, std::vector<std::string> names) {
  std::string reason = "this layer cannot be done in this way";
  if (std::erase(names, schedule.lowering) != 0) reason += ": its tensors cannot lie as it needs them";
  return diagnose("SCH0011", schedule.lowering_where, schedule.layer, reason, schedule.lowering, names,
                  suggest(schedule.lowering, names));
}

/// Copies that shall gather do; others may when layers are fused (fusion.h).
void gather_as_wished(Network& network, const std::vector<std::string>& wishes, const acg::Machine& machine) {
  TakenNames names = names_in(network);
  for (size_t i = 0; i < wishes.size(); ++i) {
    const NetworkLayer& layer = network.layers[i];
    if (!names_gather(wishes[i])) continue;
    for (const Gather& gather : gathers(network, layer, machine)) {
      if (name_of(gather) != wishes[i]) continue;
      network.layers[i] = gathered_copy(network, layer, gather, machine, names);
      break;
    }
  }
}

}  // namespace

std::vector<Alternative> alternatives(const Network& network, size_t index, LayerSearch& search,
                                      const std::vector<Codelet>& declared, const LoweringMakers& makers) {
  const NetworkLayer& layer = network.layers.at(index);
  const acg::Machine& machine = search.machine();
  std::vector<Alternative> result;
  for (const Lowering& one : lowerings_of(makers, network, TensorUses(network), index, machine)) {
    result.push_back({lowered(layer, one), missing_storages(network, layer, one).empty()});
  }
  for (const Gather& gather : gathers(network, layer, machine)) {
    result.push_back({gathered_alone(network, layer, gather, machine)});
  }
  for (Alternative& alternative : result) {
    const Result<Codelet> packed = packed_codelet(alternative.layer, machine, declared);
    if (!packed) continue;
    if (Result<ScheduleSearch> found = search.search(*packed)) alternative.search = std::move(*found);
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
    return no_such_lowering(*schedule, {network.layers[i].lowering});
  }
  return Done{};
}

Result<Network> choose_lowerings(const Network& network, LayerSearch& search, const std::string& pinned,
                                 const std::vector<LayerSchedule>& schedules, const std::vector<Codelet>& declared,
                                 const LoweringMakers& makers) {
  if (const Status agreed = check_layers(network, schedules); !agreed) return agreed.error();
  const std::vector<const LayerSchedule*> known = schedules_of(schedules, network);
  const std::vector<std::string> wishes = wished_lowerings(schedules, network, pinned);
  Network result = choose_storages(network, wishes, search, makers, declared);
  gather_as_wished(result, wishes, search.machine());
  for (size_t i = 0; i < network.layers.size(); ++i) {
    const LayerSchedule* schedule = known[i];
    if (schedule == nullptr || result.layers[i].lowering == schedule->lowering) continue;
    std::vector<std::string> names;
    for (const Lowering& one : lowerings_of(makers, network, TensorUses(network), i, search.machine())) {
      names.push_back(one.name);
    }
    for (const Gather& gather : gathers(result, network.layers[i], search.machine())) names.push_back(name_of(gather));
    if (std::ranges::find(names, "plain") == names.end()) names.emplace_back("plain");
    return no_such_lowering(*schedule, names);
  }
  return result;
}

}  // namespace covenant::compiler
