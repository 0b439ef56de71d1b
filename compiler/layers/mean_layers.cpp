#include "compiler/layers/mean_layers.h"

#include <algorithm>

#include "acg/graph/numerics.h"
#include "compiler/binding/doubled_sums.h"
#include "compiler/layers/constants.h"
#include "compiler/network/layer_params.h"
#include "compiler/srdfg/queries.h"
#include "compiler/srdfg/windows.h"

namespace covenant::compiler {
namespace {

using srdfg::Graph;
using srdfg::Node;

const srdfg::Quantization& quantization(const Graph& graph, srdfg::ValueId id) {
  return graph.get(id).quantization.value();
}

bool are_alike(const std::vector<float>& counts) {
  return std::ranges::all_of(counts, [&](float count) { return count == counts[0]; });
}

ConstantTensor once_a_pixel(const Graph& graph, const Node& node, const std::vector<float>& numbers) {
  const std::vector<uint64_t>& shape = graph.get(node.outputs[0]).shape;
  return once_a_channel(numbers, {shape[2], shape[3], shape[1]});
}

void set_constant(NetworkLayer& layer, const char* name, ConstantTensor tensor) {
  layer.layer.dtypes[name] = DType::kF32;
  layer.constants[name] = std::move(tensor);
}

/// Sets the mean of windows, in single precision; `counts` has the number of elements of each window.
void set_real_mean(const Graph& graph, const Node& node, const std::vector<float>& counts, NetworkLayer& layer) {
  const srdfg::Quantization& y = quantization(graph, node.outputs[0]);
  set_real(layer, "SX", quantization(graph, node.inputs[0]).scales.at(0));
  set_real(layer, "SY", y.scales.at(0));
  // ONNX Runtime's kernel for equal types adds it before rounding; QuantizeLinear adds it afterwards.
  const bool is_outside = srdfg::differs_in_sign(graph, node);
  set_real(layer, "OFFSET", static_cast<float>(is_outside ? 0 : y.zero_points.at(0)));
  layer.layer.params["ZY"] = is_outside ? y.zero_points.at(0) : 0;
  if (are_alike(counts)) {
    set_real(layer, "COUNT", counts[0]);
    return;
  }
  layer.operation = "average_pool_counts";
  set_constant(layer, "count", once_a_pixel(graph, node, counts));
}

/// The same by exact sums, which are doubled for room after the point, and scaled once.
void set_scaled_mean(const Graph& graph, const Node& node, const std::vector<float>& counts, NetworkLayer& layer) {
  const srdfg::Quantization &x = quantization(graph, node.inputs[0]), &y = quantization(graph, node.outputs[0]);
  std::vector<float> scales;
  for (const float count : counts) scales.push_back(mean_scale(x, y, static_cast<uint64_t>(count)));
  const std::vector<int64_t>& kernel = srdfg::integers_attribute(node, "kernel");
  const int64_t most = kernel.at(0) * kernel.at(1);
  const uint32_t times = doublings(*std::ranges::max_element(scales), static_cast<uint64_t>(most));
  for (float& scale : scales) scale = of_doubled(scale, times);
  set_doublings(layer, times);
  layer.layer.params["OFFSET"] = -most * x.zero_points.at(0);
  layer.layer.params["ZY"] = y.zero_points.at(0);
  if (are_alike(counts)) {
    layer.operation = "average_pool_integer";
    set_real(layer, "SCALE", scales[0]);
    return;
  }
  layer.operation = "average_pool_integer_counts";
  set_constant(layer, "s", once_a_pixel(graph, node, scales));
}

}  // namespace

void set_mean_of_windows(const Graph& graph, const Node& node, const acg::Machine& machine, NetworkLayer& layer) {
  const std::vector<float> counts =
      srdfg::elements_seen(node, graph.get(node.inputs[0]).shape, graph.get(node.outputs[0]).shape);
  acg::is_fixed_point(machine) ? set_scaled_mean(graph, node, counts, layer)
                               : set_real_mean(graph, node, counts, layer);
}

void set_mean_scale(const Graph& graph, const Node& node, const acg::Machine& machine, uint64_t pixels,
                    NetworkLayer& layer) {
  const float scale = mean_scale(quantization(graph, node.inputs[0]), quantization(graph, node.outputs[0]), pixels);
  const bool is_fixed = acg::is_fixed_point(machine);
  const uint32_t times = is_fixed ? doublings(scale, pixels) : 0;
  set_doublings(layer, times);
  set_real(layer, "SCALE", of_doubled(scale, times));
}

}  // namespace covenant::compiler
