#include "compiler/layers/channel_layers.h"

#include <utility>
#include <vector>

#include "acg/base/rounding.h"
#include "compiler/codelet/vector_sizes.h"
#include "compiler/layers/constants.h"
#include "compiler/layers/pool_layers.h"
#include "compiler/network/layer_params.h"
#include "compiler/srdfg/queries.h"
#include "compiler/storage/vectors.h"

namespace covenant::compiler {
namespace {

/// Rows are copied twice, there and back, by runs and a product, at a cost that follows their elements. Each lane that
/// stands for no channel is idle in all passes over the image: below this part of the lanes the copies cost less.
constexpr uint64_t kLeastPart = 4;

/// Steps of sums go with the square of a group that is wider than the lanes: beyond so many times the copies cost less.
constexpr uint64_t kMostTimes = 20;

/// Channels of a chunk: whole groups that divide the channels, as many as the lanes have room for, at least one.
uint64_t chunk_of(const acg::Machine& machine, uint64_t channels, uint64_t group) {
  const uint64_t lanes = codelet::written_at_once(machine, DType::kI32);
  uint64_t chunk = group;
  for (uint64_t more = group; more <= lanes && more <= channels; more += group) {
    if (channels % more == 0) chunk = more;
  }
  return chunk;
}

/// 1 where two channels of a chunk are in one group.
srdfg::Value same_group(uint64_t chunk, uint64_t group, DType dtype) {
  std::vector<int64_t> ones;
  for (uint64_t k = 0; k < chunk; ++k) {
    for (uint64_t l = 0; l < chunk; ++l) ones.push_back(k / group == l / group ? 1 : 0);
  }
  return {.name = "w", .dtype = dtype, .shape = {chunk, chunk}, .data = srdfg::integer_data(dtype, ones)};
}

/// The zero points of all elements of a group, taken off.
ConstantTensor zero_points_of_group(const LayerBuilder& builder, uint64_t chunk, uint64_t group) {
  const std::vector<uint64_t>& x = builder.input(0).shape;
  const int64_t zero_point = builder.input(0).quantization.value().zero_points[0];
  const auto elements = static_cast<int64_t>(group * x[2] * x[3]);
  return {{chunk}, srdfg::integer_data(DType::kI32, std::vector<int64_t>(chunk, -zero_point * elements))};
}

/// x, pixel by pixel, and y.
Status bind_pixels(LayerBuilder& builder) {
  const std::vector<uint64_t>& shape = builder.output().shape;
  set_count(builder.layer, "N", shape[0]);
  set_count(builder.layer, "P", shape[2] * shape[3]);
  set_count(builder.layer, "C", shape[1]);
  builder.layer.elementwise = srdfg::element_count(shape) * 3;
  if (Status status = builder.read("x", builder.node.inputs[0], AccessLayout::kPixels); !status) return status;
  return builder.write("y", builder.node.outputs[0]);
}

}  // namespace

std::optional<operators::ChannelLimits> channel_limits(const acg::Machine& machine) {
  if (!has_transfer_engines(machine) || reduced_at_once(machine) == 1) return std::nullopt;
  const uint64_t lanes = codelet::written_at_once(machine, DType::kI32);
  return operators::ChannelLimits{.fewest = ceil_divide(lanes, kLeastPart), .widest = lanes * kMostTimes};
}

Status bind_channel_sums(LayerBuilder& builder) {
  NetworkLayer& layer = builder.layer;
  if (Status status = builder.read("x", builder.node.inputs[0], AccessLayout::kImage); !status) return status;
  if (Status status = builder.write("y", builder.node.outputs[0]); !status) return status;
  const std::vector<uint64_t>& x = builder.input(0).shape;
  const uint64_t group = x[1] / static_cast<uint64_t>(srdfg::integer_attribute(builder.node, "groups"));
  const uint64_t chunk = chunk_of(builder.machine, x[1], group);
  set_count(layer, "N", x[0]);
  set_count(layer, "IH", x[2]);
  set_count(layer, "IW", x[3]);
  set_count(layer, "T", x[1] / chunk);
  set_count(layer, "L", chunk);
  layer.macs = srdfg::element_count(x);
  const DType dtype = with_sign(builder.input(0).dtype);
  const srdfg::Value w = same_group(chunk, group, dtype);
  builder.set_constant("w", dtype, {w.shape, w.data});
  builder.set_constant("b", DType::kI32, zero_points_of_group(builder, chunk, group));
  return Done{};
}

Status bind_normalize_channels(LayerBuilder& builder) {
  if (Status status = bind_pixels(builder); !status) return status;
  const srdfg::Quantization& x = builder.input(0).quantization.value();
  set_real(builder.layer, "SX", x.scales[0]);
  builder.layer.layer.params["ZX"] = x.zero_points[0];
  for (const auto& [name, i] : {std::pair{"m", size_t{1}}, std::pair{"d", size_t{2}}}) {
    if (Status status = builder.read(name, builder.node.inputs[i], AccessLayout::kRows); !status) return status;
  }
  return Done{};
}

Status bind_scale_channels(LayerBuilder& builder) {
  if (Status status = bind_pixels(builder); !status) return status;
  const srdfg::Quantization& y = builder.output().quantization.value();
  set_real(builder.layer, "SY", y.scales[0]);
  builder.layer.layer.params["ZY"] = y.zero_points[0];
  set_range(builder.node, builder.layer);
  for (const auto& [name, i] : {std::pair{"a", size_t{1}}, std::pair{"b", size_t{2}}}) {
    builder.set_constant(name, DType::kF32, {builder.input(i).shape, builder.input(i).data});
  }
  return Done{};
}

}  // namespace covenant::compiler
