#include "compiler/layers/contraction_layers.h"

#include <optional>
#include <utility>

#include "compiler/layers/constants.h"
#include "compiler/layers/groups.h"
#include "compiler/layers/pool_layers.h"
#include "compiler/network/layer_params.h"
#include "compiler/srdfg/queries.h"

namespace covenant::compiler {
namespace {

using srdfg::Value;

void set_bias_and_scale(LayerBuilder& builder, size_t channel_axis) {
  const Value& weights = builder.input(1);
  const Value* bias = builder.node.inputs.size() > 2 ? &builder.input(2) : nullptr;
  const uint64_t channels = weights.shape.at(channel_axis);
  builder.set_constant("b", DType::kI32, folded_bias(bias, weights, channel_axis, zero_point(builder.input(0))));
  builder.set_constant("s", DType::kF32, output_scales(builder.input(0), weights, builder.output(), channels));
}

/// The common part of all convolutions: everything except requantisation.
Status set_conv(LayerBuilder& builder) {
  NetworkLayer& layer = builder.layer;
  if (Status status = builder.read("x", builder.node.inputs.at(0), AccessLayout::kImage); !status) return status;
  if (Status status = builder.write("y", builder.node.outputs.at(0)); !status) return status;
  const Value& weights = builder.input(1);
  set_image(builder);
  set_window(builder, weights.shape.at(2), weights.shape.at(3));
  layer.layer.params["ZX"] = zero_point(builder.input(0));
  set_groups(builder.graph, builder.node, builder.machine, builder.network.activations, layer);
  const uint64_t outputs = srdfg::element_count(builder.output().shape);
  layer.macs = outputs * weights.shape[1] * weights.shape[2] * weights.shape[3];
  return Done{};
}

}  // namespace

Status bind_conv(LayerBuilder& builder) {
  NetworkLayer& layer = builder.layer;
  if (Status status = set_conv(builder); !status) return status;
  layer.layer.params["ZY"] = zero_point(builder.output());
  set_range(builder.node, layer);
  set_bias_and_scale(builder, 0);
  fill_last_group(layer);
  layer.elementwise = srdfg::element_count(builder.output().shape);
  return Done{};
}

Status bind_conv_sums(LayerBuilder& builder) {
  if (Status status = set_conv(builder); !status) return status;
  const ConstantTensor bias = folded_bias(nullptr, builder.input(1), 0, zero_point(builder.input(0)));
  builder.set_constant("b", DType::kI32, bias);
  return Done{};
}

Status bind_gemm_sums(LayerBuilder& builder) {
  NetworkLayer& layer = builder.layer;
  if (Status status = builder.read("x", builder.node.inputs.at(0), AccessLayout::kRows); !status) return status;
  if (Status status = builder.write("y", builder.node.outputs.at(0)); !status) return status;
  const Value& weights = builder.input(1);
  set_count(layer, "G", weights.shape.at(0));
  set_count(layer, "N", builder.input(0).shape.at(0) / weights.shape.at(0));
  set_count(layer, "K", weights.shape.at(1));
  set_count(layer, "O", weights.shape.at(2));
  builder.set_constant("w", weights.dtype, {weights.shape, weights.data});
  builder.set_constant("b", DType::kI32, grouped_bias(weights, zero_point(builder.input(0))));
  layer.macs = srdfg::element_count(builder.output().shape) * weights.shape[1];
  return Done{};
}

/// A flattened image is read as it lies: the rows of the weights are put into its order.
Status bind_gemm(LayerBuilder& builder) {
  NetworkLayer& layer = builder.layer;
  const Value& weights = builder.input(1);
  const srdfg::ValueId x = builder.node.inputs.at(0);
  RowOrder order = same_order(weights.shape.at(0));
  if (const std::optional<size_t> image = builder.tensors.flattened(x)) {
    order = flattened_order(builder.network.activations[*image].storage);
    layer.activations["x"] = *image;
    layer.layer.dtypes["x"] = builder.input(0).dtype;
  } else if (Status status = builder.read("x", x, AccessLayout::kRows); !status) {
    return status;
  }
  if (Status status = builder.write("y", builder.node.outputs.at(0)); !status) return status;
  set_count(layer, "N", builder.input(0).shape.at(0));
  set_count(layer, "K", order.rows);
  set_count(layer, "O", weights.shape.at(1));
  layer.layer.params["ZY"] = zero_point(builder.output());
  set_range(builder.node, layer);
  builder.set_constant("w", weights.dtype, gemm_weights(weights, order));
  set_bias_and_scale(builder, 1);
  layer.elementwise = srdfg::element_count(builder.output().shape);
  layer.macs = layer.elementwise * weights.shape[0];
  return Done{};
}

}  // namespace covenant::compiler
