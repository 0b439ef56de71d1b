/// The context in which a node is bound to a layer: the graph, the machine, and the tensors made so far.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "compiler/layers/tensors.h"
#include "compiler/network/network.h"
#include "compiler/srdfg/graph.h"
#include "compiler/storage/access_layouts.h"

namespace covenant::compiler {

/// Binds surrogates of the layer's codelet to values of `node`.
struct LayerBuilder {
  const srdfg::Graph& graph;
  const acg::Machine& machine;
  Network& network;
  Tensors& tensors;
  const srdfg::Node& node;
  NetworkLayer& layer;

  const srdfg::Value& input(size_t i) const { return graph.get(node.inputs.at(i)); }
  const srdfg::Value& output() const { return graph.get(node.outputs.at(0)); }

  /// Binds surrogate `name` to a value that the layer reads: an activation, or a constant in the order of lanes.
  Status read(const std::string& name, srdfg::ValueId id, AccessLayout layout, const std::vector<size_t>& order = {});

  /// Binds surrogate `name` to a value that the layer makes; rows in `order`, by default channels last.
  Status write(const std::string& name, srdfg::ValueId id, const std::vector<size_t>& order);
  Status write(const std::string& name, srdfg::ValueId id);

  void set_constant(const std::string& name, DType dtype, ConstantTensor tensor);
};

/// Binds one node.
using LayerBinder = Status (*)(LayerBuilder& builder);

}  // namespace covenant::compiler
