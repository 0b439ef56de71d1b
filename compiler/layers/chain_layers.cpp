#include "compiler/layers/chain_layers.h"

#include <fmt/format.h>

#include "compiler/network/layer_params.h"
#include "compiler/srdfg/chain.h"

namespace covenant::compiler {

Status bind_chain(LayerBuilder& builder) {
  const srdfg::Node& node = builder.node;
  NetworkLayer& layer = builder.layer;
  const std::vector<size_t> order = builder.tensors.lane_order(node);
  layer.steps = std::get<std::string>(node.attributes.at("steps"));
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (Status status = builder.read(fmt::format("x{}", i), node.inputs[i], AccessLayout::kLanes, order); !status) {
      return status;
    }
    const srdfg::Value& x = builder.input(i);
    if (x.dtype == DType::kF32) continue;
    set_real(layer, fmt::format("SX{}", i), x.quantization.value().scales[0]);
    layer.layer.params[fmt::format("ZX{}", i)] = x.quantization.value().zero_points[0];
  }
  if (Status status = builder.write("y", node.outputs[0], order); !status) return status;
  const srdfg::Value& y = builder.output();
  const uint64_t elements = srdfg::element_count(y.shape);
  set_count(layer, "C", y.shape.at(order.back()));
  set_count(layer, "P", elements / y.shape[order.back()]);
  set_real(layer, "SY", y.quantization.value().scales[0]);
  layer.layer.params["ZY"] = y.quantization.value().zero_points[0];
  set_range(node, layer);
  layer.elementwise = elements * (srdfg::chain_steps(layer.steps, node.inputs.size()).value().size() + 1);
  return Done{};
}

}  // namespace covenant::compiler
