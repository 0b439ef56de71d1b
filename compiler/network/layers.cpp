#include "compiler/network/layers.h"

#include <algorithm>
#include <array>
#include <optional>

#include "acg/base/check.h"
#include "acg/graph/numerics.h"
#include "compiler/network/axis_layers.h"
#include "compiler/network/chain_layers.h"
#include "compiler/network/declared_layers.h"
#include "compiler/network/elementwise_layers.h"
#include "compiler/network/fit_elements.h"
#include "compiler/network/groups.h"
#include "compiler/network/layer_params.h"
#include "compiler/network/mean_layers.h"
#include "compiler/network/row_layers.h"
#include "compiler/network/tensors.h"
#include "compiler/srdfg/movement.h"
#include "compiler/srdfg/operations.h"
#include "compiler/srdfg/queries.h"
#include "compiler/srdfg/templates.h"
#include "compiler/srdfg/verify_rows.h"
#include "compiler/srdfg/windows.h"

namespace covenant::compiler {
namespace {

using srdfg::Graph;
using srdfg::Node;
using srdfg::Value;
using srdfg::ValueId;

Diagnostic unsupported(const std::string& code, const Node& node, const std::string& message,
                       const std::string& offending, std::vector<std::string> allowed, const std::string& fix) {
  return Diagnostic{code, {}, node.name, message, offending, std::move(allowed), fix};
}

class Builder {
 public:
  /// `graph`: `model` with elements as wide as the machine's, and its templates expanded.
  Builder(const Graph& model, Graph graph, const acg::Machine& machine, const std::vector<codelet::Codelet>& declared)
      : model_(model), graph_(std::move(graph)), machine_(machine), declared_(declared) {
    network_.name = graph_.name;
  }

  Result<Network> run() {
    for (const ValueId id : graph_.inputs) {
      if (graph_.get(id).dtype == DType::kF32 && !is_read_in_float(id)) continue;  // its quantize node makes it
      if (Status status = tensors_.make(id); !status) return status.error();
      add_boundary(network_.inputs, id, id, tensors_.activation_of(id));
    }
    for (const Node& node : graph_.nodes) {
      if (Status status = add(node); !status) return status.error();
    }
    for (const ValueId id : graph_.outputs) {
      if (Status status = add_output(id); !status) return status.error();
    }
    return std::move(network_);
  }

 private:
  /// True for an input that a layer reads as it is.
  bool is_read_in_float(ValueId id) const {
    return std::ranges::any_of(graph_.nodes, [&](const Node& node) {
      return node.operation == "float_chain" && std::ranges::find(node.inputs, id) != node.inputs.end();
    });
  }

  /// `id` of the model is `stored` in the machine: another value if the host quantises.
  void add_boundary(std::vector<Boundary>& boundaries, ValueId id, ValueId stored, size_t activation) {
    const Value& value = graph_.get(id);
    Boundary boundary{value.name, value.shape, activation, id != stored, {}, {}};
    if (id != stored) {
      const srdfg::Quantization& quantization = graph_.get(stored).quantization.value();
      boundary.quantization = {quantization.scales.at(0), quantization.zero_points.at(0)};
    }
    const DType dtype = model_.get(stored).dtype;
    if (dtype != graph_.get(stored).dtype) boundary.model_dtype = dtype;
    boundaries.push_back(boundary);
  }

  Status add(const Node& node) {
    if (node.operation == "quantize") return add_quantize(node);
    if (node.operation == "dequantize") return Done{};
    if (srdfg::is_movement(node.operation)) return tensors_.move(node);
    NetworkLayer layer;
    layer.layer.name = node.name;
    layer.operation = node.operation;
    Status status = Done{};
    if (node.operation == "conv") {
      status = add_conv(node, layer);
    } else if (node.operation == "gemm") {
      status = add_gemm(node, layer);
    } else if (node.operation == "conv_sums") {
      status = add_conv_sums(node, layer);
    } else if (node.operation == "gemm_sums") {
      status = add_gemm_sums(node, layer);
    } else if (srdfg::works_on_rows(node.operation)) {
      status = bind_rows(graph_, node, machine_, network_, tensors_, layer);
    } else if (node.operation == "float_chain") {
      status = add_chain(node, layer);
    } else if (is_elementwise(node)) {
      status = add_elementwise(node, layer);
    } else if (is_along_axis(node.operation)) {
      status = add_along_axis(node, layer);
    } else if (node.operation == "max_pool") {
      status = add_max_pool(node, layer);
    } else if (node.operation == "average_pool") {
      status = add_average_pool(node, layer);
    } else if (node.operation == "global_average_pool") {
      status = add_mean(node, layer);
    } else if (const codelet::Codelet* declared = find_codelet(declared_, node.operation)) {
      status = add_declared(*declared, node, layer);
    } else {
      return unsupported("GEN0020", node, "no codelet of the library does this operation", node.operation,
                         {srdfg::kOperations.begin(), srdfg::kOperations.end()}, "write a codelet for it");
    }
    if (!status) return status;
    network_.layers.push_back(std::move(layer));
    set_views(network_, network_.layers.back(), machine_);
    return Done{};
  }

