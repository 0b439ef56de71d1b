#include "compiler/layers/layer_builder.h"

#include <utility>

#include "compiler/layers/constants.h"

namespace covenant::compiler {

Status LayerBuilder::read(const std::string& name, srdfg::ValueId id, AccessLayout layout,
                          const std::vector<size_t>& order) {
  layer.layer.dtypes[name] = graph.get(id).dtype;
  if (graph.get(id).modifier == srdfg::Modifier::kParam) {
    layer.constants[name] = lane_constant(graph.get(id), order);
    return Done{};
  }
  const Result<size_t> activation = tensors.read(id, layout, order);
  if (!activation) return activation.error();
  layer.activations[name] = *activation;
  return Done{};
}

Status LayerBuilder::write(const std::string& name, srdfg::ValueId id, const std::vector<size_t>& order) {
  if (Status status = tensors.make(id, order); !status) return status;
  layer.activations[name] = tensors.activation_of(id);
  layer.layer.dtypes[name] = graph.get(id).dtype;
  return Done{};
}

Status LayerBuilder::write(const std::string& name, srdfg::ValueId id) {
  return write(name, id, memory_order(graph.get(id).shape.size()));
}

void LayerBuilder::set_constant(const std::string& name, DType dtype, ConstantTensor tensor) {
  layer.layer.dtypes[name] = dtype;
  layer.constants[name] = std::move(tensor);
}

}  // namespace covenant::compiler
