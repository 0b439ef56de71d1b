#include "compiler/choice/fusion.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "acg/base/check.h"
#include "compiler/choice/layer_forms.h"
#include "compiler/choice/scheduled_layers.h"
#include "compiler/choice/searched_codelets.h"
#include "compiler/codelet/rewrite.h"
#include "compiler/passes/fuse.h"

namespace covenant::compiler {
namespace {

using codelet::Codelet;
using codelet::SurrogateKind;

/// The reader of a layer's result, if there is one alone, and under which names the two know the result.
struct Candidate {
  size_t consumer = 0;
  Joint joint;
};

std::vector<std::string> names_of(const NetworkLayer& layer) {
  return layer.fused.empty() ? std::vector{layer.layer.name} : layer.fused;
}

/// Most layers in one, unless a schedule lists more: each adds to the work of every search for it.
constexpr size_t kMostFused = 16;

/// Products that gather are predicted less exactly than copies: they must save one part of so many of their own cycles.
constexpr uint64_t kGathersMustSave = 8;

/// The user's schedules for a pair of layers: none, fused, or separate.
enum class Wish : uint8_t { kNone, kTogether, kApart };

class Fusion {
 public:
  Fusion(const Network& network, const std::vector<Codelet>& codelets, LayerSearch& search,
         const std::vector<LayerSchedule>& schedules, bool joins)
      : machine_(search.machine()),
        joins_(joins),
        names_(names_in(network)),
        searches_(search),
        searched_(codelets.size()) {
    result_.network = network;
    result_.codelets = codelets;
    is_gone_.resize(network.layers.size());
    for (const NetworkLayer& layer : network.layers) others_.push_back(other_forms(network, layer, machine_, joins));
    const ListedLayers listed(network);
    for (const LayerSchedule& schedule : schedules) add_schedule(listed(schedule.layer));
    for (size_t i = 0; i < network.layers.size(); ++i) {
      for (const auto& [name, activation] : network.layers[i].activations) users_[activation].insert(i);
    }
    for (size_t i = 0; i < network.activations.size(); ++i) tenants_[allocation_of(i)].push_back(i);
    for (const Boundary& boundary : network.outputs) outputs_.insert(boundary.activation);
  }

  FusedNetwork run() {
    search_ahead();
    for (size_t i = 0; i < layers().size(); ++i) {
      if (const std::optional<Candidate> candidate = find_candidate(i)) try_to_fuse(i, *candidate);
      if (!is_gone_[i]) choose_form(i);
    }
    FusedNetwork made;
    made.verdicts = std::move(result_.verdicts);
    made.network = std::move(result_.network);
    std::vector<NetworkLayer> all = std::exchange(made.network.layers, {});
    for (size_t i = 0; i < all.size(); ++i) {
      if (is_gone_[i]) continue;
      made.network.layers.push_back(std::move(all[i]));
      made.codelets.push_back(std::move(result_.codelets[i]));
      const Searched* searched = searched_[i];
      const std::string& name = made.codelets.back().name;
      made.searches.push_back(searched != nullptr ? std::optional(told_of(*searched, name)) : std::nullopt);
    }
    return made;
  }

 private:
  /// Layers and pairs that will be looked at, those of fused layers excepted: all at once.
  void search_ahead() {
    std::vector<Codelet> bound = result_.codelets;
    for (const std::vector<BoundForm>& others : others_) {
      for (const BoundForm& other : others) bound.push_back(other.codelet);
    }
    for (size_t i = 0; i < layers().size(); ++i) {
      const std::optional<Candidate> candidate = find_candidate(i);
      if (!candidate) continue;
      for (const auto& [first, second] : forms_of(i, candidate->consumer)) {
        Result<FusedCodelet> fused = joined(first, second, candidate->joint);
        if (fused) bound.push_back(std::move(fused->codelet));
      }
    }
    searches_.find_all(bound);
  }

  std::vector<NetworkLayer>& layers() { return result_.network.layers; }

