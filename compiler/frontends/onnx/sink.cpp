#include "compiler/frontends/onnx/sink.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>

#include "compiler/frontends/onnx/movement.h"
#include "compiler/frontends/onnx/quantization.h"
#include "compiler/srdfg/names.h"
#include "compiler/srdfg/queries.h"

namespace covenant::compiler::frontend {
namespace {

using srdfg::Graph;
using srdfg::Modifier;
using srdfg::Node;
using srdfg::Quantization;
using srdfg::Value;
using srdfg::ValueId;

/// A stored tensor and the constants that give its quantisation.
struct Stored {
  ValueId tensor;
  ValueId scale;
  std::optional<ValueId> zero_point;
  DType dtype = DType::kU8;
  Quantization quantization;

  bool is_like(const Stored& other) const { return dtype == other.dtype && quantization == other.quantization; }
};

/// For each value of `from`, read without a sign, that of `to`: QuantizeLinear(DequantizeLinear(x)) of the ONNX
/// operator specification, each step rounded to f32. Precondition: `from` has 8 bits at most.
std::vector<int64_t> table_between(const Stored& from, const Stored& to) {
  std::vector<int64_t> table;
  const int64_t values = int64_t{1} << bits(from.dtype);
  for (int64_t value = 0; value < values; ++value) {
    const int64_t stored = value > highest(from.dtype) ? value - values : value;
    const float real = static_cast<float>(stored - from.quantization.zero_points[0]) * from.quantization.scales[0];
    table.push_back(stored_value(real, to.quantization, to.dtype));
  }
  return table;
}

class Sinker {
 public:
  explicit Sinker(const Graph& model) : model_(model), made_(model), consumers_(srdfg::consumers(model)) {
    made_.nodes.clear();
    for (const Value& value : model.values) names_.take(value.name);
  }

  Graph run() {
    for (size_t index = 0; index < model_.nodes.size(); ++index) {
      if (!dropped_.contains(index)) add(model_.nodes[index]);
    }
    return std::move(made_);
  }

 private:
  void add(const Node& node) {
    if (node.operation == "DequantizeLinear") return add_dequantize(node);
    if (node.operation == "QuantizeLinear" && floats_.contains(node.inputs[0])) return add_quantize(node);
    if (node.operation == "com.microsoft.QLinearConcat") return add_concat(node);
    const bool is_moved = movement_of(node.operation) || node.operation == "MaxPool";
    const size_t operands = node.operation == "Concat" ? node.inputs.size() : 1;
    const auto is_stored = [&](ValueId id) { return floats_.contains(id); };
    const bool keeps_meaning = node.operation != "Pad" || pads_with_zero(node);
    if (is_moved && keeps_meaning &&
        std::all_of(node.inputs.begin(), node.inputs.begin() + static_cast<std::ptrdiff_t>(operands), is_stored)) {
      return sink(node, operands);
    }
    made_.nodes.push_back(node);
  }

  void add_dequantize(const Node& node) {
    const std::optional<Stored> source = stored(node, quantization_inputs(model_, node, 0));
    const bool is_activation = source && model_.get(source->tensor).modifier != Modifier::kParam;
    if (is_activation) floats_[node.outputs[0]] = *source;
    made_.nodes.push_back(node);
  }

  /// The quantisation that its constants give; nothing if they are not constants, or are those of weights.
  std::optional<Stored> stored(const Node& node, const QuantizationInputs& inputs) const {
    const DType dtype = model_.get(inputs.tensor).dtype;
    Result<Quantization> quantization = per_tensor(model_, node, dtype, inputs);
    if (!quantization) return std::nullopt;
    return Stored{inputs.tensor, inputs.scale, inputs.zero_point, dtype, std::move(*quantization)};
  }

  std::optional<Stored> target_of(const Node& quantize) const {
    const QuantizationInputs inputs = quantization_inputs(model_, quantize, 0);
    return stored(quantize, {quantize.outputs[0], inputs.scale, inputs.zero_point});
  }

