#include "compiler/network/elementwise_layers.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "acg/base/check.h"
#include "acg/graph/numerics.h"
#include "acg/graph/queries.h"
#include "compiler/network/constants.h"
#include "compiler/network/layer_params.h"

namespace covenant::compiler {
namespace {

using srdfg::Graph;
using srdfg::Node;
using srdfg::Value;

const srdfg::Quantization& quantization(const Graph& graph, srdfg::ValueId id) {
  return graph.get(id).quantization.value();
}

/// [P, C]: all dimensions but `lanes` in one.
void set_matrix(const Graph& graph, const Node& node, size_t lanes, NetworkLayer& layer) {
  const std::vector<uint64_t>& shape = graph.get(node.outputs.at(0)).shape;
  set_count(layer, "C", shape.at(lanes));
  set_count(layer, "P", srdfg::element_count(shape) / shape[lanes]);
}

void set_sum(const Graph& graph, const Node& node, NetworkLayer& layer) {
  const AddScalars scalars = add_scalars(quantization(graph, node.inputs[0]), quantization(graph, node.inputs[1]),
                                         quantization(graph, node.outputs[0]));
  set_real(layer, "SA", scalars.scale_a);
  set_real(layer, "SB", scalars.scale_b);
  set_real(layer, "OFFSET", scalars.offset);
  layer.layer.params["ZY"] = quantization(graph, node.outputs[0]).zero_points.at(0);
}

void set_product(const Graph& graph, const Node& node, NetworkLayer& layer) {
  const srdfg::Quantization& a = quantization(graph, node.inputs[0]);
  const srdfg::Quantization& b = quantization(graph, node.inputs[1]);
  const srdfg::Quantization& y = quantization(graph, node.outputs[0]);
  set_real(layer, "SCALE", product_scale(a, b, y));
  set_real(layer, "OFFSET", static_cast<float>(y.zero_points.at(0)));
  layer.layer.params["ZA"] = a.zero_points.at(0);
  layer.layer.params["ZB"] = b.zero_points.at(0);
}

/// Sets the params for an image and one factor per channel.
void set_channels(const Graph& graph, const Node& node, NetworkLayer& layer) {
  const std::vector<uint64_t>& shape = graph.get(node.inputs[0]).shape;
  if (graph.get(node.inputs[1]).shape == shape) return;
  layer.operation = "mul_channels";
  set_count(layer, "N", shape[0]);
  set_count(layer, "P", shape[2] * shape[3]);
}

/// Sets the scales of both operands and of the result.
void set_scales(const Graph& graph, const Node& node, NetworkLayer& layer) {
  const auto set = [&](const char* scale, const char* zero, srdfg::ValueId id) {
    set_real(layer, scale, quantization(graph, id).scales.at(0));
    layer.layer.params[zero] = quantization(graph, id).zero_points.at(0);
  };
  set("SA", "ZA", node.inputs[0]);
  set("SB", "ZB", node.inputs[1]);
  set("SY", "ZY", node.outputs[0]);
  layer.elementwise *= 4;
}

/// A table has an entry for each byte, whatever its sign: where the machine looks up elements of one sign alone, those
/// of the other are taken for such.
void read_as_made(const Graph& graph, const Node& node, const acg::Machine& machine, NetworkLayer& layer) {
  const DType read = graph.get(node.inputs[0]).dtype;
  const DType made = graph.get(node.outputs[0]).dtype;
  if (bits(read) != bits(made) || !acg::find_capability(machine, "LOOKUP", made, {read, made}).empty()) return;
  layer.layer.dtypes["x"] = made;
}

/// The entry for each byte: that many less half of the range.
void look_up_signed(DType made, NetworkLayer& layer) {
  std::vector<int64_t> entries;
  for (int64_t one = lowest(made); one <= highest(made); ++one) entries.push_back(one);
  layer.operation = "lookup";
  layer.layer.params["TABLE"] = codelet::Constant{made, 0, 0, srdfg::integer_data(made, entries)};
}

}  // namespace

bool is_elementwise(const Node& node) {
  return srdfg::is_pair(node.operation) || node.operation == "lookup" || node.operation == "clip" ||
         node.operation == "to_signed";
}

bool compares_stored(const Graph& graph, const Node& node, const acg::Machine& machine) {
  if (node.operation != "max" && node.operation != "min") return false;
  const Value& y = graph.get(node.outputs[0]);
  const std::string_view capability = node.operation == "max" ? "MAX" : "MIN";
  if (acg::find_capability(machine, capability, y.dtype, {y.dtype, y.dtype}).empty()) return false;
  const auto is_alike = [&](srdfg::ValueId id) {
    return graph.get(id).dtype == y.dtype && quantization(graph, id) == y.quantization.value();
  };
  return std::ranges::all_of(node.inputs, is_alike) && srdfg::integer_attribute(node, "lowest") == lowest(y.dtype) &&
         srdfg::integer_attribute(node, "highest") == highest(y.dtype);
}

void compare_stored(NetworkLayer& layer) {
  layer.operation += "_stored";
  for (const char* scaling : {"SA", "ZA", "SB", "ZB", "SY", "ZY", "LOWEST", "HIGHEST"}) {
    layer.layer.params.erase(scaling);
  }
}

Status bind_elementwise(const Graph& graph, const Node& node, size_t lanes, const acg::Machine& machine,
                        NetworkLayer& layer, const ActivationBinder& bind_activation) {
  const bool is_pair = srdfg::is_pair(node.operation);
  if (Status status = bind_activation(is_pair ? "a" : "x", node.inputs.at(0)); !status) return status;
  if (is_pair) {
    if (Status status = bind_activation("b", node.inputs.at(1)); !status) return status;
  }
  if (Status status = bind_activation("y", node.outputs.at(0)); !status) return status;
  set_matrix(graph, node, lanes, layer);
  const bool has_one_step = is_pair || node.operation == "lookup";
  layer.elementwise = (has_one_step ? 1 : 2) * srdfg::element_count(graph.get(node.outputs[0]).shape);
  if (node.operation == "lookup") {
    const Value& table = graph.get(node.inputs.at(1));
    layer.layer.params["TABLE"] = codelet::Constant{table.dtype, 0, 0, table.data};
    read_as_made(graph, node, machine, layer);
    return Done{};
  }
  if (node.operation == "to_signed") {
    const DType made = graph.get(node.outputs.at(0)).dtype;
    if (!acg::find_capability(machine, "LOOKUP", made, {graph.get(node.inputs.at(0)).dtype, made}).empty()) {
      look_up_signed(made, layer);
      return Done{};
    }
    layer.layer.params["HALF"] = codelet::Constant{DType::kI32, -lowest(made), 0};
    layer.layer.params["LOWEST"] = lowest(made);
    layer.layer.params["HIGHEST"] = highest(made);
    return Done{};
  }
  set_range(node, layer);
  if (node.operation == "mul") set_channels(graph, node, layer);
  // ONNX Runtime adds and multiplies elements of different signs in f32; in fixed point the array takes them as they
  // are.
  const bool is_sum_or_product = is_pair && !srdfg::is_real_pair(node.operation);
  const bool is_between = is_sum_or_product && srdfg::differs_in_sign(graph, node) && !acg::is_fixed_point(machine);
  if (is_between) layer.operation += "_real";
  if (is_between || srdfg::is_real_pair(node.operation)) {
    set_scales(graph, node, layer);
  } else if (node.operation == "add") {
    set_sum(graph, node, layer);
  } else if (node.operation == "mul") {
    set_product(graph, node, layer);
  }
  return Done{};
}

}  // namespace covenant::compiler
