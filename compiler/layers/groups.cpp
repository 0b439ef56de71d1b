#include "compiler/layers/groups.h"

#include <algorithm>
#include <utility>

#include "acg/base/rounding.h"
#include "compiler/codelet/vector_sizes.h"
#include "compiler/layers/constants.h"
#include "compiler/network/layer_params.h"
#include "compiler/network/layer_traits.h"
#include "compiler/operators/operator.h"
#include "compiler/srdfg/windows.h"

namespace covenant::compiler {
namespace {

/// True for convolutions that quantise their sums where they are made.
bool quantizes_sums(const srdfg::Node& node) {
  const operators::Operator* row = operators::find_operator(node.operation);
  return row != nullptr && row->kind == operators::OperatorClass::kContraction &&
         row->makes == operators::TensorKind::kStored;
}

/// True if a node multiplies each channel of its input by a weight of its own, many channels at once, and sums up.
bool multiplies_channels(const acg::Machine& machine, DType read, DType weights) {
  const auto is_it = [&](const acg::Capability& one) {
    return one.name == "MAC" && one.inputs.size() == 3 && one.inputs[0].dtype == read &&
           one.inputs[1].dtype == weights && one.output.dtype == DType::kI32 && one.output.shape.front() > 1 &&
           one.inputs[0].shape == one.output.shape && one.inputs[1].shape == one.output.shape;
  };
  return std::ranges::any_of(machine.computes,
                             [&](const acg::Compute& node) { return std::ranges::any_of(node.capabilities, is_it); });
}

}  // namespace

bool are_whole_vectors(const acg::Machine& machine, DType read, uint64_t inputs, DType written, uint64_t outputs) {
  const auto fills = [&](DType dtype, uint64_t channels) {
    return channels % codelet::written_at_once(machine, dtype) == 0;
  };
  return fills(read, inputs) && fills(written, outputs) && fills(DType::kI32, outputs);
}

bool is_by_channels(const srdfg::Graph& graph, const srdfg::Node& node, const acg::Machine& machine) {
  if (!quantizes_sums(node)) return false;
  const srdfg::Value& weights = graph.get(node.inputs.at(1));
  const auto groups = static_cast<uint64_t>(srdfg::groups(node));
  return groups > 1 && weights.shape.at(1) == 1 && weights.shape.at(0) == groups &&
         multiplies_channels(machine, graph.get(node.inputs[0]).dtype, weights.dtype);
}

void set_groups(const srdfg::Graph& graph, const srdfg::Node& node, const acg::Machine& machine,
                const std::vector<Activation>& activations, NetworkLayer& layer) {
  const srdfg::Value& weights = graph.get(node.inputs.at(1));
  const auto groups = static_cast<uint64_t>(srdfg::groups(node));
  const uint64_t inputs = weights.shape.at(1);
  const uint64_t outputs = weights.shape.at(0) / groups;
  const DType read = graph.get(node.inputs[0]).dtype;
  const DType written = graph.get(node.outputs[0]).dtype;
  // The last of them may end after the last channel, where tensors have room for whole vectors.
  const auto has_room = [&](const char* name, uint64_t channels) {
    const Activation& tensor = activations.at(layer.activations.at(name));
    const auto shares = [&](const Activation& one) { return one.storage.allocation == tensor.storage.allocation; };
    if (std::ranges::count_if(activations, shares) != 1) return false;
    const uint64_t room = channels_in_memory(tensor.storage);
    const std::vector<uint64_t>& shape = tensor.shape;  // [N,C,H,W], or [N,C] of one pixel
    const bool is_one_pixel =
        shape[0] == 1 && std::all_of(shape.begin() + 2, shape.end(), [](uint64_t one) { return one == 1; });
    return is_one_pixel ? room >= channels : room == channels;  // the next pixel begins after the last group
  };
  const auto ends_in_room = [&](uint64_t merged) {
    const uint64_t all = ceil_divide(groups, merged) * merged;
    return all == groups || (has_room("x", all * inputs) && has_room("y", all * outputs));
  };
  const auto is_whole = [&](uint64_t merged) {
    return ends_in_room(merged) && are_whole_vectors(machine, read, merged * inputs, written, merged * outputs);
  };
  uint64_t merged = 1;
  const bool can_stay_apart = quantizes_sums(node);  // as conv_grouped does
  if (is_by_channels(graph, node, machine)) {
    layer.operation = "conv_channels";
    layer.layer.params["C"] = static_cast<int64_t>(groups);
    layer.layer.dtypes["w"] = weights.dtype;
    layer.constants["w"] = conv_weights(weights, groups, merged);
    layer.constants["w"].shape.resize(3);  // [KH,KW,C,1,1]
    return;
  }
  while (merged < groups && !(can_stay_apart && is_whole(merged))) ++merged;
  layer.layer.params["IC"] = static_cast<int64_t>(merged * inputs);
  layer.layer.params["OC"] = static_cast<int64_t>(merged * outputs);
  layer.layer.dtypes["w"] = weights.dtype;
  layer.constants["w"] = conv_weights(weights, groups, merged);
  if (merged == groups) return;
  layer.operation = "conv_grouped";
  layer.layer.params["G"] = static_cast<int64_t>(ceil_divide(groups, merged));
}

std::optional<ModelGroups> groups_of_model(const NetworkLayer& layer) {
  const LayerTraits& seen = traits(layer);
  const bool has_groups = layer.lowering == "plain" && seen.form == LayerForm::kWindows && seen.multiplies &&
                          !seen.has_row_sums && layer.macs > 0 && layer.layer.params.contains("IC") &&
                          layer.layer.params.contains("KW");
  if (!has_groups) return std::nullopt;
  const uint64_t pixels = count(layer, "N") * count(layer, "OH") * count(layer, "OW");
  const uint64_t taps = count(layer, "KH") * count(layer, "KW");
  const uint64_t products = count(layer, "IC") * taps * layer.elementwise;  // if all inputs of a group were read
  if (layer.elementwise == 0 || products % layer.macs != 0) return std::nullopt;
  const uint64_t merged = products / layer.macs;
  const uint64_t outputs = count(layer, "OC") / merged;
  return ModelGroups{layer.elementwise / (pixels * outputs), count(layer, "IC") / merged, outputs};
}

NetworkLayer with_groups_apart(const NetworkLayer& layer) {
  const std::optional<ModelGroups> groups = groups_of_model(layer);
  if (!groups || groups->inputs == count(layer, "IC")) return layer;
  NetworkLayer apart = layer;
  apart.operation = "conv_grouped";
  set_count(apart, "IC", groups->inputs);
  set_count(apart, "OC", groups->outputs);
  set_count(apart, "G", groups->number);
  return apart;
}

void fill_last_group(NetworkLayer& layer) {
  if (!layer.layer.params.contains("G")) return;
  const uint64_t outputs = count(layer, "G") * count(layer, "OC");
  for (const char* name : {"b", "s"}) {
    ConstantTensor& tensor = layer.constants.at(name);
    tensor.data.resize(outputs * bytes(layer.layer.dtypes.at(name)));
    tensor.shape = {outputs};
  }
}

}  // namespace covenant::compiler
