#include "compiler/network/row_layers.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "acg/base/check.h"
#include "acg/base/rounding.h"
#include "acg/graph/numerics.h"
#include "acg/graph/queries.h"
#include "compiler/codelet/rewrite.h"
#include "compiler/codelet/vector_sizes.h"
#include "compiler/network/choose.h"
#include "compiler/network/constants.h"
#include "compiler/network/layer_params.h"
#include "compiler/srdfg/verify_rows.h"

namespace covenant::compiler {
namespace {

using codelet::Surrogate;
using srdfg::Graph;
using srdfg::Node;
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

uint64_t param(const NetworkLayer& layer, const char* name) {
  return static_cast<uint64_t>(std::get<int64_t>(layer.layer.params.at(name)));
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

class Binder {
 public:
  Binder(const Graph& graph, const Node& node, const acg::Machine& machine, Network& network, Tensors& tensors,
         NetworkLayer& layer)
      : graph_(graph), node_(node), machine_(machine), network_(network), tensors_(tensors), layer_(layer) {}

  Status run() {
    const Value& y = graph_.get(node_.outputs[0]);
    set_count(layer_, "G", y.shape[0]);
    set_count(layer_, "L", chunk_of(machine_));
    if (node_.operation != "column_sums") set_count(layer_, "M", y.shape[1]);
    const bool has_columns = node_.operation != "row_sums" && !srdfg::is_row_number(node_.operation);
    if (has_columns) set_count(layer_, "T", ceil_divide(y.shape[2], param(layer_, "L")));
    if (Status status = write(y); !status) return status;
    if (srdfg::is_row_number(node_.operation)) return row_number();
    if (node_.operation == "normalize_rows") return normalize_rows();
    if (node_.operation == "scale_columns") return scale_columns();
    set_count(layer_, "K", graph_.get(node_.inputs[0]).shape[node_.operation == "column_sums" ? 1 : 2]);
    layer_.macs = srdfg::element_count(y.shape) * param(layer_, "K");
    if (node_.operation == "row_sums") return row_sums();
    return node_.operation == "column_sums" ? column_sums() : matmul();
  }

 private:
  Status write(const Value& y) {
    layer_.layer.dtypes["y"] = y.dtype;
    const std::string& memory = acg::get(machine_, acg::outermost_memory(machine_)).name;
    const uint64_t columns = round_up(y.shape[2], param(layer_, "L"));
    const ValueId made = node_.outputs[0];
    if (Status status = tensors_.make(made, dense(memory, y.shape, {0, 1, 2}, columns)); !status) return status;
    layer_.activations["y"] = tensors_.activation_of(made);
    return Done{};
  }

  Status read(const std::string& name, ValueId id, Reading reading) {
    const Result<size_t> activation = tensors_.read(id, reading);
    if (!activation) return activation.error();
    layer_.activations[name] = *activation;
    layer_.layer.dtypes[name] = graph_.get(id).dtype;
    return Done{};
  }

  /// Sums, and what is made of them, are in the layout in which their own layer has written them.
  void read_sums(const std::string& name, ValueId id) {
    layer_.layer.dtypes[name] = graph_.get(id).dtype;
    layer_.activations[name] = tensors_.activation_of(id);
  }

  void set_constant(const std::string& name, DType dtype, ConstantTensor tensor) {
    layer_.layer.dtypes[name] = dtype;
    layer_.constants[name] = std::move(tensor);
  }

  void set_zeros(const std::string& name, const std::vector<uint64_t>& shape) {
    set_constant(name, DType::kI32,
                 {shape, std::vector<uint8_t>(srdfg::element_count(shape) * sizeof(int32_t), uint8_t{0})});
  }

  /// In the tiles in which the machine reads the codelet's `w`.
  Status read_tiles(ValueId id) {
    layer_.layer.dtypes["w"] = graph_.get(id).dtype;
    set_views(network_, layer_, machine_);
    const Result<codelet::Codelet> packed = packed_codelet(layer_, machine_);
    if (!packed) return packed.error();
    const Storage storage = tiled_storage(machine_, graph_.get(id).shape, *find_surrogate(*packed, "w"));
    const Result<size_t> activation = tensors_.in_tiles(id, storage);
    if (!activation) return activation.error();
    layer_.activations["w"] = *activation;
    return Done{};
  }

  float real(const char* attribute) const {
    return static_cast<float>(std::get<double>(node_.attributes.at(attribute)));
  }

  /// Numbers of rows, of those that others have made.
  Status row_number() {
    static const std::map<std::string, std::vector<const char*>> kTensors{
        {"row_mean", {"s"}}, {"row_squares", {"hi", "lo"}}, {"row_variance", {"m", "q"}}, {"row_deviation", {"v"}}};
    layer_.elementwise = srdfg::element_count(graph_.get(node_.outputs[0]).shape) * 4;
    if (node_.operation == "row_deviation") set_real(layer_, "EPSILON", real("epsilon"));
    if (node_.operation == "row_mean") set_real(layer_, "SCALE", real("scale"));
    if (node_.operation == "row_variance") set_real(layer_, "SQUARE", real("scale") * real("scale"));
    if (node_.operation == "row_mean" || node_.operation == "row_variance") {
      set_real(layer_, "COUNT", static_cast<float>(srdfg::integer_attribute(node_, "count")));
    }
    const std::vector<const char*>& tensors = kTensors.at(node_.operation);
    for (size_t i = 0; i < tensors.size(); ++i) read_sums(tensors[i], node_.inputs[i]);
    return Done{};
  }

  Status normalize_rows() {
    const srdfg::Quantization& x = graph_.get(node_.inputs[0]).quantization.value();
    set_real(layer_, "SX", x.scales[0]);
    layer_.layer.params["ZX"] = x.zero_points[0];
    read_sums("m", node_.inputs[1]);
    read_sums("d", node_.inputs[2]);
    return read_wide();
  }

  Status scale_columns() {
    const srdfg::Quantization& y = graph_.get(node_.outputs[0]).quantization.value();
    set_real(layer_, "SY", y.scales[0]);
    layer_.layer.params["ZY"] = y.zero_points[0];
    set_range(node_, layer_);
    for (const auto& [name, id] : {std::pair{"a", node_.inputs[1]}, std::pair{"b", node_.inputs[2]}}) {
      const uint64_t columns = param(layer_, "T") * param(layer_, "L");
      ConstantTensor numbers{{columns}, graph_.get(id).data};
      numbers.data.resize(columns * sizeof(float));
      set_constant(name, DType::kF32, std::move(numbers));
    }
    return read_wide();
  }

  /// x, with whole chunks in each row.
  Status read_wide() {
    layer_.elementwise = srdfg::element_count(graph_.get(node_.outputs[0]).shape) * 3;
    const Result<size_t> activation = tensors_.read_rows(node_.inputs[0], param(layer_, "T") * param(layer_, "L"));
    if (!activation) return activation.error();
    layer_.activations["x"] = *activation;
    layer_.layer.dtypes["x"] = graph_.get(node_.inputs[0]).dtype;
    return Done{};
  }

  Status row_sums() {
    if (Status status = read("x", node_.inputs[0], Reading::kGroups); !status) return status;
    const uint64_t columns = param(layer_, "L");
    const DType dtype = with_sign(graph_.get(node_.inputs[0]).dtype);
    const std::vector<int64_t> factors(param(layer_, "K") * columns, srdfg::integer_attribute(node_, "factor"));
    const Value weights{.name = "w",
                        .dtype = dtype,
                        .shape = {param(layer_, "K"), columns},
                        .data = srdfg::integer_data(dtype, factors)};
    const int32_t zero_point = graph_.get(node_.inputs[0]).quantization.value().zero_points[0];
    set_constant("b", DType::kI32, folded_bias(nullptr, weights, 1, zero_point));
    set_constant("w", dtype, {weights.shape, weights.data});
    return Done{};
  }

  /// A factor that is no element with a sign is the sum of several.
  Status column_sums() {
    std::vector<int64_t> factors;
    const DType dtype = graph_.get(node_.inputs[0]).dtype;
    const uint64_t rows = param(layer_, "K");
    uint64_t parts = 0;
    for (int64_t left = srdfg::integer_attribute(node_, "factor"); left != 0; ++parts) {
      const int64_t part = std::clamp<int64_t>(left, lowest(dtype), highest(dtype));
      factors.insert(factors.end(), rows, part);
      left -= part;
    }
    set_count(layer_, "J", parts);
    set_constant("x", dtype, {{parts, rows}, srdfg::integer_data(dtype, factors)});
    set_zeros("b", {param(layer_, "L")});
    return read_tiles(node_.inputs[0]);
  }

  Status matmul() {
    const auto quantization = [&](ValueId id) -> const srdfg::Quantization& { return *graph_.get(id).quantization; };
    const srdfg::Quantization& y = quantization(node_.outputs[0]);
    layer_.operation = node_.inputs.size() > 3 ? "matmul_rows" : "matmul";
    set_real(layer_, "SCALE", product_scale(quantization(node_.inputs[0]), quantization(node_.inputs[1]), y));
    layer_.layer.params["ZY"] = y.zero_points[0];
    set_range(node_, layer_);
    const uint64_t elements = srdfg::element_count(graph_.get(node_.outputs[0]).shape);
    layer_.elementwise = elements * (node_.inputs.size() - 2);
    if (Status status = read("x", node_.inputs[0], Reading::kGroups); !status) return status;
    if (graph_.get(node_.inputs[2]).modifier == srdfg::Modifier::kParam) {
      const std::vector<uint64_t>& shape = graph_.get(node_.inputs[2]).shape;
      const uint64_t columns = param(layer_, "T") * param(layer_, "L");
      ConstantTensor sums{{shape[0], columns}, std::vector<uint8_t>(shape[0] * columns * sizeof(int32_t))};
      const std::vector<uint8_t>& data = graph_.get(node_.inputs[2]).data;
      for (uint64_t g = 0; g < shape[0]; ++g) {
        const size_t row = shape[2] * sizeof(int32_t);
        std::copy_n(data.begin() + static_cast<std::ptrdiff_t>(g * row), row,
                    sums.data.begin() + static_cast<std::ptrdiff_t>(g * columns * sizeof(int32_t)));
      }
      set_constant("c", DType::kI32, std::move(sums));
    } else {
      read_sums("c", node_.inputs[2]);
    }
    if (node_.inputs.size() > 3) read_sums("r", node_.inputs[3]);
    return read_tiles(node_.inputs[1]);
  }

  const Graph& graph_;
  const Node& node_;
  const acg::Machine& machine_;
  Network& network_;
  Tensors& tensors_;
  NetworkLayer& layer_;
};

}  // namespace

Status bind_rows(const Graph& graph, const Node& node, const acg::Machine& machine, Network& network, Tensors& tensors,
                 NetworkLayer& layer) {
  return Binder(graph, node, machine, network, tensors, layer).run();
}

Storage row_view(const NetworkLayer& layer, const std::string& name, const Storage& storage) {
  const bool has_chunks = layer.layer.params.contains("T");
  const bool is_row_number = !has_chunks || name == "r" || name == "m" || name == "d";
  if (name == "x" && !srdfg::is_normalisation(layer.operation)) return storage;
  Storage view = storage;
  const uint64_t chunk = param(layer, "L");
  view.dimensions.back() = {chunk, 0, 0, {{chunk, 1}}};
  if (layer.operation == "column_sums" || name == "c") view.dimensions.erase(view.dimensions.begin() + 1);
  if (is_row_number) return view;
  const uint64_t chunks = param(layer, "T");
  view.dimensions.insert(view.dimensions.end() - 1, {chunks, 0, 0, {{chunks, chunk}}});
  return view;
}

}  // namespace covenant::compiler
