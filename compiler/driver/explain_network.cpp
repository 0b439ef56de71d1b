#include "compiler/driver/explain_network.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "acg/graph/queries.h"
#include "compiler/binding/layer_codelet.h"
#include "compiler/choice/choose.h"
#include "compiler/driver/layer_workloads.h"
#include "compiler/embedding/axes.h"
#include "compiler/embedding/text.h"
#include "compiler/layers/groups.h"
#include "compiler/network/tensor_uses.h"
#include "compiler/tiled/pipeline.h"

namespace covenant::compiler {
namespace {

using embedding::Embedding;
using embedding::Instruction;
using embedding::Relaxation;
using embedding::Workload;

/// The pass `map` puts one axis of the codelet along each axis of the instruction, and pads it.
embedding::Rules rules_of_mapping() {
  embedding::Rules rules;
  rules.allowed = {Relaxation::kPad};
  return rules;
}

/// The best embedding of a workload into an instruction of the machine.
struct Best {
  Embedding embedding;
  Instruction instruction;
};
struct Search {
  std::optional<Best> best{};
  bool is_complete = true;
};

Search search_of(const Workload& workload, const acg::Machine& machine, const embedding::Rules& rules) {
  Search search;
  for (const Instruction& instruction : embedding::instructions_for(workload, machine)) {
    const embedding::Found found = embeddings_of(workload, instruction, rules);
    search.is_complete = search.is_complete && found.is_complete;
    if (found.embeddings.empty()) continue;
    const Embedding& one = found.embeddings[best_first(found.embeddings, workload, instruction).front()];
    const auto steps_of = [&](const Best& best) { return steps(best.embedding, workload, best.instruction); };
    Best made{one, instruction};
    if (!search.best || steps_of(made) < steps_of(*search.best)) search.best = std::move(made);
  }
  return search;
}

/// The memory from which the node reads its matrix: of those beside it the one with the longest words.
const acg::Memory* matrix_memory(const acg::Machine& machine, const Instruction& instruction) {
  const acg::Memory* longest = nullptr;
  for (uint32_t i = 0; i < machine.memories.size(); ++i) {
    const acg::Memory& memory = machine.memories[i];
    if (memory.kind != acg::MemoryKind::kScratchpad) continue;
    if (!acg::edge_between(machine, acg::MemoryId{i}, instruction.match.compute)) continue;
    if (longest == nullptr || memory.unit_bytes() > longest->unit_bytes()) longest = &memory;
  }
  return longest;
}

/// Data of the model as a matrix would have to be put into its memory vector by vector.
std::vector<std::string> obstacles_to(const ShownEmbedding& wanted, const acg::Machine& machine,
                                      const Instruction& instruction) {
  std::vector<std::string> obstacles;
  const acg::Memory* memory = matrix_memory(machine, instruction);
  for (const embedding::OperandLayout& operand : wanted.operands) {
    if (operand.is_output || operand.is_constant || operand.axes.size() < 2 || memory == nullptr) continue;
    const uint64_t vector =
        static_cast<uint64_t>(operand.axes.back().places) * bits(instruction.inputs.front().dtype) / 8;
    if (memory->unit_bytes() <= vector) continue;
    obstacles.push_back(fmt::format("{} as a matrix: {} takes {} bytes at a time (banks, granularity), a vector is {}",
                                    operand.tensor, memory->name, memory->unit_bytes(), vector));
  }
  return obstacles;
}

class Explainer {
 public:
  Explainer(const Network& layers, const Network& chosen, LayerSearch& search, const embedding::Rules& rules,
            const CompileOptions& options)
      : layers_(layers), chosen_(chosen), search_(search), rules_(rules), options_(options), stored_(layers) {
    set_storages(stored_, chosen.activations, search.machine());
  }

  LayerUse use(size_t index) const {
    const NetworkLayer& layer = chosen_.layers[index];
    LayerUse result{layer.layer.name, layer.operation, layer.lowering};
    const acg::Machine& machine = search_.machine();
    result.cycles = cycles_of(layer);
    std::optional<int64_t> taken_steps;
    if (const Result<Workload> workload = workload_of_layer(layer, machine, options_.codelets)) {
      result.workload = print(*workload);
      if (const std::optional<Best> best = search_of(*workload, machine, rules_of_mapping()).best) {
        result.compute = acg::get(machine, best->instruction.match.compute).name;
        result.instruction = print(best->instruction);
        result.taken = shown_embedding(best->embedding, *workload, best->instruction);
        taken_steps = result.taken->steps;
        // Weights of merged groups are mostly 0.
        if (layer.macs > 0) {
          result.taken->utilisation *= static_cast<double>(layer.macs) / static_cast<double>(instances(*workload));
        }
      }
    }
    result.next = next_best(index);
    add_fewest(index, taken_steps, result);
    return result;
  }

