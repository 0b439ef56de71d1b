#include "compiler/layers/row_layers.h"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <vector>

#include "acg/base/check.h"
#include "acg/base/rounding.h"
#include "acg/graph/numerics.h"
#include "acg/graph/queries.h"
#include "compiler/binding/layer_codelet.h"
#include "compiler/codelet/rewrite.h"
#include "compiler/codelet/vector_sizes.h"
#include "compiler/layers/constants.h"
#include "compiler/network/layer_params.h"
#include "compiler/network/layer_traits.h"
#include "compiler/network/views.h"
#include "compiler/srdfg/queries.h"

namespace covenant::compiler {
namespace {

using codelet::Surrogate;
using srdfg::Value;
using srdfg::ValueId;

/// Columns of a chunk: whole vectors of all that is written, so that layers agree about each other's rows.
uint64_t chunk_of(const acg::Machine& machine) {
  uint64_t columns = 1;
  for (uint64_t before = 0; before != columns;) {
    before = columns;
    for (const DType dtype : {DType::kI32, DType::kF32}) columns = codelet::padded_size(machine, dtype, columns);
    for (const DType dtype : acg::element_dtypes(machine)) columns = codelet::padded_size(machine, dtype, columns);
  }
  return columns;
}

/// The steps that a packing takes through one dimension of the tensor, the longest first.
std::vector<acg::Stride> steps_of(const codelet::Expression& index, const Surrogate& packed) {
  const std::vector<int64_t> shape = constants(packed.shape);
  struct Step {
    int64_t indices = 0;
    acg::Stride stride;
  };
  std::vector<Step> steps;
  uint64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    const int64_t indices = index.coefficient("p" + std::to_string(d));
    const auto count = static_cast<uint64_t>(shape[d]);
    if (indices != 0 && count > 1) steps.push_back({indices, {count, stride}});
    stride *= count;
  }
  std::ranges::stable_sort(steps, [](const Step& a, const Step& b) { return a.indices > b.indices; });
  std::vector<acg::Stride> result;
  for (const Step& step : steps) result.push_back(step.stride);
  return result;
}

/// The storage of a value [G,K,N] in which `packed`, logically [G,T,K,L], can read it.
Storage tiled_storage(const acg::Machine& machine, const std::vector<uint64_t>& shape, const Surrogate& packed) {
  std::vector<codelet::Expression> packing = packed.packing;
  for (size_t d = 0; packed.packing.empty() && d < packed.shape.size(); ++d) {
    packing.push_back(codelet::Expression::variable("p" + std::to_string(d)));
  }
  std::vector<acg::Stride> columns = steps_of(packing[1], packed);
  const std::vector<acg::Stride> within = steps_of(packing[3], packed);
  columns.insert(columns.end(), within.begin(), within.end());
  Storage storage;
  storage.memory = acg::get(machine, acg::outermost_memory(machine)).name;
  for (const auto& steps : {steps_of(packing[0], packed), steps_of(packing[2], packed), columns}) {
    StorageDimension& dimension = storage.dimensions.emplace_back();
    dimension.size = shape[storage.dimensions.size() - 1];
    dimension.strides = steps;
    if (steps.empty()) dimension.strides = {{1, 1}};
    uint64_t indices = 1;
    for (const acg::Stride& step : dimension.strides) indices *= step.count;
    dimension.after = indices - dimension.size;
  }
  // Data past the last row is multiplied by whatever the first operand has there.
  storage.is_filled = storage.dimensions[1].after > 0;
  return storage;
}

void count_rows(LayerBuilder& builder) { set_count(builder.layer, "M", builder.output().shape[1]); }

/// Chunks of columns in a row.
void count_chunks(LayerBuilder& builder) {
  set_count(builder.layer, "T", ceil_divide(builder.output().shape[2], count(builder.layer, "L")));
}

/// Writes y [G,M,N] in whole chunks of L columns.
Status write_rows(LayerBuilder& builder) {
  const std::vector<uint64_t>& y = builder.output().shape;
  NetworkLayer& layer = builder.layer;
  const uint64_t chunk = chunk_of(builder.machine);
  set_count(layer, "G", y[0]);
  set_count(layer, "L", chunk);
  layer.layer.dtypes["y"] = builder.output().dtype;
  const std::string& memory = acg::get(builder.machine, acg::outermost_memory(builder.machine)).name;
  const ValueId made = builder.node.outputs[0];
  const Storage storage = dense(memory, y, {0, 1, 2}, round_up(y[2], chunk));
  if (Status status = builder.tensors.make(made, storage); !status) return status;
  layer.activations["y"] = builder.tensors.activation_of(made);
  return Done{};
}

/// Sums, and what is made of them, are in the layout in which their own layer has written them.
void read_sums(LayerBuilder& builder, const std::string& name, ValueId id) {
  builder.layer.layer.dtypes[name] = builder.graph.get(id).dtype;
  builder.layer.activations[name] = builder.tensors.activation_of(id);
}

/// x, with whole chunks in each row.
Status read_wide(LayerBuilder& builder) {
  NetworkLayer& layer = builder.layer;
  layer.elementwise = srdfg::element_count(builder.output().shape) * 3;
  const uint64_t columns = count(layer, "T") * count(layer, "L");
  const Result<size_t> activation = builder.tensors.read_rows(builder.node.inputs[0], columns);
  if (!activation) return activation.error();
  layer.activations["x"] = *activation;
  layer.layer.dtypes["x"] = builder.input(0).dtype;
  return Done{};
}

/// In the tiles in which the machine reads the codelet's `w`.
Status read_tiles(LayerBuilder& builder, ValueId id) {
  NetworkLayer& layer = builder.layer;
  layer.layer.dtypes["w"] = builder.graph.get(id).dtype;
  set_views(builder.network, layer, builder.machine);
  const Result<codelet::Codelet> packed = packed_codelet(layer, builder.machine);
  if (!packed) return packed.error();
  const Storage storage = tiled_storage(builder.machine, builder.graph.get(id).shape, *find_surrogate(*packed, "w"));
  const Result<size_t> activation = builder.tensors.in_tiles(id, storage);
  if (!activation) return activation.error();
  layer.activations["w"] = *activation;
  return Done{};
}

/// Sums of columns that are a param, with room for whole chunks.
ConstantTensor padded_sums(const Value& value, uint64_t columns) {
  ConstantTensor sums{{value.shape[0], columns}, std::vector<uint8_t>(value.shape[0] * columns * sizeof(int32_t))};
  const size_t row = value.shape[2] * sizeof(int32_t);
  for (uint64_t g = 0; g < value.shape[0]; ++g) {
    std::copy_n(value.data.begin() + static_cast<std::ptrdiff_t>(g * row), row,
                sums.data.begin() + static_cast<std::ptrdiff_t>(g * columns * sizeof(int32_t)));
  }
  return sums;
}

void set_macs(LayerBuilder& builder, uint64_t length) {
  set_count(builder.layer, "K", length);
  builder.layer.macs = srdfg::element_count(builder.output().shape) * length;
}

float real(const LayerBuilder& builder, const char* attribute) {
  return static_cast<float>(std::get<double>(builder.node.attributes.at(attribute)));
}

void set_number_of_elements(LayerBuilder& builder) {
  set_real(builder.layer, "COUNT", static_cast<float>(srdfg::integer_attribute(builder.node, "count")));
}

/// Writes numbers of channels [N,C]: N rows of C columns.
Status write_channels(LayerBuilder& builder) {
  const std::vector<uint64_t>& y = builder.output().shape;
  set_count(builder.layer, "G", 1);
  set_count(builder.layer, "M", y[0]);
  set_count(builder.layer, "L", y[1]);
  return builder.write("y", builder.node.outputs[0]);
}

/// Numbers of rows or channels, of those that others have made and that the codelet calls so.
Status bind_numbers(LayerBuilder& builder, std::initializer_list<const char*> tensors) {
  const bool is_by_channel = builder.output().shape.size() == 2;
  if (Status status = is_by_channel ? write_channels(builder) : write_rows(builder); !status) return status;
  if (!is_by_channel) count_rows(builder);
  builder.layer.elementwise = srdfg::element_count(builder.output().shape) * 4;
  size_t i = 0;
  for (const char* tensor : tensors) read_sums(builder, tensor, builder.node.inputs.at(i++));
  return Done{};
}

/// Numbers of columns, with room for whole chunks.
ConstantTensor of_columns(const LayerBuilder& builder, size_t input) {
  const uint64_t columns = count(builder.layer, "T") * count(builder.layer, "L");
  ConstantTensor numbers{{columns}, builder.input(input).data};
  numbers.data.resize(columns * sizeof(float));
  return numbers;
}

/// Numbers of rows, each in every lane of a chunk.
ConstantTensor in_all_lanes(const LayerBuilder& builder, size_t input) {
  const uint64_t rows = count(builder.layer, "M"), lanes = count(builder.layer, "L");
  return {{rows, lanes}, srdfg::gathered(builder.input(input).data, {rows, lanes}, {1, 0}, sizeof(float))};
}

}  // namespace