  /// All tensors of such a node have their dimensions in one order; factors of channels are viewed as images beside an
  /// image.
  Status add_elementwise(const Node& node, NetworkLayer& layer) {
    const bool is_scaled =
        node.operation == "mul" && graph_.get(node.inputs[1]).shape != graph_.get(node.inputs[0]).shape;
    const std::vector<size_t> order = is_scaled ? memory_order(4) : tensors_.lane_order(node);
    const auto binder = [&](const std::string& name, ValueId id) {
      return id == node.outputs[0] ? write(layer, name, id, order)
                                   : read(layer, name, id, is_scaled ? Reading::kPixels : Reading::kLanes, order);
    };
    if (Status status = bind_elementwise(graph_, node, order.back(), machine_, layer, binder); !status) return status;
    if (acg::is_fixed_point(machine_) && compares_stored(graph_, node, machine_)) compare_stored(layer);
    return Done{};
  }

  Status add_chain(const Node& node, NetworkLayer& layer) {
    const std::vector<size_t> order = tensors_.lane_order(node);
    const auto binder = [&](const std::string& name, ValueId id) {
      return id == node.outputs[0] ? write(layer, name, id, order) : read(layer, name, id, Reading::kLanes, order);
    };
    return bind_chain(graph_, node, order.back(), layer, binder);
  }

  Status add_along_axis(const Node& node, NetworkLayer& layer) {
    const auto axis = static_cast<size_t>(srdfg::integer_attribute(node, "axis"));
    const std::vector<size_t> order = axis_order(graph_.get(node.inputs.at(0)).shape, axis);
    tensors_.keep_shape(node.inputs[0]);  // results have as many dimensions
    const auto binder = [&](const std::string& name, ValueId id) {
      return id == node.outputs[0] ? write(layer, name, id, order) : read(layer, name, id, Reading::kLanes, order);
    };
    return bind_along_axis(graph_, node, order, layer, binder);
  }

  Status add_declared(const codelet::Codelet& declared, const Node& node, NetworkLayer& layer) {
    const std::vector<size_t> order = tensors_.lane_order(node);
    const auto binder = [&](const std::string& name, ValueId id) {
      return id == node.outputs[0] ? write(layer, name, id, order) : read(layer, name, id, Reading::kLanes, order);
    };
    return bind_declared(declared, graph_, node, order.back(), layer, binder);
  }

  Status add_quantize(const Node& node) {
    const ValueId made = node.outputs.at(0);
    if (Status status = tensors_.make(made); !status) return status;
    add_boundary(network_.inputs, node.inputs.at(0), made, tensors_.activation_of(made));
    return Done{};
  }

  Status add_output(ValueId id) {
    const std::optional<size_t> producer = producers_[id.value];
    const bool is_real = producer && graph_.nodes[*producer].operation == "dequantize";
    const ValueId stored = is_real ? graph_.nodes[*producer].inputs.at(0) : id;
    const Result<size_t> activation = tensors_.to_host(stored);
    if (!activation) return activation.error();
    add_boundary(network_.outputs, id, stored, *activation);
    return Done{};
  }

  /// Binds surrogate `name` to a value that the layer reads.
  Status read(NetworkLayer& layer, const std::string& name, ValueId id, Reading reading,
              const std::vector<size_t>& order = {}) {
    layer.layer.dtypes[name] = graph_.get(id).dtype;
    if (graph_.get(id).modifier == srdfg::Modifier::kParam) {
      layer.constants[name] = lane_constant(graph_.get(id), order);
      return Done{};
    }
    const Result<size_t> activation = tensors_.read(id, reading, order);
    if (!activation) return activation.error();
    layer.activations[name] = *activation;
    return Done{};
  }

  /// Binds surrogate `name` to a value that the layer makes.
  Status write(NetworkLayer& layer, const std::string& name, ValueId id, const std::vector<size_t>& order) {
    if (Status status = tensors_.make(id, order); !status) return status;
    layer.activations[name] = tensors_.activation_of(id);
    layer.layer.dtypes[name] = graph_.get(id).dtype;
    return Done{};
  }
  Status write(NetworkLayer& layer, const std::string& name, ValueId id) {
    return write(layer, name, id, memory_order(graph_.get(id).shape.size()));
  }