  /// The QuantizeLinear that alone reads a value.
  std::optional<size_t> only_quantize(ValueId id) const {
    const std::vector<size_t>& readers = consumers_[id.value];
    const bool is_alone = readers.size() == 1 && model_.get(id).modifier == Modifier::kState;
    const bool is = is_alone && model_.nodes[readers[0]].operation == "QuantizeLinear";
    return is ? std::optional(readers[0]) : std::nullopt;
  }

  /// Straight after a DequantizeLinear.
  void add_quantize(const Node& node) {
    const std::optional<Stored> target = target_of(node);
    if (!target) return made_.nodes.push_back(node);
    add_rescaling(node.name, floats_.at(node.inputs[0]), *target);
  }

  /// Computes `to.tensor` from `from`: with another scale by a table, or in f32 if there are too many values; otherwise
  /// unchanged.
  void add_rescaling(const std::string& name, const Stored& from, const Stored& to) {
    if (!from.is_like(to) && bits(from.dtype) > 8) return add_real_rescaling(name, from, to);
    Node made{.name = name, .operation = "Identity", .inputs = {from.tensor}, .outputs = {to.tensor}, .body = {}};
    if (!from.is_like(to)) {
      Value table{.name = names_.unique(name + "_table"),
                  .dtype = to.dtype,
                  .shape = {uint64_t{1} << bits(from.dtype)},
                  .modifier = Modifier::kParam,
                  .data = srdfg::integer_data(to.dtype, table_between(from, to))};
      made.operation = "covenant.Lookup";
      made.inputs = {from.tensor, from.scale,       zero_point_of(from), add_value(std::move(table)),
                     to.scale,    zero_point_of(to)};
    }
    made_.nodes.push_back(std::move(made));
  }

  /// The larger of a number and itself is the number: DequantizeLinear -> Max -> QuantizeLinear.
  void add_real_rescaling(const std::string& name, const Stored& from, const Stored& to) {
    const std::vector<uint64_t> shape = made_.get(from.tensor).shape;
    const auto add_real = [&](const char* what) {
      return add_value({.name = names_.unique(name + what), .dtype = DType::kF32, .shape = shape, .data = {}});
    };
    const ValueId real = add_real("_real");
    const ValueId same = add_real("_same");
    const auto add_node = [&](const char* operation, std::vector<ValueId> inputs, ValueId output) {
      made_.nodes.push_back(
          {.name = name, .operation = operation, .inputs = std::move(inputs), .outputs = {output}, .body = {}});
    };
    add_node("DequantizeLinear", {from.tensor, from.scale, zero_point_of(from)}, real);
    add_node("Max", {real, real}, same);
    add_node("QuantizeLinear", {same, to.scale, zero_point_of(to)}, to.tensor);
  }

  /// A node on dequantised tensors: on the stored ones.
  void sink(const Node& node, size_t operands) {
    std::vector<Stored> sources;
    for (size_t i = 0; i < operands; ++i) sources.push_back(floats_.at(node.inputs[i]));
    const auto quantize = only_quantize(node.outputs[0]);
    const std::optional<Stored> target = quantize ? target_of(model_.nodes[*quantize]) : std::nullopt;
    const bool is_alike = std::ranges::all_of(sources, [&](const Stored& one) { return one.is_like(sources[0]); });
    if (!is_alike && !target) return made_.nodes.push_back(node);
    const bool keeps = is_alike && !(target && sources[0].is_like(*target));
    const Stored goal = keeps ? new_stored(node, sources[0]) : *target;
    Node moved = node;
    for (size_t i = 0; i < operands; ++i) moved.inputs[i] = rescaled(node.name, sources[i], goal).tensor;
    moved.outputs = {goal.tensor};
    if (node.operation == "Pad") pad_with_zero_point(moved, goal);
    made_.nodes.push_back(std::move(moved));
    if (!keeps) {
      dropped_.insert(*quantize);
    } else {
      add_dequantize_after(node, goal);
    }
  }