Status bind_row_mean(LayerBuilder& builder) {
  set_real(builder.layer, "SCALE", real(builder, "scale"));
  set_number_of_elements(builder);
  return bind_numbers(builder, {"s"});
}

Status bind_row_squares(LayerBuilder& builder) { return bind_numbers(builder, {"hi", "lo"}); }

Status bind_row_variance(LayerBuilder& builder) {
  set_real(builder.layer, "SQUARE", real(builder, "scale") * real(builder, "scale"));
  set_number_of_elements(builder);
  return bind_numbers(builder, {"m", "q"});
}

Status bind_row_deviation(LayerBuilder& builder) {
  set_real(builder.layer, "EPSILON", real(builder, "epsilon"));
  return bind_numbers(builder, {"v"});
}

Status bind_normalize_rows(LayerBuilder& builder) {
  if (Status status = write_rows(builder); !status) return status;
  count_rows(builder);
  count_chunks(builder);
  const srdfg::Quantization& x = builder.input(0).quantization.value();
  set_real(builder.layer, "SX", x.scales[0]);
  builder.layer.layer.params["ZX"] = x.zero_points[0];
  read_sums(builder, "m", builder.node.inputs[1]);
  read_sums(builder, "d", builder.node.inputs[2]);
  return read_wide(builder);
}