  /// The quantisation of a value that has one.
  const srdfg::Quantization& quantization(ValueId id) const { return graph_.get(id).quantization.value(); }
  int32_t zero_point(ValueId id) const { return quantization(id).zero_points.at(0); }

  void set_constant(NetworkLayer& layer, const std::string& name, DType dtype, ConstantTensor tensor) {
    layer.layer.dtypes[name] = dtype;
    layer.constants[name] = std::move(tensor);
  }

  void set_bias_and_scale(const Node& node, NetworkLayer& layer, size_t channel_axis) {
    const Value& weights = graph_.get(node.inputs.at(1));
    const Value* bias = node.inputs.size() > 2 ? &graph_.get(node.inputs[2]) : nullptr;
    const uint64_t channels = weights.shape.at(channel_axis);
    set_constant(layer, "b", DType::kI32, folded_bias(bias, weights, channel_axis, zero_point(node.inputs[0])));
    set_constant(layer, "s", DType::kF32,
                 output_scales(graph_.get(node.inputs[0]), weights, graph_.get(node.outputs[0]), channels));
  }

  void set_image(const Node& node, NetworkLayer& layer) {
    const std::vector<uint64_t>& x = graph_.get(node.inputs.at(0)).shape;
    const std::vector<uint64_t>& y = graph_.get(node.outputs.at(0)).shape;
    set_count(layer, "N", x[0]);
    set_count(layer, "IH", x[2]);
    set_count(layer, "IW", x[3]);
    set_count(layer, "OH", y[2]);
    set_count(layer, "OW", y[3]);
  }

  static void set_window(const Node& node, NetworkLayer& layer, uint64_t kernel_height, uint64_t kernel_width) {
    const std::vector<int64_t>& strides = srdfg::integers_attribute(node, "strides");
    const std::vector<int64_t>& pads = srdfg::integers_attribute(node, "pads");
    const std::array<int64_t, 2> dilations = srdfg::dilations(node);
    set_count(layer, "KH", kernel_height);
    set_count(layer, "KW", kernel_width);
    for (size_t axis = 0; axis < 2; ++axis) {
      layer.layer.params[axis == 0 ? "SH" : "SW"] = strides.at(axis);
      layer.layer.params[axis == 0 ? "DH" : "DW"] = dilations[axis];
      layer.layer.params[axis == 0 ? "PT" : "PL"] = pads.at(axis);
    }
  }

  /// The common part of all convolutions: everything except requantisation.
  Status set_conv(const Node& node, NetworkLayer& layer) {
    if (Status status = read(layer, "x", node.inputs.at(0), Reading::kImage); !status) return status;
    if (Status status = write(layer, "y", node.outputs.at(0)); !status) return status;
    const Value& weights = graph_.get(node.inputs.at(1));
    set_image(node, layer);
    set_window(node, layer, weights.shape.at(2), weights.shape.at(3));
    layer.layer.params["ZX"] = zero_point(node.inputs.at(0));
    set_groups(graph_, node, machine_, network_.activations, layer);
    const uint64_t outputs = srdfg::element_count(graph_.get(node.outputs[0]).shape);
    layer.macs = outputs * weights.shape[1] * weights.shape[2] * weights.shape[3];
    return Done{};
  }

  Status add_conv(const Node& node, NetworkLayer& layer) {
    if (Status status = set_conv(node, layer); !status) return status;
    layer.layer.params["ZY"] = zero_point(node.outputs.at(0));
    set_range(node, layer);
    set_bias_and_scale(node, layer, 0);
    fill_last_group(layer);
    layer.elementwise = srdfg::element_count(graph_.get(node.outputs[0]).shape);
    return Done{};
  }

  Status add_conv_sums(const Node& node, NetworkLayer& layer) {
    if (Status status = set_conv(node, layer); !status) return status;
    const Value& weights = graph_.get(node.inputs.at(1));
    set_constant(layer, "b", DType::kI32, folded_bias(nullptr, weights, 0, zero_point(node.inputs[0])));
    return Done{};
  }

  Status add_gemm_sums(const Node& node, NetworkLayer& layer) {
    if (Status status = read(layer, "x", node.inputs.at(0), Reading::kRows); !status) return status;
    if (Status status = write(layer, "y", node.outputs.at(0)); !status) return status;
    const Value& weights = graph_.get(node.inputs.at(1));
    set_count(layer, "G", weights.shape.at(0));
    set_count(layer, "N", graph_.get(node.inputs[0]).shape.at(0) / weights.shape.at(0));
    set_count(layer, "K", weights.shape.at(1));
    set_count(layer, "O", weights.shape.at(2));
    set_constant(layer, "w", weights.dtype, {weights.shape, weights.data});
    set_constant(layer, "b", DType::kI32, grouped_bias(weights, zero_point(node.inputs[0])));
    layer.macs = srdfg::element_count(graph_.get(node.outputs[0]).shape) * weights.shape[1];
    return Done{};
  }

