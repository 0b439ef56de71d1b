#include "compiler/driver/embeddings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

#include "acg/base/dtype.h"
#include "acg/graph/queries.h"
#include "compiler/driver/layer_workloads.h"
#include "compiler/embedding/axes.h"
#include "compiler/embedding/text.h"
#include "compiler/layers/groups.h"

namespace covenant::compiler {
namespace {

using embedding::Embedding;
using embedding::Found;
using embedding::Instruction;
using embedding::Relaxation;
using embedding::Workload;

CheckedText checked(const std::string& text, const Workload& workload, const Instruction& instruction) {
  const Result<Embedding> embedding = parse_embedding(text, workload, instruction);
  if (!embedding) return {text, std::nullopt, embedding.error()};
  return {text, shown_embedding(*embedding, workload, instruction), std::nullopt};
}

void search(InstructionEmbeddings& result, const Workload& workload, const Instruction& instruction,
            const EmbeddingRequest& request) {
  Found found = embeddings_of(workload, instruction, request.rules);
  result.found = found.embeddings.size();
  result.is_complete = found.is_complete;
  result.nodes = found.nodes;
  result.diagnostic = std::move(found.stopped);
  if (found.embeddings.empty() && found.is_complete) {
    result.diagnostic = why_none(workload, instruction, request.rules);
  }
  for (const size_t one : best_first(found.embeddings, workload, instruction)) {
    if (result.best.size() == request.most_shown) break;
    result.best.push_back(shown_embedding(found.embeddings[one], workload, instruction));
  }
}

/// Element types of the operands of a workload, or of an instruction: `i8, i8 -> i32`.
template <typename Operands>
std::string types_of(const Operands& operands) {
  std::vector<std::string_view> inputs;
  for (const auto& input : operands.inputs) inputs.push_back(name(input.dtype));
  return fmt::format("{} -> {}", fmt::join(inputs, ", "), name(operands.output.dtype));
}

InstructionEmbeddings about(const Workload& workload, const Instruction& instruction, const acg::Machine& machine,
                            const EmbeddingRequest& request) {
  InstructionEmbeddings result;
  result.compute = acg::get(machine, instruction.match.compute).name;
  result.instruction = print(instruction);
  result.types = types_of(instruction);
  result.instances = instances(instruction);
  for (const std::string& text : request.texts) result.checked.push_back(checked(text, workload, instruction));
  if (request.texts.empty()) search(result, workload, instruction, request);
  return result;
}

/// Codes of codelets that are no workloads: other mistakes end the search.
bool is_no_workload(const Diagnostic& error) { return error.code == "EMB0001" || error.code == "EMB0002"; }

Result<LayerEmbeddings> about(const NetworkLayer& layer, const acg::Machine& machine, const EmbeddingRequest& request,
                              const CompileOptions& options) {
  LayerEmbeddings result;
  result.layer = layer.layer.name;
  const Result<Workload> workload = workload_of_layer(with_groups_apart(layer), machine, options.codelets);
  if (!workload) {
    if (!is_no_workload(workload.error())) return workload.error();
    result.no_workload = workload.error();
    return result;
  }
  result.workload = print(*workload);
  result.types = types_of(*workload);
  result.axes = workload->axes;
  result.instances = instances(*workload);
  for (const Instruction& instruction : embedding::instructions_for(*workload, machine)) {
    result.instructions.push_back(about(*workload, instruction, machine, request));
  }
  return result;
}

}  // namespace

ShownEmbedding shown_embedding(const Embedding& one, const Workload& workload, const Instruction& instruction) {
  ShownEmbedding result{print(one, workload, instruction),
                        {},
                        steps(one, workload, instruction),
                        utilisation(one, workload, instruction),
                        layouts_of(one, workload, instruction)};
  for (const Relaxation relaxation : relaxations_of(one, workload, instruction)) {
    result.relaxations.emplace_back(name_of(relaxation));
  }
  return result;
}

Result<std::vector<LayerEmbeddings>> embeddings_of_network(const Network& network, const acg::Machine& machine,
                                                           const EmbeddingRequest& request,
                                                           const CompileOptions& options) {
  std::vector<LayerEmbeddings> result;
  std::vector<std::string> names;
  for (const NetworkLayer& layer : network.layers) {
    names.push_back(layer.layer.name);
    if (!request.layer.empty() && layer.layer.name != request.layer) continue;
    Result<LayerEmbeddings> one = about(layer, machine, request, options);
    if (!one) return one.error();
    result.push_back(std::move(*one));
  }
  if (result.empty() && !request.layer.empty()) {
    return Diagnostic{"GEN0041",     {},    network.name,         "the model has no such layer",
                      request.layer, names, "choose one of these"};
  }
  return result;
}

Result<std::vector<LayerEmbeddings>> embeddings_of_model(std::string_view model_path, const acg::Machine& machine,
                                                         const EmbeddingRequest& request, const CompileOptions& given) {
  const Result<CompileOptions> options = with_library(given);
  if (!options) return options.error();
  const Result<Network> network = read_layers(model_path, machine, *options);
  return network ? embeddings_of_network(*network, machine, request, *options) : network.error();
}

}  // namespace covenant::compiler
