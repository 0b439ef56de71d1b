#include "compiler/network/groups.h"

#include <utility>

#include "compiler/codelet/vector_sizes.h"
#include "compiler/network/constants.h"
#include "compiler/srdfg/windows.h"

namespace covenant::compiler {

void set_groups(const srdfg::Graph& graph, const srdfg::Node& node, const acg::Machine& machine, NetworkLayer& layer) {
  const srdfg::Value& weights = graph.get(node.inputs.at(1));
  const auto groups = static_cast<uint64_t>(srdfg::groups(node));
  const uint64_t inputs = weights.shape.at(1);
  const uint64_t outputs = weights.shape.at(0) / groups;
  const auto is_whole = [&](uint64_t merged) {
    const auto fills = [&](DType dtype, uint64_t channels) {
      return channels % codelet::written_at_once(machine, dtype) == 0;
    };
    return groups % merged == 0 && fills(graph.get(node.inputs[0]).dtype, merged * inputs) &&
           fills(graph.get(node.outputs[0]).dtype, merged * outputs) && fills(DType::kI32, merged * outputs);
  };
  uint64_t merged = 1;
  const bool can_stay_apart = node.operation == "conv";  // conv_grouped quantises its sums
  while (merged < groups && !(can_stay_apart && is_whole(merged))) ++merged;
  layer.layer.params["IC"] = static_cast<int64_t>(merged * inputs);
  layer.layer.params["OC"] = static_cast<int64_t>(merged * outputs);
  layer.layer.dtypes["w"] = DType::kI8;
  layer.constants["w"] = conv_weights(weights, groups, merged);
  if (merged == groups) return;
  layer.operation = "conv_grouped";
  layer.layer.params["G"] = static_cast<int64_t>(groups / merged);
}

}  // namespace covenant::compiler
