#include "compiler/layers/pool_layers.h"

#include <array>

#include "compiler/layers/mean_layers.h"
#include "compiler/network/layer_params.h"
#include "compiler/srdfg/queries.h"
#include "compiler/srdfg/windows.h"

namespace covenant::compiler {
namespace {

/// The common part of pools with windows.
Status set_pool(LayerBuilder& builder) {
  NetworkLayer& layer = builder.layer;
  if (Status status = builder.read("x", builder.node.inputs.at(0), AccessLayout::kImage); !status) return status;
  if (Status status = builder.write("y", builder.node.outputs.at(0)); !status) return status;
  const std::vector<int64_t>& kernel = srdfg::integers_attribute(builder.node, "kernel");
  set_image(builder);
  set_count(layer, "C", builder.output().shape.at(1));
  set_window(builder, static_cast<uint64_t>(kernel.at(0)), static_cast<uint64_t>(kernel.at(1)));
  layer.elementwise = srdfg::element_count(builder.output().shape) * static_cast<uint64_t>(kernel[0] * kernel[1]);
  return Done{};
}

}  // namespace

void set_image(LayerBuilder& builder) {
  const std::vector<uint64_t>& x = builder.input(0).shape;
  const std::vector<uint64_t>& y = builder.output().shape;
  set_count(builder.layer, "N", x[0]);
  set_count(builder.layer, "IH", x[2]);
  set_count(builder.layer, "IW", x[3]);
  set_count(builder.layer, "OH", y[2]);
  set_count(builder.layer, "OW", y[3]);
}

void set_window(LayerBuilder& builder, uint64_t kernel_height, uint64_t kernel_width) {
  const std::vector<int64_t>& strides = srdfg::integers_attribute(builder.node, "strides");
  const std::vector<int64_t>& pads = srdfg::integers_attribute(builder.node, "pads");
  const std::array<int64_t, 2> dilations = srdfg::dilations(builder.node);
  set_count(builder.layer, "KH", kernel_height);
  set_count(builder.layer, "KW", kernel_width);
  for (size_t axis = 0; axis < 2; ++axis) {
    builder.layer.layer.params[axis == 0 ? "SH" : "SW"] = strides.at(axis);
    builder.layer.layer.params[axis == 0 ? "DH" : "DW"] = dilations[axis];
    builder.layer.layer.params[axis == 0 ? "PT" : "PL"] = pads.at(axis);
  }
}

Status bind_max_pool(LayerBuilder& builder) {
  if (Status status = set_pool(builder); !status) return status;
  builder.layer.layer.params["FILL"] = lowest(builder.output().dtype);
  return Done{};
}

Status bind_average_pool(LayerBuilder& builder) {
  NetworkLayer& layer = builder.layer;
  if (Status status = set_pool(builder); !status) return status;
  layer.layer.params["ZX"] = zero_point(builder.input(0));
  set_range(builder.node, layer);
  layer.elementwise += 2 * srdfg::element_count(builder.output().shape);
  set_mean_of_windows(builder.graph, builder.node, builder.machine, layer);
  return Done{};
}

Status bind_global_average_pool(LayerBuilder& builder) {
  NetworkLayer& layer = builder.layer;
  if (Status status = builder.read("x", builder.node.inputs.at(0), AccessLayout::kImage); !status) return status;
  if (Status status = builder.write("y", builder.node.outputs.at(0)); !status) return status;
  const std::vector<uint64_t>& x = builder.input(0).shape;
  const uint64_t pixels = x[2] * x[3];
  set_count(layer, "N", x[0]);
  set_count(layer, "IH", x[2]);
  set_count(layer, "IW", x[3]);
  set_count(layer, "C", x[1]);
  layer.layer.params["OFFSET"] = -static_cast<int64_t>(pixels) * zero_point(builder.input(0));
  set_mean_scale(builder.graph, builder.node, builder.machine, pixels, layer);
  layer.layer.params["ZY"] = zero_point(builder.output());
  set_range(builder.node, layer);
  layer.elementwise = srdfg::element_count(x) + 2 * srdfg::element_count(builder.output().shape);
  return Done{};
}

}  // namespace covenant::compiler
