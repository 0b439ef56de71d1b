#include "compiler/frontends/onnx/constants.h"

#include <array>
#include <cstring>
#include <fmt/format.h>

#include "compiler/frontends/onnx/quantization.h"
#include "compiler/frontends/onnx/refusal.h"
#include "compiler/srdfg/queries.h"

namespace covenant::compiler::frontend {

using srdfg::Modifier;
using srdfg::Node;
using srdfg::Value;

std::optional<std::vector<float>> float_constant(const srdfg::Graph& model, srdfg::ValueId id,
                                                 std::optional<size_t> producer) {
  const Value& value = model.get(id);
  if (value.modifier == Modifier::kParam && value.dtype == DType::kF32) return srdfg::float_elements(value);
  if (!producer || model.nodes[*producer].operation != "DequantizeLinear") return std::nullopt;
  const Node& node = model.nodes[*producer];
  const QuantizationInputs inputs = quantization_inputs(model, node, 0);
  const Value& stored = model.get(inputs.tensor);
  if (stored.modifier != Modifier::kParam || stored.shape.size() > 1) return std::nullopt;
  const auto quantization = per_channel(model, node, inputs, 0);
  if (!quantization) return std::nullopt;
  std::vector<float> result;
  for (const int64_t element : srdfg::integer_elements(stored)) {
    const size_t one = quantization->axis == -1 ? 0 : result.size();
    const size_t zero = quantization->zero_points.size() == 1 ? 0 : one;
    result.push_back(static_cast<float>(element - quantization->zero_points[zero]) * quantization->scales[one]);
  }
  return result;
}

Status add_reals(Normalizing& normalizing, const Node& core, const Layer& layer, Node& node) {
  if (layer.reals.empty()) return Done{};
  const uint64_t columns = normalizing.graph.get(node.inputs[0]).shape.back();
  constexpr std::array<const char*, 2> kNames{"/gains", "/offsets"};
  for (size_t i = 0; i < layer.reals.size(); ++i) {
    const std::vector<float>& reals = layer.reals[i];
    if (reals.size() != columns) {
      return malformed(core, "a normalisation has one gain and one offset for each of its elements",
                       fmt::format("{} for {}", reals.size(), columns));
    }
    Value value{.name = core.name + kNames.at(i),
                .dtype = DType::kF32,
                .shape = {columns},
                .modifier = Modifier::kParam,
                .data = std::vector<uint8_t>(columns * sizeof(float))};
    std::memcpy(value.data.data(), reals.data(), value.data.size());
    node.inputs.push_back(normalizing.add(std::move(value)));
  }
  return Done{};
}

}  // namespace covenant::compiler::frontend
