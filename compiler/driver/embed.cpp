#include "compiler/driver/embed.h"

#include <algorithm>
#include <ctime>
#include <tuple>
#include <utility>

#include "acg/base/check.h"
#include "acg/graph/queries.h"
#include "compiler/binding/layer_codelet.h"
#include "compiler/embedding/axes.h"
#include "compiler/embedding/text.h"
#include "compiler/embedding/workload.h"
#include "compiler/layers/layers.h"
#include "compiler/network/network.h"
#include "compiler/passes/bind.h"

namespace covenant::compiler {
namespace {

using embedding::Embedding;
using embedding::Found;
using embedding::Instruction;
using embedding::Relaxation;
using embedding::Rules;
using embedding::Workload;

/// The first input that is a constant with elements of its own.
std::optional<size_t> weights_of(const Workload& workload) {
  for (size_t i = workload.inputs.size(); i-- > 0;) {
    if (workload.inputs[i].is_constant && !workload.inputs[i].indices.empty()) return i;
  }
  return std::nullopt;
}

Rules padded_channels() {
  Rules rules;
  rules.allowed = {Relaxation::kPad, Relaxation::kExchange};
  return rules;
}

class Embedder {
 public:
  Embedder(const Workload& workload, const Instruction& instruction, const Rules& rules)
      : workload_(workload), instruction_(instruction), rules_(rules), weights_(weights_of(workload)) {}

  EmbeddedLayer run() {
    EmbeddedLayer result;
    result.instruction = print(instruction_);
    const std::clock_t start = std::clock();
    const Found strict = embeddings_of(workload_, instruction_, embedding::strict());
    const Found found = embeddings_of(workload_, instruction_, rules_);
    result.milliseconds = 1000.0 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    result.is_strict = !strict.embeddings.empty();
    result.embeddings = found.embeddings.size();
    result.is_complete = strict.is_complete && found.is_complete;
    result.nodes = strict.nodes + found.nodes;
    if (found.embeddings.empty()) return result;
    const Embedding& best = least(found.embeddings);
    result.best = print(best, workload_, instruction_);
    result.steps = steps(best, workload_, instruction_);
    for (const Relaxation one : relaxations_of(best, workload_, instruction_)) {
      result.relaxations.emplace_back(name_of(one));
    }
    result.weights_ratio = ratio(found);
    return result;
  }

 private:
  int64_t packed(const Embedding& one) const {
    return weights_ ? packed_elements(one, workload_, instruction_, *weights_) : 0;
  }

  /// Fewest steps, then least weights, then fewest relaxations, then the first.
  const Embedding& least(const std::vector<Embedding>& all) const {
    return *std::ranges::min_element(all, {}, [&](const Embedding& one) {
      return std::tuple(steps(one, workload_, instruction_), packed(one),
                        relaxations_of(one, workload_, instruction_).size());
    });
  }

  std::optional<double> ratio(const Found& found) const {
    const Found padded = embeddings_of(workload_, instruction_, padded_channels());
    if (!weights_ || padded.embeddings.empty()) return std::nullopt;
    int64_t fewest = packed(found.embeddings.front());
    for (const Embedding& one : found.embeddings) fewest = std::min(fewest, packed(one));
    return static_cast<double>(fewest) / static_cast<double>(packed(least(padded.embeddings)));
  }

  const Workload& workload_;
  const Instruction& instruction_;
  const Rules& rules_;
  std::optional<size_t> weights_;
};

Result<Workload> workload_of_layer(const NetworkLayer& layer, const std::vector<codelet::Codelet>& declared) {
  const Result<codelet::Codelet> codelet = codelet_of(layer, declared);
  if (!codelet) return codelet.error();
  const Result<codelet::Codelet> bound = bind(*codelet, layer.layer);
  if (!bound) return bound.error();
  std::set<std::string> constants;
  for (const auto& [surrogate, content] : layer.constants) constants.insert(surrogate);
  return embedding::workload_of(*bound, constants);
}

}  // namespace

Result<std::vector<EmbeddedLayer>> embed_model(std::string_view model_path, const acg::Machine& machine,
                                               const std::set<std::string>& relaxations, uint64_t most_nodes,
                                               const CompileOptions& given) {
  Rules rules;
  rules.most_nodes = most_nodes;
  for (const std::string& name : relaxations) {
    const std::optional<Relaxation> relaxation = embedding::relaxation_named(name);
    check(relaxation.has_value(), "no relaxation is called " + name);
    rules.allowed.insert(relaxation.value());
  }
  const Result<CompileOptions> options = with_library(given);
  if (!options) return options.error();
  const Result<srdfg::Graph> graph = read_model(model_path, *options);
  if (!graph) return graph.error();
  const Result<Network> network = make_layers(*graph, machine, options->codelets);
  if (!network) return network.error();
  std::vector<EmbeddedLayer> layers;
  for (const NetworkLayer& layer : network->layers) {
    const Result<Workload> workload = workload_of_layer(layer, options->codelets);
    if (!workload) return workload.error();
    for (const Instruction& instruction : embedding::instructions_for(*workload, machine)) {
      layers.push_back(Embedder(*workload, instruction, rules).run());
      layers.back().layer = layer.layer.name;
      layers.back().compute = acg::get(machine, instruction.match.compute).name;
    }
  }
  return layers;
}

}  // namespace covenant::compiler
