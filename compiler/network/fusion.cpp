#include "compiler/network/fusion.h"

#include <algorithm>

#include "acg/base/check.h"
#include "compiler/codelet/diagnose.h"
#include "compiler/codelet/rewrite.h"
#include "compiler/network/choose.h"
#include "compiler/passes/fuse.h"
#include "compiler/passes/hoist.h"
#include "compiler/passes/insert_transfers.h"
#include "compiler/passes/strip_mine.h"
#include "compiler/schedule/splits.h"

namespace covenant::compiler {
namespace {

using codelet::Codelet;
using codelet::SurrogateKind;

/// The reader of a layer's result, if there is one alone, and under which names the two know the result.
struct Candidate {
  size_t consumer = 0;
  Joint joint;
};

/// A codelet with the schedules that were found for it.
struct Searched {
  Codelet packed;
  ScheduleSearch search;

  /// Predicted, after another layer: that hides the fetching of the words.
  uint64_t cycles() const {
    const Prediction& prediction = search.simulated.front().prediction;
    return prediction.cycles - prediction.fetch;
  }
};

Result<Searched> search_for(const Codelet& bound, LayerSearch& search) {
  Result<Codelet> packed = packed_codelet(bound, search.machine());
  if (!packed) return packed.error();
  Result<ScheduleSearch> found = search.search(*packed);
  if (!found) return found.error();
  return Searched{std::move(*packed), std::move(*found)};
}

Codelet tiled(const Searched& fused, const acg::Machine& machine) {
  const std::vector<Part> parts = parts_of(fused.search.problem, fused.search.simulated.front());
  return hoist(insert_transfers(strip_mine(fused.packed, machine, parts), machine));
}

std::vector<std::string> names_of(const NetworkLayer& layer) {
  return layer.fused.empty() ? std::vector{layer.layer.name} : layer.fused;
}

/// What the schedules say of two layers.
enum class Wish : uint8_t { kNone, kTogether, kApart };

class Fusion {
 public:
  Fusion(const Network& network, const std::vector<Codelet>& codelets, LayerSearch& search,
         const std::vector<LayerSchedule>& schedules)
      : search_(search), searched_(codelets.size()) {
    result_.network = network;
    result_.codelets = codelets;
    for (const LayerSchedule& schedule : schedules) scheduled_.push_back(listed_layers(network, schedule.layer));
  }

  FusedNetwork run() {
    search_ahead();
    for (size_t i = 0; i < layers().size();) {
      const std::optional<Candidate> candidate = find_candidate(i);
      if (!candidate || !try_to_fuse(i, *candidate)) ++i;
    }
    for (std::optional<Searched>& searched : searched_) {
      result_.searches.push_back(searched ? std::optional(std::move(searched->search)) : std::nullopt);
    }
    return std::move(result_);
  }

 private:
  /// Layers and pairs that will be looked at, those of fused layers excepted: all at once.
  void search_ahead() {
    std::vector<Codelet> packed;
    const auto add = [&](const Codelet& bound) {
      Result<Codelet> made = packed_codelet(bound, search_.machine());
      if (made) packed.push_back(std::move(*made));
    };
    for (size_t i = 0; i < layers().size(); ++i) {
      add(result_.codelets[i]);
      const std::optional<Candidate> candidate = find_candidate(i);
      if (!candidate) continue;
      const Result<FusedCodelet> fused =
          fuse(result_.codelets[i], result_.codelets[candidate->consumer], candidate->joint);
      if (fused) add(fused->codelet);
    }
    search_.search_all(packed);
  }

  std::vector<NetworkLayer>& layers() { return result_.network.layers; }

  std::optional<Candidate> find_candidate(size_t producer) {
    const std::optional<std::string> made = only_result(result_.codelets[producer]);
    if (!made) return std::nullopt;
    const size_t activation = layers()[producer].activations.at(*made);
    if (has_views(activation) || is_boundary(result_.network.outputs, activation)) return std::nullopt;
    std::optional<Candidate> candidate;
    for (size_t i = 0; i < layers().size(); ++i) {
      for (const auto& [surrogate, read] : layers()[i].activations) {
        if (i == producer || read != activation) continue;
        if (candidate && candidate->consumer != i) return std::nullopt;
        if (!candidate) candidate = Candidate{i, {*made, {}}};
        candidate->joint.read.push_back(surrogate);
      }
    }
    return candidate;
  }

