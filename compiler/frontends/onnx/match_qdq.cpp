#include "compiler/frontends/onnx/match_qdq.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "compiler/frontends/onnx/attributes.h"
#include "compiler/frontends/onnx/constants.h"
#include "compiler/frontends/onnx/limited.h"
#include "compiler/frontends/onnx/movement.h"
#include "compiler/frontends/onnx/quantization.h"
#include "compiler/frontends/onnx/refusal.h"
#include "compiler/operators/operator.h"
#include "compiler/srdfg/queries.h"

namespace covenant::compiler::frontend {
namespace {

using srdfg::Graph;
using srdfg::Modifier;
using srdfg::Node;
using srdfg::Quantization;
using srdfg::Value;
using srdfg::ValueId;

constexpr std::array<std::pair<std::string_view, std::string_view>, 15> kCores{
    {{"Conv", "conv"},
     {"AveragePool", "average_pool"},
     {"Gemm", "gemm"},
     {"MatMul", "gemm"},
     {"Add", "add"},
     {"Mul", "mul"},
     {"Sub", "sub"},
     {"Div", "div"},
     {"Max", "max"},
     {"Min", "min"},
     {"GlobalAveragePool", "global_average_pool"},
     {"Softmax", "softmax"},
     {"LayerNormalization", "layer_norm"},
     {"Relu", "clip"},
     {"Clip", "clip"}}};

/// State of the search for the layer that ends with one QuantizeLinear.
struct Search {
  const Graph& model;
  const Uses& uses;
  const srdfg::DeclaredOperator* declared = nullptr;  ///< if the operator is no own one
  Layer layer{};
  float lowest = -std::numeric_limits<float>::infinity();  ///< limits of the real output
  float highest = std::numeric_limits<float>::infinity();
};

Diagnostic no_pattern(const Node& node, std::string message, std::string offending) {
  return diagnostic(
      {.code = kFloatOperator,
       .subject = subject_of(node),
       .message = std::move(message),
       .offending = std::move(offending),
       .allowed = {"DequantizeLinear -> operator -> (Relu, Clip) -> QuantizeLinear"},
       .fix = "put a QuantizeLinear and a DequantizeLinear behind each layer (no nodes_to_exclude), so that no float "
              "operator is left in the middle"});
}

/// A Pad that does not work on stored values (sink.h).
Diagnostic pads_by_value(const Graph& model, const Node& pad) {
  return diagnostic({.code = kAttribute,
                     .subject = subject_of(pad),
                     .message = "the value around the tensor is not known to be 0",
                     .offending = pad.inputs.size() > 2 ? model.get(pad.inputs[2]).name : "",
                     .allowed = {"0", "one constant f32 that is a number or infinite", "an f32 input of the model"},
                     .fix = "pad with a constant, and quantise the result of the Pad once"});
}

bool is_bound(const std::string& operation) { return operation == "Relu" || operation == "Clip"; }

/// The DequantizeLinear that makes `value`, if one does.
std::optional<size_t> dequantize_of(const Search& search, ValueId value) {
  const auto producer = search.uses.producers[value.value];
  const bool is = producer && search.model.nodes[*producer].operation == "DequantizeLinear";
  return is ? producer : std::nullopt;
}

/// The node that makes the float `value`, which only `reader` may read.
Result<size_t> float_producer(const Search& search, ValueId value, const Node& reader) {
  const auto producer = search.uses.producers[value.value];
  if (!producer) {
    return no_pattern(reader, "its float operand is no result of a quantised layer", search.model.get(value).name);
  }
  if (search.uses.consumers[value.value].size() != 1 || search.model.get(value).modifier == Modifier::kOutput) {
    return no_pattern(search.model.nodes[*producer], "its float result is used elsewhere too",
                      search.model.get(value).name);
  }
  return *producer;
}

/// A bound of a float Clip.
Result<float> bound(const Search& search, const Node& node, size_t index, float otherwise) {
  if (index >= node.inputs.size() || search.model.get(node.inputs[index]).name.empty()) return otherwise;
  const Value& value = search.model.get(node.inputs[index]);
  const bool fits =
      value.modifier == Modifier::kParam && value.dtype == DType::kF32 && value.data.size() == sizeof(float);
  if (fits && !std::isnan(srdfg::float_elements(value)[0])) return srdfg::float_elements(value)[0];
  return diagnostic({.code = kAttribute,
                     .subject = subject_of(node),
                     .message = "a bound is no constant f32",
                     .offending = value.name,
                     .allowed = {"one constant element"},
                     .fix = "make the bounds initialisers of the model"});
}

/// Narrows the bounds by a Relu or Clip that comes BEFORE those found so far.
Status bound_earlier(Search& search, const Node& node) {
  Result<float> low =
      node.operation == "Relu" ? Result<float>(0.0F) : bound(search, node, 1, -std::numeric_limits<float>::infinity());
  Result<float> high = node.operation == "Relu" ? Result<float>(std::numeric_limits<float>::infinity())
                                                : bound(search, node, 2, std::numeric_limits<float>::infinity());
  if (!low) return low.error();
  if (!high) return high.error();
  const auto later = [&](float value) { return std::min(std::max(value, search.lowest), search.highest); };
  const float lowest = later(std::min(*low, *high));
  search.highest = later(*high);
  search.lowest = lowest;
  return Done{};
}

/// An operand in single precision: a constant, or what another operator makes.
Diagnostic float_operand(const Search& search, const Node& core, size_t index) {
  const Value& value = search.model.get(core.inputs[index]);
  if (value.modifier == Modifier::kParam) {
    return diagnostic({.code = kWeights,
                       .subject = subject_of(core),
                       .message = fmt::format("operand {}, the constant {}, is not quantised", index, value.name),
                       .offending = fmt::format("{} {}", name(value.dtype), shape_text(value.shape)),
                       .allowed = {"DequantizeLinear of an initialiser of 4, 8 or 16 bits"},
                       .fix = "quantise this constant, too: covenant quantize does with the whole float model"});
  }
  const auto producer = search.uses.producers[core.inputs[index].value];
  if (producer && search.model.nodes[*producer].operation == "Pad") {
    return pads_by_value(search.model, search.model.nodes[*producer]);
  }
  const std::string maker = producer ? subject_of(search.model.nodes[*producer]) : "the graph input " + value.name;
  return no_pattern(core, fmt::format("operand {} is float: {} makes it, and nothing quantises it", index, maker),
                    value.name);
}

Result<Operand> activation(Search& search, const Node& core, size_t index) {
  const auto dequantize = dequantize_of(search, core.inputs[index]);
  if (!dequantize) return float_operand(search, core, index);
  const Node& node = search.model.nodes[*dequantize];
  const QuantizationInputs inputs = quantization_inputs(search.model, node, 0);
  auto quantization = per_tensor(search.model, node, search.model.get(inputs.tensor).dtype, inputs);
  if (!quantization) return quantization.error();
  search.layer.pattern.push_back(*dequantize);
  return Operand{inputs.tensor, *quantization};
}

/// True if the second operand is a dequantised constant.
bool has_weights(const Search& search, const Node& core) {
  const auto dequantize = dequantize_of(search, core.inputs[1]);
  return dequantize && search.model.get(search.model.nodes[*dequantize].inputs[0]).modifier == Modifier::kParam;
}

Status add_weights(Search& search, const Node& core) {
  const auto dequantize = dequantize_of(search, core.inputs[1]);
  if (!dequantize && search.model.get(core.inputs[1]).modifier == Modifier::kParam) {
    return float_operand(search, core, 1);
  }
  if (!has_weights(search, core)) {
    return diagnostic({.code = kWeights,
                       .subject = subject_of(core),
                       .message = "the weights are computed",
                       .offending = search.model.get(core.inputs[1]).name,
                       .allowed = {"DequantizeLinear of an initialiser of 4, 8 or 16 bits"},
                       .fix = "make the weights an initialiser, or write a product of two activations as a MatMul"});
  }
  const Node& node = search.model.nodes[dequantize.value()];
  const auto turned = core.attributes.find("transB");
  const bool rows =
      core.operation == "Conv" || (turned != core.attributes.end() && turned->second != srdfg::Attribute(int64_t{0}));
  const int32_t axis = rows ? 0 : 1;
  const QuantizationInputs inputs = quantization_inputs(search.model, node, 0);
  const Value& weights = search.model.get(inputs.tensor);
  int64_t along = integer_or(node, "axis", 1);
  if (along < 0) along += static_cast<int64_t>(weights.shape.size());
  const std::vector<uint64_t>& scales = search.model.get(inputs.scale).shape;
  if (scales.size() == 1 && scales[0] > 1 && along != axis) {
    return diagnostic(
        {.code = kQuantization,
         .subject = subject_of(core),
         .message = fmt::format("the scales of its weights {} lie along axis {}, not along the output "
                                "channels",
                                weights.name, along),
         .offending = fmt::format("axis={}, {} scales for {}", along, scales[0], shape_text(weights.shape)),
         .allowed = {fmt::format("axis={}", axis)},
         .fix = "quantise with per_channel=True or False; other axes would need a scale inside the sum"});
  }
  auto quantization = per_channel(search.model, node, inputs, axis);
  if (!quantization) return quantization.error();
  search.layer.weight = Operand{inputs.tensor, *quantization};
  search.layer.pattern.push_back(dequantize.value());
  return Done{};
}

/// ONNX Runtime takes the i32 bias as it is; that is right only at scale x_scale * w_scale, which is checked here.
Status check_bias_scale(const Search& search, const Node& core, const Quantization& bias) {
  const float x = search.layer.activations[0].quantization.value().scales[0];
  const std::vector<float>& w = search.layer.weight.value().quantization.value().scales;
  for (size_t i = 0; i < std::max(bias.scales.size(), w.size()); ++i) {
    const float wanted = x * w[w.size() == 1 ? 0 : std::min(i, w.size() - 1)];
    const float got = bias.scales[bias.scales.size() == 1 ? 0 : std::min(i, bias.scales.size() - 1)];
    if (std::abs(got - wanted) <= 1e-3F * wanted) continue;
    return diagnostic(
        {.code = kBias,
         .subject = subject_of(core),
         .message = "the bias has another scale than input scale times weight scale",
         .offending = fmt::format("scale {}", got),
         .allowed = {fmt::format("scale {}", wanted)},
         .fix = "let onnxruntime.quantization quantise the bias; rescaling it here would change its value"});
  }
  return Done{};
}

Status add_bias(Search& search, const Node& core) {
  if (core.inputs.size() < 3 || search.model.get(core.inputs[2]).name.empty()) return Done{};
  const auto dequantize = dequantize_of(search, core.inputs[2]);
  if (!dequantize) {
    return diagnostic(
        {.code = kBias,
         .subject = subject_of(core),
         .message = "the bias is float, and is none that a layer can store",
         .offending = search.model.get(core.inputs[2]).name,
         .allowed = {"DequantizeLinear of an i32 initialiser",
                     "a float constant, one element for each output, that fits 32 bits in units of input scale times "
                     "weight scale"},
         .fix = "let the quantiser quantise biases too (extra_options={'QuantizeBias': True}, the default); make rows "
                "that differ an Add after the layer"});
  }
  const Node& node = search.model.nodes[*dequantize];
  const QuantizationInputs inputs = quantization_inputs(search.model, node, 0);
  if (search.model.get(inputs.tensor).shape.empty()) {
    return diagnostic({.code = kBias,
                       .subject = subject_of(core),
                       .message = "the bias is a scalar",
                       .offending = search.model.get(inputs.tensor).name,
                       .allowed = {"one element per output channel"},
                       .fix = "expand the bias to one element per output channel"});
  }
  const auto last = static_cast<int32_t>(search.model.get(inputs.tensor).shape.size() - 1);
  auto quantization = per_channel(search.model, node, inputs, last);
  if (!quantization) return quantization.error();
  if (Status status = check_bias_scale(search, core, *quantization); !status) return status;
  search.layer.bias = inputs.tensor;
  search.layer.pattern.push_back(*dequantize);
  return Done{};
}

/// Limits and declared operators keep the scale; ONNX Runtime, too, has no kernel that changes it there.
Status check_scale_kept(const Search& search, const Node& core) {
  const bool keeps = search.declared != nullptr || search.layer.operation == "clip";
  const Quantization& y = search.layer.output_quantization.value();
  const DType made = search.model.get(search.layer.output).dtype;
  const auto other = std::ranges::find_if(search.layer.activations, [&](const Operand& operand) {
    return *operand.quantization != y || search.model.get(operand.value).dtype != made;
  });
  if (!keeps || other == search.layer.activations.end()) return Done{};
  const auto text = [](const Quantization& one, DType dtype) {
    return fmt::format("{}, scale {}, zero point {}", name(dtype), one.scales[0], one.zero_points[0]);
  };
  return diagnostic({.code = kRescaling,
                     .subject = subject_of(core),
                     .message = "its output is quantised differently from its input",
                     .offending = text(y, made),
                     .allowed = {text(other->quantization.value(), search.model.get(other->value).dtype)},
                     .fix =
                         "quantise activations asymmetrically (extra_options={'ActivationSymmetric': False}): Relu and "
                         "Clip then vanish into the layer before"});
}

/// Gains and offsets of a normalisation; without offsets zeros.
Status add_reals(Search& search, const Node& core) {
  for (size_t i = 1; i < core.inputs.size(); ++i) {
    if (search.model.get(core.inputs[i]).name.empty()) continue;
    const auto producer = search.uses.producers[core.inputs[i].value];
    const auto elements = float_constant(search.model, core.inputs[i], producer);
    if (!elements) {
      return diagnostic({.code = kAttribute,
                         .subject = subject_of(core),
                         .message = fmt::format("operand {}, gains or offsets of a normalisation, is no constant", i),
                         .offending = search.model.get(core.inputs[i]).name,
                         .allowed = {"an initialiser, f32 or quantised"},
                         .fix = "make gains and offsets initialisers of the model"});
    }
    search.layer.reals.push_back(*elements);
    if (producer) search.layer.pattern.push_back(*producer);
  }
  if (search.layer.reals.size() == 1) search.layer.reals.emplace_back(search.layer.reals[0].size(), 0.0F);
  return Done{};
}

Status add_operands(Search& search, const Node& core) {
  const bool is_pair = operators::is_pair(search.layer.operation);
  if (core.operation == "MatMul" && !has_weights(search, core)) search.layer.operation = "matmul";
  const bool has_two = is_pair || search.layer.operation == "matmul";
  const size_t count = search.declared != nullptr ? search.declared->inputs : has_two ? 2 : 1;
  for (size_t i = 0; i < count; ++i) {
    Result<Operand> operand = activation(search, core, i);
    if (!operand) return operand.error();
    search.layer.activations.push_back(*operand);
  }
  if (search.declared != nullptr) return Done{};
  if (search.layer.operation == "layer_norm") return add_reals(search, core);
  if (search.layer.operation != "conv" && search.layer.operation != "gemm") return Done{};
  if (Status status = add_weights(search, core); !status) return status;
  return add_bias(search, core);
}

/// Why a movement or a MaxPool is still among the float operators (sink.h).
Diagnostic not_sunk(Search& search, const Node& core) {
  const Result<Operand> operand = activation(search, core, 0);
  if (!operand) return operand.error();
  if (core.operation == "Pad") return pads_by_value(search.model, core);
  return no_pattern(core, "not all of its operands are dequantised activations", core.operation);
}

}  // namespace

Result<Layer> match_qdq(const Graph& model, const Uses& uses, size_t quantize,
                        const srdfg::DeclaredOperators& declared) {
  Search search{.model = model, .uses = uses};
  const Node& last = model.nodes[quantize];
  const QuantizationInputs output{last.outputs[0], last.inputs[1], quantization_inputs(model, last, 0).zero_point};
  auto output_quantization = per_tensor(model, last, model.get(last.outputs[0]).dtype, output);
  if (!output_quantization) return output_quantization.error();
  search.layer.output = last.outputs[0];
  search.layer.output_quantization = *output_quantization;
  search.layer.pattern.push_back(quantize);

  // Back through the activations, from the QuantizeLinear to the operator whose operand is dequantised.
  Result<size_t> producer = float_producer(search, last.inputs[0], last);
  while (producer && is_bound(model.nodes[*producer].operation)) {
    const Node& node = model.nodes[*producer];
    if (Status status = bound_earlier(search, node); !status) return status.error();
    search.layer.pattern.push_back(*producer);
    if (const auto dequantize = dequantize_of(search, node.inputs[0])) {
      const auto stored = uses.producers[model.nodes[*dequantize].inputs[0].value];
      const bool is_again =
          stored && model.nodes[*stored].operation == "QuantizeLinear" && limited_by(model, uses, *stored) == quantize;
      if (!is_again) break;  // without another one it is the operator itself
      search.layer.pattern.push_back(*dequantize);
      search.layer.pattern.push_back(*stored);
      producer = float_producer(search, model.nodes[*stored].inputs[0], model.nodes[*stored]);
      continue;
    }
    producer = float_producer(search, node.inputs[0], node);
  }
  if (!producer) return producer.error();

  const Node& core = model.nodes[*producer];
  if (movement_of(core.operation) || core.operation == "MaxPool") return not_sunk(search, core);
  const auto* known = std::ranges::find(kCores, core.operation, [](const auto& entry) { return entry.first; });
  search.declared = find_declared(declared, core.operation);
  if (known == kCores.end() && search.declared == nullptr)
    return no_pattern(core, "no float operator lies before the QuantizeLinear", core.operation);
  search.layer.core = *producer;
  search.layer.operation = search.declared != nullptr ? search.declared->operation : std::string(known->second);
  if (!is_bound(core.operation)) search.layer.pattern.push_back(*producer);
  const bool bounded = std::isfinite(search.lowest) || std::isfinite(search.highest);
  if (bounded && search.declared != nullptr) {
    return no_pattern(core, "a Relu or Clip right after it has no quantised operand", "no QuantizeLinear between them");
  }
  if (Status status = add_operands(search, core); !status) return status.error();
  if (Status status = check_scale_kept(search, core); !status) return status.error();
  const DType dtype = model.get(search.layer.output).dtype;
  // Quantising is monotone, so bounds commute with it.
  search.layer.lowest = stored_value(search.lowest, *output_quantization, dtype);
  search.layer.highest = stored_value(search.highest, *output_quantization, dtype);
  auto& pattern = search.layer.pattern;
  std::ranges::sort(pattern);
  pattern.erase(std::unique(pattern.begin(), pattern.end()), pattern.end());
  return std::move(search.layer);
}

}  // namespace covenant::compiler::frontend
