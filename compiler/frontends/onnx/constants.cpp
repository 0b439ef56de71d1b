#include "compiler/frontends/onnx/constants.h"

#include <array>
#include <cstring>
#include <fmt/format.h>

#include "compiler/frontends/onnx/attributes.h"
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

namespace {

using Shape = std::vector<uint64_t>;

/// The dimensions of x before those that a LayerNormalization normalises.
Shape outer_dimensions(const srdfg::Graph& model, const Node& core) {
  const Shape& x = model.get(core.inputs[0]).shape;
  const int64_t axis = integer_or(core, "axis", -1);
  return {x.begin(), axis < 0 ? x.end() + axis : x.begin() + axis};
}

/// Whether an operand of a LayerNormalization has a number for each row: its last dimensions, as many as are
/// normalised, have one index.
bool is_of_rows(const srdfg::Graph& model, const Node& core, size_t operand) {
  const Shape &x = model.get(core.inputs[0]).shape, &numbers = model.get(core.inputs[operand]).shape;
  const size_t normalised = x.size() - outer_dimensions(model, core).size();
  const auto last = [&](const Shape& shape) {
    return Shape(shape.end() - static_cast<int64_t>(normalised), shape.end());
  };
  return numbers.size() > normalised && srdfg::element_count(last(x)) > 1 && srdfg::element_count(last(numbers)) == 1;
}

/// Gains or offsets, of which `like` is the operand, for all rows; none if they do not fit the outer dimensions.
std::vector<float> spread(const srdfg::Graph& model, const Node& core, size_t like, const std::vector<float>& reals) {
  const Shape outer = outer_dimensions(model, core);
  Shape own = model.get(core.inputs[like]).shape;
  own.resize(own.size() - (model.get(core.inputs[0]).shape.size() - outer.size()));
  if (own.size() > outer.size() || srdfg::element_count(own) != reals.size()) return {};
  own.insert(own.begin(), outer.size() - own.size(), 1);
  std::vector<uint64_t> strides = srdfg::row_major_strides(own);
  for (size_t d = 0; d < own.size(); ++d) {
    if (own[d] != outer[d] && own[d] != 1) return {};
    if (own[d] == 1) strides[d] = 0;
  }
  std::vector<uint8_t> bytes(reals.size() * sizeof(float));
  std::memcpy(bytes.data(), reals.data(), bytes.size());
  const std::vector<uint8_t> all = srdfg::gathered(bytes, outer, strides, sizeof(float));
  std::vector<float> result(all.size() / sizeof(float));
  std::memcpy(result.data(), all.data(), all.size());
  return result;
}

}  // namespace

Status add_reals(Normalizing& normalizing, const Node& core, const Layer& layer, Node& node) {
  if (layer.reals.empty()) return Done{};
  const Shape rows = normalizing.graph.get(node.inputs[0]).shape;
  const uint64_t columns = rows.back();
  // Offsets that are not there are as many zeros as there are gains.
  const bool is_by_row = is_of_rows(normalizing.model, core, 1);
  const bool has_offsets = core.inputs.size() > 2 && !normalizing.model.get(core.inputs[2]).name.empty();
  if (has_offsets && is_of_rows(normalizing.model, core, 2) != is_by_row) {
    return malformed(core, "gains and offsets of a normalisation are both of its elements, or both of its rows",
                     shape_text(normalizing.model.get(core.inputs[2]).shape));
  }
  constexpr std::array<const char*, 2> kNames{"/gains", "/offsets"};
  for (size_t i = 0; i < layer.reals.size(); ++i) {
    const size_t like = i == 1 && has_offsets ? 2 : 1;
    const std::vector<float> reals = is_by_row ? spread(normalizing.model, core, like, layer.reals[i]) : layer.reals[i];
    if (reals.size() != (is_by_row ? rows[1] : columns)) {
      return malformed(core, "a normalisation has one gain and one offset for each of its elements, or of its rows",
                       fmt::format("{} for {}", layer.reals[i].size(), columns));
    }
    Value value{.name = core.name + kNames.at(i),
                .dtype = DType::kF32,
                .shape = is_by_row ? Shape{rows[1], 1} : Shape{columns},
                .modifier = Modifier::kParam,
                .data = std::vector<uint8_t>(reals.size() * sizeof(float))};
    std::memcpy(value.data.data(), reals.data(), value.data.size());
    node.inputs.push_back(normalizing.add(std::move(value)));
  }
  return Done{};
}

}  // namespace covenant::compiler::frontend