  /// Others show its elements, too: whoever reads those needs them in memory.
  bool has_views(size_t activation) const {
    const std::vector<Activation>& all = result_.network.activations;
    const size_t allocation = all[activation].storage.allocation;
    const auto lies_there = [&](const Activation& one) { return one.storage.allocation == allocation; };
    return std::ranges::count_if(all, lies_there) > 1;
  }

  static std::optional<std::string> only_result(const Codelet& codelet) {
    std::optional<std::string> result;
    for (const codelet::Surrogate& surrogate : codelet.surrogates) {
      if (surrogate.kind != SurrogateKind::kOut) continue;
      if (result) return std::nullopt;
      result = surrogate.name;
    }
    return result;
  }

  bool try_to_fuse(size_t producer, const Candidate& candidate) {
    const size_t consumer = candidate.consumer;
    std::vector<std::string> names = names_of(layers()[producer]);
    const std::vector<std::string> others = names_of(layers()[consumer]);
    names.insert(names.end(), others.begin(), others.end());
    FusionVerdict verdict{
        layers()[producer].layer.name, layers()[consumer].layer.name, std::move(names), false, {}, {}, ""};
    const Wish wish = wish_for(verdict.layers);
    const Result<FusedCodelet> fused = fuse(result_.codelets[producer], result_.codelets[consumer], candidate.joint);
    if (wish == Wish::kApart) {
      verdict.reason = "one of them has a schedule of its own";
    } else if (!lie_apart(producer, consumer)) {
      verdict.reason = "together they would read and write one tensor";
    } else if (!fused) {
      verdict.reason = explain(fused.error());
    } else {
      weigh(producer, consumer, fused->codelet, wish, verdict);
    }
    result_.verdicts.push_back(verdict);
    if (!verdict.is_fused) return false;
    layers()[consumer] = merged(layers()[producer], layers()[consumer], *fused, candidate.joint);
    layers()[consumer].fused = verdict.layers;
    result_.codelets[consumer] = fused->codelet;
    const auto at = static_cast<std::ptrdiff_t>(producer);
    layers().erase(layers().begin() + at);
    result_.codelets.erase(result_.codelets.begin() + at);
    searched_.erase(searched_.begin() + at);
    return true;
  }

  /// Nothing that the producer touches lies where the consumer writes.
  bool lie_apart(size_t producer, size_t consumer) {
    const std::optional<std::string> written = only_result(result_.codelets[consumer]);
    if (!written) return true;
    const auto allocation = [&](size_t activation) {
      return result_.network.activations[activation].storage.allocation;
    };
    const size_t made = allocation(layers()[consumer].activations.at(*written));
    return std::ranges::none_of(layers()[producer].activations,
                                [&](const auto& used) { return allocation(used.second) == made; });
  }

  Wish wish_for(const std::vector<std::string>& layers) const {
    for (const std::vector<std::string>& scheduled : scheduled_) {
      const bool touches = std::any_of(layers.begin(), layers.end(), [&](const std::string& layer) {
        return std::find(scheduled.begin(), scheduled.end(), layer) != scheduled.end();
      });
      if (!touches) continue;
      const bool begins =
          layers.size() <= scheduled.size() && std::equal(layers.begin(), layers.end(), scheduled.begin());
      return begins ? Wish::kTogether : Wish::kApart;
    }
    return Wish::kNone;
  }

