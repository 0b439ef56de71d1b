#include "compiler/layers/elementwise_layers.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "acg/graph/numerics.h"
#include "acg/graph/queries.h"
#include "compiler/layers/constants.h"
#include "compiler/network/layer_params.h"
#include "compiler/srdfg/queries.h"

namespace covenant::compiler {
namespace {

using srdfg::Quantization;
using srdfg::Value;

const Quantization& quantization(const Value& value) { return value.quantization.value(); }

uint64_t elements_made(const LayerBuilder& builder) { return srdfg::element_count(builder.output().shape); }

/// [P, C]: all dimensions but that of the lanes in one.
void set_matrix(LayerBuilder& builder, size_t lanes) {
  const std::vector<uint64_t>& shape = builder.output().shape;
  set_count(builder.layer, "C", shape.at(lanes));
  set_count(builder.layer, "P", srdfg::element_count(shape) / shape[lanes]);
}

/// Binds x and y, lanes along the same dimension.
Status bind_one(LayerBuilder& builder) {
  const std::vector<size_t> order = builder.tensors.lane_order(builder.node);
  if (Status status = builder.read("x", builder.node.inputs.at(0), AccessLayout::kLanes, order); !status) return status;
  if (Status status = builder.write("y", builder.node.outputs.at(0), order); !status) return status;
  set_matrix(builder, order.back());
  builder.layer.elementwise = 2 * elements_made(builder);
  return Done{};
}

/// Binds a, b and y, which are read in this way and order, and sets the range of the result.
Status bind_pair(LayerBuilder& builder, AccessLayout layout, const std::vector<size_t>& order) {
  if (Status status = builder.read("a", builder.node.inputs.at(0), layout, order); !status) return status;
  if (Status status = builder.read("b", builder.node.inputs.at(1), layout, order); !status) return status;
  if (Status status = builder.write("y", builder.node.outputs.at(0), order); !status) return status;
  set_matrix(builder, order.back());
  builder.layer.elementwise = elements_made(builder);
  set_range(builder.node, builder.layer);
  return Done{};
}

Status bind_pair(LayerBuilder& builder) {
  return bind_pair(builder, AccessLayout::kLanes, builder.tensors.lane_order(builder.node));
}

/// The operation in f32: scales of both operands and of the result.
void set_scales(LayerBuilder& builder) {
  const auto set = [&](const char* scale, const char* zero, const Value& value) {
    set_real(builder.layer, scale, quantization(value).scales.at(0));
    builder.layer.layer.params[zero] = quantization(value).zero_points.at(0);
  };
  set("SA", "ZA", builder.input(0));
  set("SB", "ZB", builder.input(1));
  set("SY", "ZY", builder.output());
  builder.layer.elementwise *= 4;
}

/// ONNX Runtime adds and multiplies elements of different signs in f32; in fixed point the array takes them as they
/// are.
bool computes_in_real(const LayerBuilder& builder) {
  return srdfg::differs_in_sign(builder.graph, builder.node) && !acg::is_fixed_point(builder.machine);
}

void make_real(LayerBuilder& builder) {
  builder.layer.operation += "_real";
  set_scales(builder);
}

/// True if max or min of two values can be computed on stored values, and if the machine compares these.
bool compares_stored(const LayerBuilder& builder, std::string_view capability) {
  const Value& y = builder.output();
  if (acg::find_capability(builder.machine, capability, y.dtype, {y.dtype, y.dtype}).empty()) return false;
  const auto is_alike = [&](srdfg::ValueId id) {
    const Value& operand = builder.graph.get(id);
    return operand.dtype == y.dtype && quantization(operand) == quantization(y);
  };
  return std::ranges::all_of(builder.node.inputs, is_alike) &&
         srdfg::integer_attribute(builder.node, "lowest") == lowest(y.dtype) &&
         srdfg::integer_attribute(builder.node, "highest") == highest(y.dtype);
}

Status bind_comparison(LayerBuilder& builder, std::string_view capability) {
  if (Status status = bind_real_pair(builder); !status) return status;
  if (!acg::is_fixed_point(builder.machine) || !compares_stored(builder, capability)) return Done{};
  builder.layer.operation += "_stored";
  for (const char* scaling : {"SA", "ZA", "SB", "ZB", "SY", "ZY", "LOWEST", "HIGHEST"}) {
    builder.layer.layer.params.erase(scaling);
  }
  return Done{};
}

/// A table has an entry for each byte, whatever its sign: where the machine looks up elements of one sign alone, those
/// of the other are taken for such.
void read_as_made(LayerBuilder& builder) {
  const DType read = builder.input(0).dtype;
  const DType made = builder.output().dtype;
  if (bits(read) != bits(made)) return;
  if (!acg::find_capability(builder.machine, "LOOKUP", made, {read, made}).empty()) return;
  builder.layer.layer.dtypes["x"] = made;
}

/// The entry for each byte: that many less half of the range.
void look_up_signed(DType made, NetworkLayer& layer) {
  std::vector<int64_t> entries;
  for (int64_t one = lowest(made); one <= highest(made); ++one) entries.push_back(one);
  layer.operation = "lookup";
  layer.layer.params["TABLE"] = codelet::Constant{made, 0, 0, srdfg::integer_data(made, entries)};
}

}  // namespace

Status bind_add(LayerBuilder& builder) {
  if (Status status = bind_pair(builder); !status) return status;
  if (computes_in_real(builder)) {
    make_real(builder);
    return Done{};
  }
  const AddScalars scalars =
      add_scalars(quantization(builder.input(0)), quantization(builder.input(1)), quantization(builder.output()));
  set_real(builder.layer, "SA", scalars.scale_a);
  set_real(builder.layer, "SB", scalars.scale_b);
  set_real(builder.layer, "OFFSET", scalars.offset);
  builder.layer.layer.params["ZY"] = quantization(builder.output()).zero_points.at(0);
  return Done{};
}

Status bind_mul(LayerBuilder& builder) {
  const std::vector<uint64_t>& shape = builder.input(0).shape;
  const bool has_factors = builder.input(1).shape != shape;
  Status status = has_factors ? bind_pair(builder, AccessLayout::kPixels, memory_order(4)) : bind_pair(builder);
  if (!status) return status;
  if (has_factors) {
    builder.layer.operation = "mul_channels";
    set_count(builder.layer, "N", shape[0]);
    set_count(builder.layer, "P", shape[2] * shape[3]);
  }
  if (computes_in_real(builder)) {
    make_real(builder);
    return Done{};
  }
  const Quantization& a = quantization(builder.input(0));
  const Quantization& b = quantization(builder.input(1));
  const Quantization& y = quantization(builder.output());
  set_real(builder.layer, "SCALE", product_scale(a, b, y));
  set_real(builder.layer, "OFFSET", static_cast<float>(y.zero_points.at(0)));
  builder.layer.layer.params["ZA"] = a.zero_points.at(0);
  builder.layer.layer.params["ZB"] = b.zero_points.at(0);
  return Done{};
}

Status bind_real_pair(LayerBuilder& builder) {
  if (Status status = bind_pair(builder); !status) return status;
  set_scales(builder);
  return Done{};
}

Status bind_max(LayerBuilder& builder) { return bind_comparison(builder, "MAX"); }

Status bind_min(LayerBuilder& builder) { return bind_comparison(builder, "MIN"); }

Status bind_lookup(LayerBuilder& builder) {
  if (Status status = bind_one(builder); !status) return status;
  builder.layer.elementwise = elements_made(builder);
  const Value& table = builder.input(1);
  builder.layer.layer.params["TABLE"] = codelet::Constant{table.dtype, 0, 0, table.data};
  read_as_made(builder);
  return Done{};
}

Status bind_clip(LayerBuilder& builder) {
  if (Status status = bind_one(builder); !status) return status;
  set_range(builder.node, builder.layer);
  return Done{};
}

Status bind_to_signed(LayerBuilder& builder) {
  if (Status status = bind_one(builder); !status) return status;
  const DType made = builder.output().dtype;
  if (!acg::find_capability(builder.machine, "LOOKUP", made, {builder.input(0).dtype, made}).empty()) {
    look_up_signed(made, builder.layer);
    return Done{};
  }
  builder.layer.layer.params["HALF"] = codelet::Constant{DType::kI32, -lowest(made), 0};
  builder.layer.layer.params["LOWEST"] = lowest(made);
  builder.layer.layer.params["HIGHEST"] = highest(made);
  return Done{};
}

}  // namespace covenant::compiler