 private:
  uint64_t cycles_of(const NetworkLayer& layer) const {
    const Result<codelet::Codelet> packed = packed_codelet(layer, search_.machine(), options_.codelets);
    const Result<ScheduleSearch> found = packed ? search_.search(*packed) : Result<ScheduleSearch>(packed.error());
    return found ? found->simulated.front().prediction.cycles : 0;
  }

  std::optional<NextBest> next_best(size_t index) const {
    for (const Alternative& one : alternatives(stored_, index, search_, options_.codelets, options_.makers)) {
      if (!one.search || (one.as_stored && one.layer.lowering == chosen_.layers[index].lowering)) continue;
      NextBest next{one.layer.lowering, one.search->simulated.front().prediction.cycles, one.as_stored, {}};
      const Result<Workload> workload = workload_of_layer(one.layer, search_.machine(), options_.codelets);
      if (!workload) return next;
      const std::optional<Best> best = search_of(*workload, search_.machine(), rules_of_mapping()).best;
      if (best) next.embedding = print(best->embedding, *workload, best->instruction);
      return next;
    }
    return std::nullopt;
  }

  void add_fewest(size_t index, std::optional<int64_t> taken, LayerUse& use) const {
    const acg::Machine& machine = search_.machine();
    const NetworkLayer apart = with_groups_apart(layers_.layers[index]);
    const Result<Workload> workload = workload_of_layer(apart, machine, options_.codelets);
    if (!workload) return;
    const auto [best, is_complete] = search_of(*workload, machine, rules_);
    use.is_complete = is_complete;
    if (!best) return;
    ShownEmbedding fewest = shown_embedding(best->embedding, *workload, best->instruction);
    if (taken && fewest.steps >= *taken) return;
    use.obstacles = obstacles_to(fewest, machine, best->instruction);
    use.fewest = std::move(fewest);
  }

  const Network& layers_;
  const Network& chosen_;
  LayerSearch& search_;
  const embedding::Rules& rules_;
  const CompileOptions& options_;
  Network stored_;  ///< the model's layers, with tensors in the storages that were chosen
};

/// The network with the forms that layers take which are not fused.
Result<Network> with_forms(const Network& chosen, LayerSearch& search, const CompileOptions& options) {
  const Staged<FusedNetwork> fused = fused_network(chosen, search, options);
  if (!fused) return fused.error();
  Network made = chosen;
  made.activations = fused->network.activations;
  for (const NetworkLayer& layer : fused->network.layers) {
    const auto same =
        std::ranges::find(made.layers, layer.layer.name, [](const NetworkLayer& one) { return one.layer.name; });
    if (same != made.layers.end() && layer.fused.empty()) *same = layer;
  }
  return made;
}

}  // namespace

Result<std::vector<LayerUse>> explain_network(std::string_view model_path, const acg::Machine& machine,
                                              const embedding::Rules& rules, std::string_view layer,
                                              const CompileOptions& given, Families families) {
  const Result<CompileOptions> options = with_library(given);
  if (!options) return options.error();
  const Result<srdfg::Graph> graph = read_model(model_path, *options);
  if (!graph) return graph.error();
  const FamilyTarget target = target_for(machine, options->optimisations, families);
  if (const Status supported = target->check_supported(); !supported) return supported.error();
  const Result<const TiledTarget*> tiled = tiled_target(target, "an explanation of layers");
  if (!tiled) return tiled.error();
  LayerSearch search = search_for(**tiled, *options);
  const Result<Network> network = prepared_layers(*graph, graph->name, **tiled, search, *options);
  if (!network) return network.error();
  const Result<Network> chosen = chosen_network(*network, search, *options);
  if (!chosen) return chosen.error();
  const Result<Network> done = with_forms(*chosen, search, *options);
  if (!done) return done.error();
  const Explainer explainer(*network, *done, search, rules, *options);
  std::vector<LayerUse> uses;
  std::vector<std::string> names;
  for (size_t i = 0; i < network->layers.size(); ++i) {
    names.push_back(network->layers[i].layer.name);
    if (layer.empty() || layer == names.back()) uses.push_back(explainer.use(i));
  }
  if (!uses.empty() || layer.empty()) return uses;
  return Diagnostic{"GEN0041",          {},    graph->name,          "the model has no such layer",
                    std::string(layer), names, "choose one of these"};
}

}  // namespace covenant::compiler