  /// A layer as it is, or with other rows.
  struct Form {
    const NetworkLayer* layer = nullptr;
    const Codelet* codelet = nullptr;
  };
  std::vector<Form> forms_of(size_t layer) {
    std::vector<Form> forms{{&layers()[layer], &result_.codelets[layer]}};
    if (!layers()[layer].fused.empty()) return forms;
    for (const BoundForm& other : others_[layer]) {
      if (!other.gather) forms.push_back({&other.layer, &other.codelet});
    }
    return forms;
  }

  /// Gives a layer that was not fused the form with the fewest cycles, unless it has a schedule.
  void choose_form(size_t layer) {
    if (others_[layer].empty() || !layers()[layer].fused.empty()) return;
    if (wish_for({layers()[layer].layer.name}) != Wish::kNone) return;
    std::optional<uint64_t> fewest = cycles_of(layer);
    BoundForm* best = nullptr;
    for (BoundForm& other : others_[layer]) {
      const Result<Searched*> searched = searches_.find(other.codelet);
      if (!searched || (fewest && (*searched)->cycles() >= *fewest) || !searches_.emittable(**searched)) continue;
      fewest = (*searched)->cycles();
      best = &other;
      searched_[layer] = *searched;
    }
    if (best == nullptr) return;
    NetworkLayer& own = layers()[layer];
    own = best->gather ? gathered_copy(result_.network, own, *best->gather, machine_, names_) : std::move(best->layer);
    result_.codelets[layer] = std::move(best->codelet);
  }

  /// Forms of a producer and of its consumer: to be fused, their rows must agree.
  std::vector<std::pair<Form, Form>> forms_of(size_t producer, size_t consumer) {
    std::vector<std::pair<Form, Form>> all;
    for (const Form& first : forms_of(producer)) {
      for (const Form& second : forms_of(consumer)) all.emplace_back(first, second);
    }
    return all;
  }

  Result<FusedCodelet> joined(const Form& producer, const Form& consumer, const Joint& joint) const {
    return fuse(*producer.codelet, *consumer.codelet, joint, &machine_);
  }

  std::optional<Candidate> find_candidate(size_t producer) {
    if (!joins_) return std::nullopt;
    const std::optional<std::string> made = only_result(result_.codelets[producer]);
    if (!made) return std::nullopt;
    const size_t activation = layers()[producer].activations.at(*made);
    const std::optional<size_t> consumer = only_other_user(producer, activation);
    if (!consumer) return std::nullopt;
    Candidate candidate{*consumer, {*made, {}}};
    const Storage written = storage_of(producer, *made);
    for (const auto& [surrogate, read] : layers()[*consumer].activations) {
      if (allocation_of(read) != allocation_of(activation)) continue;
      if (read != activation && !have_same_elements(written, storage_of(*consumer, surrogate))) return std::nullopt;
      candidate.joint.read.push_back(surrogate);
    }
    return candidate;
  }

  /// The only layer beside the producer that uses the allocation; nothing if the host or more layers use it.
  std::optional<size_t> only_other_user(size_t producer, size_t activation) const {
    std::set<size_t> users;
    for (const size_t tenant : tenants_.at(allocation_of(activation))) {
      if (outputs_.contains(tenant)) return std::nullopt;
      if (const auto found = users_.find(tenant); found != users_.end()) {
        users.insert(found->second.begin(), found->second.end());
        if (tenant != activation && found->second.contains(producer)) return std::nullopt;
      }
    }
    users.erase(producer);
    return users.size() == 1 ? std::optional(*users.begin()) : std::nullopt;
  }

  size_t allocation_of(size_t activation) const { return result_.network.activations[activation].storage.allocation; }