Status bind_scale_columns(LayerBuilder& builder) {
  if (Status status = write_rows(builder); !status) return status;
  count_rows(builder);
  count_chunks(builder);
  const srdfg::Quantization& y = builder.output().quantization.value();
  set_real(builder.layer, "SY", y.scales[0]);
  builder.layer.layer.params["ZY"] = y.zero_points[0];
  set_range(builder.node, builder.layer);
  const bool is_by_row = builder.input(1).shape.size() == 2;
  if (is_by_row) builder.layer.operation = "scale_rows";
  for (const auto& [name, i] : {std::pair{"a", size_t{1}}, std::pair{"b", size_t{2}}}) {
    builder.set_constant(name, DType::kF32, is_by_row ? in_all_lanes(builder, i) : of_columns(builder, i));
  }
  return read_wide(builder);
}

Status bind_row_sums(LayerBuilder& builder) {
  if (Status status = write_rows(builder); !status) return status;
  count_rows(builder);
  const uint64_t length = builder.input(0).shape[2];
  set_macs(builder, length);
  if (Status status = builder.read("x", builder.node.inputs[0], AccessLayout::kGroups); !status) return status;
  const uint64_t columns = count(builder.layer, "L");
  const DType dtype = with_sign(builder.input(0).dtype);
  const std::vector<int64_t> factors(length * columns, srdfg::integer_attribute(builder.node, "factor"));
  const Value weights{
      .name = "w", .dtype = dtype, .shape = {length, columns}, .data = srdfg::integer_data(dtype, factors)};
  const int32_t zero_point = builder.input(0).quantization.value().zero_points[0];
  builder.set_constant("b", DType::kI32, folded_bias(nullptr, weights, 1, zero_point));
  builder.set_constant("w", dtype, {weights.shape, weights.data});
  return Done{};
}

/// A factor that is no element with a sign is the sum of several.
Status bind_column_sums(LayerBuilder& builder) {
  if (Status status = write_rows(builder); !status) return status;
  count_chunks(builder);
  const uint64_t rows = builder.input(0).shape[1];
  set_macs(builder, rows);
  std::vector<int64_t> factors;
  const DType dtype = builder.input(0).dtype;
  uint64_t parts = 0;
  for (int64_t left = srdfg::integer_attribute(builder.node, "factor"); left != 0; ++parts) {
    const int64_t part = std::clamp<int64_t>(left, lowest(dtype), highest(dtype));
    factors.insert(factors.end(), rows, part);
    left -= part;
  }
  set_count(builder.layer, "J", parts);
  builder.set_constant("x", dtype, {{parts, rows}, srdfg::integer_data(dtype, factors)});
  const uint64_t columns = count(builder.layer, "L");
  builder.set_constant("b", DType::kI32, {{columns}, std::vector<uint8_t>(columns * sizeof(int32_t), uint8_t{0})});
  return read_tiles(builder, builder.node.inputs[0]);
}

Status bind_matmul_stored(LayerBuilder& builder) {
  if (Status status = write_rows(builder); !status) return status;
  count_rows(builder);
  count_chunks(builder);
  const srdfg::Node& node = builder.node;
  NetworkLayer& layer = builder.layer;
  const auto quantization = [&](size_t i) -> const srdfg::Quantization& { return *builder.input(i).quantization; };
  const srdfg::Quantization& y = *builder.output().quantization;
  set_macs(builder, builder.input(0).shape[2]);
  layer.operation = node.inputs.size() > 3 ? "matmul_rows" : "matmul";
  set_real(layer, "SCALE", product_scale(quantization(0), quantization(1), y));
  layer.layer.params["ZY"] = y.zero_points[0];
  set_range(node, layer);
  layer.elementwise = srdfg::element_count(builder.output().shape) * (node.inputs.size() - 2);
  if (Status status = builder.read("x", node.inputs[0], AccessLayout::kGroups); !status) return status;
  if (builder.input(2).modifier == srdfg::Modifier::kParam) {
    const uint64_t columns = count(layer, "T") * count(layer, "L");
    builder.set_constant("c", DType::kI32, padded_sums(builder.input(2), columns));
  } else {
    read_sums(builder, "c", node.inputs[2]);
  }
  if (node.inputs.size() > 3) read_sums(builder, "r", node.inputs[3]);
  return read_tiles(builder, node.inputs[1]);
}

}  // namespace covenant::compiler
