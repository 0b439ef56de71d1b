#include "compiler/frontends/onnx/pairs.h"

#include <algorithm>

#include "compiler/srdfg/queries.h"
#include "compiler/srdfg/windows.h"

namespace covenant::compiler::frontend {
namespace {

using srdfg::Graph;
using srdfg::Modifier;
using srdfg::Node;
using srdfg::Value;
using srdfg::ValueId;

/// ONNX Runtime's QLinearAdd adds its first operand last, except an operand that is constant where the other one varies
/// along the innermost dimension of several indices: that is the inner one of its chain, and so is the first of two
/// single elements.
bool first_is_inner(const std::vector<uint64_t>& first, const std::vector<uint64_t>& second) {
  const auto from_end = [](const std::vector<uint64_t>& shape, size_t d) {
    return d < shape.size() ? shape[shape.size() - 1 - d] : 1;
  };
  for (size_t d = 0; d < std::max(first.size(), second.size()); ++d) {
    if (from_end(first, d) != 1 || from_end(second, d) != 1) return from_end(first, d) == 1;
  }
  return true;
}

/// The factor of a product comes last: one for each channel of an image, or else the operand of fewer elements.
bool factor_is_first(const std::vector<uint64_t>& first, const std::vector<uint64_t>& second,
                     const std::vector<uint64_t>& product) {
  const bool has_factor = srdfg::is_one_per_channel(second, product);
  if (srdfg::is_one_per_channel(first, product) != has_factor) return !has_factor;
  return srdfg::element_count(first) < srdfg::element_count(second);
}

/// The elements of a constant, repeated to fill `shape`.
std::vector<uint8_t> expanded(const Value& constant, const std::vector<uint64_t>& shape) {
  const std::vector<uint64_t> own = srdfg::row_major_strides(constant.shape);
  std::vector<uint64_t> strides(shape.size(), 0);
  const size_t before = shape.size() - own.size();
  for (size_t d = 0; d < own.size(); ++d) strides[before + d] = constant.shape[d] == 1 ? 0 : own[d];
  return srdfg::gathered(constant.data, shape, strides, bytes(constant.dtype));
}

}  // namespace

void put_in_order(const Graph& model, Layer& layer) {
  const auto shape = [&](size_t i) -> const std::vector<uint64_t>& {
    return model.get(layer.activations[i].value).shape;
  };
  const bool turns = (layer.operation == "add" && !first_is_inner(shape(0), shape(1))) ||
                     (layer.operation == "mul" && factor_is_first(shape(0), shape(1), model.get(layer.output).shape));
  if (turns) std::ranges::reverse(layer.activations);
}

/// An operand of a sum or product as a tensor of the output's shape: constants are written out, activations repeated.
/// One factor for each channel stays as it is.
Result<ValueId> pair_operand(Normalizing& normalizing, const Node& core, const Layer& layer, const Operand& operand) {
  const Value& stored = normalizing.model.get(operand.value);
  const std::vector<uint64_t>& shape = normalizing.model.get(layer.output).shape;
  const bool is_constant = stored.modifier == Modifier::kParam && operand.quantization && is_narrow(stored.dtype);
  if (is_constant) {
    return normalizing.add({.name = stored.name,
                            .dtype = stored.dtype,
                            .shape = shape,
                            .modifier = Modifier::kParam,
                            .quantization = operand.quantization,
                            .data = expanded(stored, shape)});
  }
  Result<ValueId> id = connect(normalizing, core, operand);
  const bool is_last = operand.value == layer.activations.back().value;
  const bool is_factor = is_last && layer.operation == "mul" && srdfg::is_one_per_channel(stored.shape, shape);
  if (!id || stored.shape == shape || is_factor) return id;
  Value made = normalizing.graph.get(*id);
  made.modifier = Modifier::kState;
  made.name += "/alike";
  made.shape.insert(made.shape.begin(), shape.size() - made.shape.size(), 1);
  std::vector<int64_t> factors;
  for (size_t d = 0; d < shape.size(); ++d) factors.push_back(static_cast<int64_t>(shape[d] / made.shape[d]));
  const bool has_rank = made.shape == stored.shape;
  const ValueId alike = has_rank ? *id : normalizing.add_movement(core.name + "/rank", "reshape", *id, made);
  made.shape = shape;
  return normalizing.add_movement(core.name + "/repeat", "repeat", alike, std::move(made), {{"factors", factors}});
}

}  // namespace covenant::compiler::frontend