  /// Storage of a layer's tensor, dimensions in the order of its codelet.
  Storage storage_of(size_t layer, const std::string& surrogate) {
    const NetworkLayer& one = layers()[layer];
    if (const auto view = one.views.find(surrogate); view != one.views.end()) return view->second;
    const Storage& storage = result_.network.activations[one.activations.at(surrogate)].storage;
    return permuted(storage, memory_order(storage.dimensions.size()));
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

  void try_to_fuse(size_t producer, const Candidate& candidate) {
    const size_t consumer = candidate.consumer;
    std::vector<std::string> names = names_of(layers()[producer]);
    const std::vector<std::string> others = names_of(layers()[consumer]);
    names.insert(names.end(), others.begin(), others.end());
    FusionVerdict verdict{
        layers()[producer].layer.name, layers()[consumer].layer.name, std::move(names), false, {}, {}, ""};
    const Wish wish = wish_for(verdict.layers);
    std::optional<Fused> best;
    if (wish == Wish::kApart) {
      verdict.reason = "one of them has a schedule of its own";
    } else if (wish == Wish::kNone && verdict.layers.size() > kMostFused) {
      verdict.reason = "together they are more than " + std::to_string(kMostFused) + " layers";
    } else if (!lie_apart(producer, consumer)) {
      verdict.reason = "together they would read and write one tensor";
    } else {
      best = best_of(producer, candidate, wish, verdict);
    }
    result_.verdicts.push_back(verdict);
    if (!best) return;
    for (const size_t one : {producer, consumer}) {
      for (const auto& [name, activation] : layers()[one].activations) users_[activation].erase(one);
    }
    layers()[consumer] = std::move(best->layer);
    layers()[consumer].fused = verdict.layers;
    result_.codelets[consumer] = std::move(best->codelet);
    searched_[consumer] = best->searched;
    for (const auto& [name, activation] : layers()[consumer].activations) users_[activation].insert(consumer);
    is_gone_[producer] = true;
  }

  /// A layer that does the work of two.
  struct Fused {
    NetworkLayer layer;
    Codelet codelet;
    const Searched* searched = nullptr;
  };

  /// The one with the fewest cycles of all forms of the two. The verdict is that on it, or that on the two as they are.
  std::optional<Fused> best_of(size_t producer, const Candidate& candidate, Wish wish, FusionVerdict& verdict) {
    std::optional<Fused> best;
    std::optional<FusionVerdict> said;
    for (const auto& [first, second] : forms_of(producer, candidate.consumer)) {
      FusionVerdict tried = verdict;
      const Searched* searched = nullptr;
      const Result<FusedCodelet> fused = joined(first, second, candidate.joint);
      if (fused) {
        searched = weigh(producer, candidate.consumer, fused->codelet, wish, tried);
      } else {
        tried.reason = explain(fused.error());
      }
      const bool is_better = searched != nullptr && (!best || searched->cycles() < best->searched->cycles());
      if (is_better)
        best = Fused{merged(*first.layer, *second.layer, *fused, candidate.joint), fused->codelet, searched};
      if (is_better || !said) said = tried;
    }
    verdict = *said;
    return best;
  }

  /// True if the consumer writes nothing that the producer uses.
  bool lie_apart(size_t producer, size_t consumer) {
    const std::optional<std::string> written = only_result(result_.codelets[consumer]);
    if (!written) return true;
    const size_t made = allocation_of(layers()[consumer].activations.at(*written));
    return std::ranges::none_of(layers()[producer].activations,
                                [&](const auto& used) { return allocation_of(used.second) == made; });
  }

  void add_schedule(std::vector<std::string> layers) {
    for (const std::string& layer : layers) schedules_of_[layer].push_back(scheduled_.size());
    scheduled_.push_back(std::move(layers));
  }

  /// The wish of the first schedule for one of these layers.
  Wish wish_for(const std::vector<std::string>& layers) const {
    size_t first = scheduled_.size();
    for (const std::string& layer : layers) {
      const auto found = schedules_of_.find(layer);
      if (found != schedules_of_.end()) first = std::min(first, found->second.front());
    }
    if (first == scheduled_.size()) return Wish::kNone;
    const std::vector<std::string>& scheduled = scheduled_[first];
    const bool begins =
        layers.size() <= scheduled.size() && std::equal(layers.begin(), layers.end(), scheduled.begin());
    return begins ? Wish::kTogether : Wish::kApart;
  }

  /// Schedules that were found for the fused codelet; null if the two stay apart.
  const Searched* weigh(size_t producer, size_t consumer, const Codelet& fused, Wish wish, FusionVerdict& verdict) {
    const std::optional<uint64_t> first = fewest_cycles_of(producer);
    const std::optional<uint64_t> second = fewest_cycles_of(consumer);
    if (first && second) verdict.cycles_apart = *first + *second;
    const Result<Searched*> together = searches_.find(fused);
    if (!together) {
      verdict.reason = explain(together.error());
      return nullptr;
    }
    verdict.cycles_together = (*together)->cycles();
    if (wish == Wish::kNone && verdict.cycles_apart && *verdict.cycles_apart <= (*together)->cycles()) {
      verdict.reason = "the two take no more cycles";
    } else if (const Status possible = searches_.emittable(**together); !possible) {
      verdict.reason = explain(possible.error());
    } else {
      verdict.is_fused = true;
    }
    return verdict.is_fused ? *together : nullptr;
  }

  static std::string explain(const Diagnostic& diagnostic) {
    return diagnostic.message + (diagnostic.offending.empty() ? "" : ": " + diagnostic.offending) + " [" +
           diagnostic.code + "]";
  }

  /// Nothing if the layer cannot be done.
  std::optional<uint64_t> cycles_of(size_t layer) {
    if (searched_[layer] == nullptr) {
      const Result<Searched*> searched = searches_.find(result_.codelets[layer]);
      if (!searched) return std::nullopt;
      searched_[layer] = *searched;
    }
    return searched_[layer]->cycles();
  }

  /// Those of its best form.
  std::optional<uint64_t> fewest_cycles_of(size_t layer) {
    std::optional<uint64_t> fewest = cycles_of(layer);
    if (!layers()[layer].fused.empty()) return fewest;
    for (const BoundForm& other : others_[layer]) {
      const Result<Searched*> searched = searches_.find(other.codelet);
      if (!searched) continue;
      const uint64_t cycles = (*searched)->cycles() + (other.gather ? (*searched)->cycles() / kGathersMustSave : 0);
      if (!fewest || cycles < *fewest) fewest = cycles;
    }
    return fewest;
  }

  static NetworkLayer merged(const NetworkLayer& producer, const NetworkLayer& consumer, const FusedCodelet& fused,
                             const Joint& joint) {
    NetworkLayer layer = producer;
    layer.layer = {producer.layer.name + "+" + consumer.layer.name, {}, {}};
    layer.operation += "+" + consumer.operation;
    layer.activations.erase(joint.made);
    layer.views.erase(joint.made);
    for (const auto& [name, content] : consumer.constants) layer.constants[fused.renamed.at(name)] = content;
    for (const auto& [name, activation] : consumer.activations) {
      const auto renamed = fused.renamed.find(name);
      if (renamed != fused.renamed.end()) layer.activations[renamed->second] = activation;
    }
    for (const auto& [name, view] : consumer.views) {
      const auto renamed = fused.renamed.find(name);
      if (renamed != fused.renamed.end()) layer.views[renamed->second] = view;
    }
    layer.macs += consumer.macs;
    layer.elementwise += consumer.elementwise;
    return layer;
  }

  const acg::Machine& machine_;
  const bool joins_;  ///< layers; else they are only given other forms
  TakenNames names_;
  SearchedCodelets searches_;
  FusedNetwork result_;                                      ///< layers that went into later ones still in their places
  std::vector<std::vector<BoundForm>> others_;               ///< by layer: its other forms
  std::vector<bool> is_gone_;                                ///< by layer: it was fused into a later one
  std::vector<const Searched*> searched_;                    ///< by layer, once it was searched
  std::vector<std::vector<std::string>> scheduled_;          ///< layers of each schedule
  std::map<std::string, std::vector<size_t>> schedules_of_;  ///< by layer
  std::map<size_t, std::set<size_t>> users_;                 ///< layers that read or write an activation
  std::map<size_t, std::vector<size_t>> tenants_;            ///< activations, by allocation
  std::set<size_t> outputs_;                                 ///< activations that the host reads
};

}  // namespace

FusedNetwork fuse_layers(const Network& network, const std::vector<Codelet>& codelets, LayerSearch& search,
                         const std::vector<LayerSchedule>& schedules, bool joins) {
  check(network.layers.size() == codelets.size(), "one bound codelet per layer");
  return Fusion(network, codelets, search, schedules, joins).run();
}

}  // namespace covenant::compiler