  Status add_gemm(const Node& node, NetworkLayer& layer) {
    const Value& weights = graph_.get(node.inputs.at(1));
    RowOrder order = same_order(weights.shape.at(0));
    if (const std::optional<size_t> image = tensors_.flattened(node.inputs[0])) {
      order = flattened_order(network_.activations[*image].storage);
      layer.activations["x"] = *image;
      layer.layer.dtypes["x"] = graph_.get(node.inputs[0]).dtype;
    } else if (Status status = read(layer, "x", node.inputs[0], Reading::kRows); !status) {
      return status;
    }
    if (Status status = write(layer, "y", node.outputs.at(0)); !status) return status;
    set_count(layer, "N", graph_.get(node.inputs[0]).shape.at(0));
    set_count(layer, "K", order.rows);
    set_count(layer, "O", weights.shape.at(1));
    layer.layer.params["ZY"] = zero_point(node.outputs.at(0));
    set_range(node, layer);
    set_constant(layer, "w", weights.dtype, gemm_weights(weights, order));
    set_bias_and_scale(node, layer, 1);
    layer.elementwise = srdfg::element_count(graph_.get(node.outputs[0]).shape);
    layer.macs = layer.elementwise * weights.shape[0];
    return Done{};
  }

  /// The common part of pools with windows.
  Status set_pool(const Node& node, NetworkLayer& layer) {
    if (Status status = read(layer, "x", node.inputs.at(0), Reading::kImage); !status) return status;
    if (Status status = write(layer, "y", node.outputs.at(0)); !status) return status;
    const std::vector<int64_t>& kernel = srdfg::integers_attribute(node, "kernel");
    const Value& output = graph_.get(node.outputs[0]);
    set_image(node, layer);
    set_count(layer, "C", output.shape.at(1));
    set_window(node, layer, static_cast<uint64_t>(kernel.at(0)), static_cast<uint64_t>(kernel.at(1)));
    layer.elementwise = srdfg::element_count(output.shape) * static_cast<uint64_t>(kernel[0] * kernel[1]);
    return Done{};
  }

  Status add_max_pool(const Node& node, NetworkLayer& layer) {
    if (Status status = set_pool(node, layer); !status) return status;
    layer.layer.params["FILL"] = lowest(graph_.get(node.outputs[0]).dtype);
    return Done{};
  }

  Status add_average_pool(const Node& node, NetworkLayer& layer) {
    if (Status status = set_pool(node, layer); !status) return status;
    layer.layer.params["ZX"] = zero_point(node.inputs[0]);
    set_range(node, layer);
    layer.elementwise += 2 * srdfg::element_count(graph_.get(node.outputs[0]).shape);
    set_mean_of_windows(graph_, node, machine_, layer);
    return Done{};
  }

  Status add_mean(const Node& node, NetworkLayer& layer) {
    if (Status status = read(layer, "x", node.inputs.at(0), Reading::kImage); !status) return status;
    if (Status status = write(layer, "y", node.outputs.at(0)); !status) return status;
    const std::vector<uint64_t>& x = graph_.get(node.inputs[0]).shape;
    const uint64_t pixels = x[2] * x[3];
    set_count(layer, "N", x[0]);
    set_count(layer, "IH", x[2]);
    set_count(layer, "IW", x[3]);
    set_count(layer, "C", x[1]);
    layer.layer.params["OFFSET"] = -static_cast<int64_t>(pixels) * zero_point(node.inputs[0]);
    set_mean_scale(graph_, node, machine_, pixels, layer);
    layer.layer.params["ZY"] = zero_point(node.outputs[0]);
    set_range(node, layer);
    layer.elementwise = srdfg::element_count(x) + 2 * srdfg::element_count(graph_.get(node.outputs[0]).shape);
    return Done{};
  }

  const Graph& model_;
  const Graph graph_;
  const acg::Machine& machine_;
  const std::vector<codelet::Codelet>& declared_;
  Network network_;
  const std::vector<std::optional<size_t>> producers_ = srdfg::producers(graph_);
  Tensors tensors_{graph_, machine_, network_};
};

}  // namespace

Result<Network> make_layers(const srdfg::Graph& graph, const acg::Machine& machine,
                            const std::vector<codelet::Codelet>& declared) {
  const Result<srdfg::Graph> fitted = fit_elements(graph, machine);
  if (!fitted) return fitted.error();
  return Builder(graph, srdfg::expand_templates(*fitted), machine, declared).run();
}

}  // namespace covenant::compiler