  /// True if the padding value is 0. Zero is the zero point under every scale; another value would be rounded under
  /// each.
  bool pads_with_zero(const Node& node) const {
    if (node.inputs.size() < 3 || model_.get(node.inputs[2]).name.empty()) return true;
    const Value& value = model_.get(node.inputs[2]);
    return value.modifier == Modifier::kParam && value.dtype == DType::kF32 && value.data.size() == sizeof(float) &&
           srdfg::float_elements(value)[0] == 0;
  }

  void pad_with_zero_point(Node& moved, const Stored& goal) {
    if (moved.inputs.size() < 3) moved.inputs.resize(3);
    moved.inputs[2] = zero_point_of(goal);
  }

  /// The stored form of the float tensor that `node` makes.
  Stored new_stored(const Node& node, const Stored& like) {
    const Value& real = model_.get(node.outputs[0]);
    Stored made = like;
    made.tensor =
        add_value({.name = names_.unique(real.name + "_stored"), .dtype = like.dtype, .shape = real.shape, .data = {}});
    return made;
  }

  void add_dequantize_after(const Node& node, const Stored& source) {
    floats_[node.outputs[0]] = source;
    made_.nodes.push_back({.name = model_.get(node.outputs[0]).name + "_dequantized",
                           .operation = "DequantizeLinear",
                           .inputs = {source.tensor, source.scale, zero_point_of(source)},
                           .outputs = node.outputs,
                           .body = {}});
  }

  /// `from` under the scale and zero point of `to`.
  Stored rescaled(const std::string& name, const Stored& from, const Stored& to) {
    if (from.is_like(to)) return from;
    Stored made = to;
    const std::string& called = made_.get(from.tensor).name;
    made.tensor = add_value({.name = names_.unique(called + "_rescaled"),
                             .dtype = to.dtype,
                             .shape = made_.get(from.tensor).shape,
                             .data = {}});
    add_rescaling(fmt::format("{}/{}", name, called), from, made);
    return made;
  }

  /// QLinearConcat of ONNX Runtime's contributed operators: y's scale and zero point, then each operand with its own.
  void add_concat(const Node& node) {
    const std::optional<Stored> target = stored(node, {node.outputs[0], node.inputs[0], node.inputs[1]});
    std::vector<Stored> sources;
    for (size_t i = 2; i + 2 < node.inputs.size(); i += 3) {
      const std::optional<Stored> source = stored(node, quantization_inputs(model_, node, i));
      if (source) sources.push_back(*source);
    }
    if (!target || 3 * sources.size() + 2 != node.inputs.size()) return made_.nodes.push_back(node);
    Node made{
        .name = node.name, .operation = "Concat", .attributes = node.attributes, .outputs = node.outputs, .body = {}};
    for (const Stored& source : sources) made.inputs.push_back(rescaled(node.name, source, *target).tensor);
    made_.nodes.push_back(std::move(made));
  }

  /// An input for it, where the model has none.
  ValueId zero_point_of(const Stored& one) {
    if (one.zero_point) return *one.zero_point;
    return add_value({.name = names_.unique(made_.get(one.tensor).name + "_zero_point"),
                      .dtype = one.dtype,
                      .modifier = Modifier::kParam,
                      .data = std::vector<uint8_t>(bytes(one.dtype))});
  }

  ValueId add_value(Value value) {
    made_.values.push_back(std::move(value));
    return {static_cast<uint32_t>(made_.values.size() - 1)};
  }

  const Graph& model_;
  Graph made_;
  std::vector<std::vector<size_t>> consumers_;  ///< consumers of the values of the model
  std::map<ValueId, Stored> floats_;            ///< dequantised tensors: what they were
  std::set<size_t> dropped_;                    ///< nodes of the model that were replaced
  srdfg::Names names_;
};

}  // namespace

Graph sink_dequantize(const Graph& model) { return Sinker(model).run(); }

}  // namespace covenant::compiler::frontend
