#include "compiler/driver/state.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <set>
#include <string>

#include "compiler/srdfg/queries.h"

namespace covenant::compiler {
namespace {

using srdfg::Graph;
using srdfg::Quantization;
using srdfg::ValueId;

std::vector<std::string> names_of(const Graph& graph, const std::vector<ValueId>& ids) {
  std::vector<std::string> names;
  for (const ValueId id : ids) names.push_back(graph.get(id).name);
  return names;
}

/// The tensor of the graph's inputs or outputs that is called `name`.
Result<ValueId> find(const Graph& graph, const std::vector<ValueId>& ids, const std::string& name, const char* what) {
  const auto found = std::ranges::find_if(ids, [&](ValueId id) { return graph.get(id).name == name; });
  if (found != ids.end()) return *found;
  return Diagnostic{"GEN0070",
                    {},
                    graph.name,
                    fmt::format("what the machine computes has no such {}, which would be state", what),
                    name,
                    names_of(graph, ids),
                    "name one of these; what the host computes cannot be state"};
}

/// How a tensor at the boundary is stored: in all ways in which nodes quantise an input.
std::vector<std::optional<Quantization>> storages_of(const Graph& graph, ValueId id) {
  if (graph.get(id).quantization) return {graph.get(id).quantization};
  std::vector<std::optional<Quantization>> found;
  for (const srdfg::Node& node : graph.nodes) {
    if (node.outputs.at(0) == id) found.push_back(graph.get(node.inputs.at(0)).quantization);
    if (std::ranges::find(node.inputs, id) != node.inputs.end()) {
      found.push_back(graph.get(node.outputs[0]).quantization);
    }
  }
  return found;
}

std::string text_of(const Graph& graph, ValueId id) {
  const srdfg::Value& value = graph.get(id);
  std::string text = fmt::format("{} {} [{}]", value.name, name(value.dtype), fmt::join(value.shape, ","));
  for (const std::optional<Quantization>& stored : storages_of(graph, id)) {
    text += !stored ? ", not quantised"
                    : fmt::format(", scale {}, zero point {}", stored->scales[0], stored->zero_points[0]);
  }
  return text;
}

bool are_alike(const Graph& graph, ValueId output, ValueId input) {
  const srdfg::Value& a = graph.get(output);
  const srdfg::Value& b = graph.get(input);
  if (a.dtype != b.dtype || a.shape != b.shape) return false;
  const auto made = storages_of(graph, output);
  const auto read = storages_of(graph, input);
  return made.size() == 1 && std::ranges::all_of(read, [&](const auto& one) { return one == made[0]; });
}

}  // namespace

Status check_state(const Graph& graph, const std::vector<acg::StateTensor>& state) {
  std::set<std::string> outputs, inputs;
  for (const acg::StateTensor& pair : state) {
    const Result<ValueId> output = find(graph, graph.outputs, pair.output, "output");
    if (!output) return output.error();
    const Result<ValueId> input = find(graph, graph.inputs, pair.input, "input");
    if (!input) return input.error();
    if (!outputs.insert(pair.output).second || !inputs.insert(pair.input).second) {
      return Diagnostic{"GEN0072",
                        {},
                        graph.name,
                        "a tensor is state twice",
                        pair.output + " -> " + pair.input,
                        {},
                        "name each output and each input once"};
    }
    if (are_alike(graph, *output, *input)) continue;
    return Diagnostic{"GEN0071",
                      {},
                      graph.name,
                      "an output that would be the input of the next run differs from it",
                      text_of(graph, *output),
                      {text_of(graph, *input)},
                      "give both one type, shape, scale and zero point when quantising"};
  }
  return Done{};
}

}  // namespace covenant::compiler