  void weigh(size_t producer, size_t consumer, const Codelet& fused, Wish wish, FusionVerdict& verdict) {
    const std::optional<uint64_t> first = cycles_of(producer);
    const std::optional<uint64_t> second = cycles_of(consumer);
    if (first && second) verdict.cycles_apart = *first + *second;
    Result<Searched> together = search_for(fused, search_);
    if (!together) {
      verdict.reason = explain(together.error());
      return;
    }
    verdict.cycles_together = together->cycles();
    if (wish == Wish::kNone && verdict.cycles_apart && *verdict.cycles_apart <= together->cycles()) {
      verdict.reason = "the two take no more cycles";
    } else if (const Status possible = check_emittable(*together); !possible) {
      verdict.reason = explain(possible.error());
    } else {
      verdict.is_fused = true;
      searched_[consumer] = std::move(*together);
    }
  }

  Status check_emittable(const Searched& searched) const {
    return search_.model().check_emittable(tiled(searched, search_.machine()));
  }

  static std::string explain(const Diagnostic& diagnostic) {
    return diagnostic.message + (diagnostic.offending.empty() ? "" : ": " + diagnostic.offending) + " [" +
           diagnostic.code + "]";
  }

  /// Nothing if the layer cannot be done.
  std::optional<uint64_t> cycles_of(size_t layer) {
    if (!searched_[layer]) {
      Result<Searched> searched = search_for(result_.codelets[layer], search_);
      if (!searched) return std::nullopt;
      searched_[layer] = std::move(*searched);
    }
    return searched_[layer]->cycles();
  }

  static NetworkLayer merged(const NetworkLayer& producer, const NetworkLayer& consumer, const FusedCodelet& fused,
                             const Joint& joint) {
    NetworkLayer layer = producer;
    layer.layer = {producer.layer.name + "+" + consumer.layer.name, {}, {}};
    layer.operation += "+" + consumer.operation;
    layer.activations.erase(joint.made);
    for (const auto& [name, content] : consumer.constants) layer.constants[fused.renamed.at(name)] = content;
    for (const auto& [name, activation] : consumer.activations) {
      const auto renamed = fused.renamed.find(name);
      if (renamed != fused.renamed.end()) layer.activations[renamed->second] = activation;
    }
    layer.macs += consumer.macs;
    layer.elementwise += consumer.elementwise;
    return layer;
  }

  LayerSearch& search_;
  FusedNetwork result_;
  std::vector<std::optional<Searched>> searched_;    ///< by layer, once it has been looked at
  std::vector<std::vector<std::string>> scheduled_;  ///< layers of each schedule
};

}  // namespace

FusedNetwork fuse_layers(const Network& network, const std::vector<Codelet>& codelets, LayerSearch& search,
                         const std::vector<LayerSchedule>& schedules) {
  check(network.layers.size() == codelets.size(), "one bound codelet per layer");
  return Fusion(network, codelets, search, schedules).run();
}

Status check_followed(const FusedNetwork& fused, const std::vector<LayerSchedule>& schedules) {
  for (const LayerSchedule& schedule : schedules) {
    const std::vector<NetworkLayer>& layers = fused.network.layers;
    const auto is_meant = [&](const NetworkLayer& layer) { return layer.layer.name == schedule.layer; };
    if (std::any_of(layers.begin(), layers.end(), is_meant)) continue;
    std::string reason = "the second alone must read what the first makes, and layers may be fused";
    for (const FusionVerdict& verdict : fused.verdicts) {
      if (verdict.producer + "+" + verdict.consumer == schedule.layer) reason = verdict.reason;
    }
    return codelet::diagnose("SCH0019", schedule.where, "", "these layers cannot be fused: " + reason, schedule.layer,
                             {}, "give each a schedule of its own");
  }
  return Done{};
}

std::vector<std::string> listed_layers(const Network& network, const std::string& name) {
  for (const NetworkLayer& layer : network.layers) {
    if (layer.layer.name == name) return {name};
  }
  for (const NetworkLayer& layer : network.layers) {
    const std::string& first = layer.layer.name;
    if (!name.starts_with(first + "+")) continue;
    std::vector<std::string> result = listed_layers(network, name.substr(first.size() + 1));
    if (result.empty()) continue;
    result.insert(result.begin(), first);
    return result;
  }
  return {};
}

}  // namespace covenant::compiler
