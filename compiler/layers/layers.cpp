#include "compiler/layers/layers.h"

#include <algorithm>
#include <optional>

#include "compiler/binding/declared_codelets.h"
#include "compiler/layers/bindings.h"
#include "compiler/layers/channel_layers.h"
#include "compiler/layers/channel_orders.h"
#include "compiler/layers/declared_layers.h"
#include "compiler/layers/fit_elements.h"
#include "compiler/layers/tensors.h"
#include "compiler/network/views.h"
#include "compiler/operators/channel_norms.h"
#include "compiler/operators/operators.h"
#include "compiler/operators/templates.h"
#include "compiler/srdfg/queries.h"

namespace covenant::compiler {
namespace {

using operators::OperatorClass;
using srdfg::Graph;
using srdfg::Node;
using srdfg::Value;
using srdfg::ValueId;

Diagnostic unsupported(const std::string& code, const Node& node, const std::string& message,
                       const std::string& offending, std::vector<std::string> allowed, const std::string& fix) {
  return Diagnostic{code, {}, node.name, message, offending, std::move(allowed), fix};
}

std::vector<std::string> operation_names() {
  std::vector<std::string> names;
  for (const operators::Operator* row : operators::all_operators()) names.emplace_back(row->name);
  return names;
}

class Builder {
 public:
  /// `graph`: `model` with elements as wide as the machine's, and bodies in the place of nodes without a lowering.
  Builder(const Graph& model, Graph graph, const acg::Machine& machine, const std::vector<codelet::Codelet>& declared)
      : model_(model), graph_(std::move(graph)), machine_(machine), declared_(declared) {
    network_.name = graph_.name;
  }

  Result<Network> run() {
    for (const ValueId id : graph_.inputs) {
      if (graph_.get(id).dtype == DType::kF32 && !is_read_in_float(id)) continue;  // its quantize node makes it
      if (Status status = tensors_.make_input(id); !status) return status.error();
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
      return operators::is(node.operation, OperatorClass::kChain) &&
             std::ranges::find(node.inputs, id) != node.inputs.end();
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
    if (operators::is(node.operation, OperatorClass::kBoundary)) return add_boundary_node(node);
    if (operators::is_movement(node.operation)) return tensors_.move(node);
    NetworkLayer layer;
    layer.layer.name = node.name;
    layer.operation = node.operation;
    LayerBuilder builder{graph_, machine_, network_, tensors_, node, layer};
    if (Status status = bind(builder); !status) return status;
    network_.layers.push_back(std::move(layer));
    set_views(network_, network_.layers.back(), machine_);
    return Done{};
  }

  Status bind(LayerBuilder& builder) {
    if (const LayerBinder bind_node = find_binder(builder.node.operation)) return bind_node(builder);
    if (const codelet::Codelet* declared = find_codelet(declared_, builder.node.operation)) {
      return bind_declared(*declared, builder);
    }
    return unsupported("GEN0020", builder.node, "no codelet of the library does this operation", builder.node.operation,
                       operation_names(), "write a codelet for it");
  }

  /// Adds the tensors that the host quantises as inputs of the network; those that it dequantises become outputs later.
  Status add_boundary_node(const Node& node) {
    const ValueId made = node.outputs.at(0);
    if (!graph_.get(made).quantization) return Done{};
    if (Status status = tensors_.make_input(made); !status) return status;
    add_boundary(network_.inputs, node.inputs.at(0), made, tensors_.activation_of(made));
    return Done{};
  }

  Status add_output(ValueId id) {
    const std::optional<size_t> producer = producers_[id.value];
    const bool is_real = producer && operators::is(graph_.nodes[*producer].operation, OperatorClass::kBoundary) &&
                         !graph_.get(id).quantization;
    const ValueId stored = is_real ? graph_.nodes[*producer].inputs.at(0) : id;
    const Result<size_t> activation = tensors_.to_host(stored);
    if (!activation) return activation.error();
    add_boundary(network_.outputs, id, stored, *activation);
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
  // Elements of machines fit what nodes compute.
  const Graph whole = with_channel_orders(operators::inlined_components(graph), machine);
  Result<Graph> fitted = fit_elements(whole, machine);
  if (!fitted) return fitted.error();
  const auto has_lowering = [&](const Node& node) {
    return find_binder(node.operation) != nullptr || find_codelet(declared, node.operation) != nullptr;
  };
  const std::optional<operators::ChannelLimits> limits = channel_limits(machine);
  Graph layered = limits ? operators::with_channel_norms(std::move(*fitted), *limits) : std::move(*fitted);
  return Builder(whole, operators::expand_templates(std::move(layered), has_lowering), machine, declared).run();
}

}  // namespace covenant::compiler
