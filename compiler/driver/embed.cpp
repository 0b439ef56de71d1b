#include "compiler/driver/embed.h"

#include <algorithm>
#include <ctime>

#include "acg/graph/queries.h"
#include "compiler/driver/layer_workloads.h"
#include "compiler/embedding/axes.h"
#include "compiler/embedding/layout.h"
#include "compiler/embedding/text.h"
#include "compiler/embedding/workload.h"
#include "compiler/layers/layers.h"
#include "compiler/network/network.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler {
namespace {

using embedding::Embedding;
using embedding::Found;
using embedding::Instruction;
using embedding::Relaxation;
using embedding::Rules;
using embedding::Workload;

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

  const Embedding& least(const std::vector<Embedding>& all) const {
    return all[best_first(all, workload_, instruction_).front()];
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

}  // namespace

Result<std::vector<EmbeddedLayer>> embed_model(std::string_view model_path, const acg::Machine& machine,
                                               const Rules& rules, const CompileOptions& given) {
  const Result<CompileOptions> options = with_library(given);
  if (!options) return options.error();
  const Result<srdfg::Graph> graph = read_model(model_path, *options);
  if (!graph) return graph.error();
  const Result<Network> network = make_layers(*graph, machine, options->codelets);
  if (!network) return network.error();
  std::vector<EmbeddedLayer> layers;
  for (const NetworkLayer& layer : network->layers) {
    const Result<Workload> workload = workload_of_layer(layer, machine, options->codelets);
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
