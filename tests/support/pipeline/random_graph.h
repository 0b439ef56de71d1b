/// Random normalised graphs and tensors for the tests of compiler and runtime.
#pragma once

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "compiler/srdfg/graph.h"
#include "compiler/srdfg/queries.h"
#include "runtime/session/tensor.h"

namespace covenant::test {

using compiler::srdfg::Graph;
using compiler::srdfg::Modifier;
using compiler::srdfg::Node;
using compiler::srdfg::Quantization;
using compiler::srdfg::Value;
using compiler::srdfg::ValueId;

/// The signed integer type of the same width.
inline DType weights_of(DType dtype) {
  return bits(dtype) == 4 ? DType::kI4 : bits(dtype) == 8 ? DType::kI8 : DType::kI16;
}

/// Grows a graph layer by layer; shapes and quantisation are drawn from `random`.
class GraphMaker {
 public:
  /// `dtype`: of activations, any quantised type; weights have the same width.
  GraphMaker(uint32_t seed, DType dtype) : random_(seed), dtype_(dtype) { graph_.name = "random"; }

  int64_t draw(int64_t lowest, int64_t highest) {
    return std::uniform_int_distribution<int64_t>(lowest, highest)(random_);
  }

  ValueId input(const std::vector<uint64_t>& shape) {
    const ValueId id = activation("input", shape, Modifier::kInput);
    graph_.inputs.push_back(id);
    return id;
  }

  ValueId conv(ValueId x, uint64_t outputs, uint64_t kernel, int64_t stride, int64_t pad, bool has_bias = true) {
    const std::vector<uint64_t> in = graph_.get(x).shape;
    const auto extent = [&](uint64_t size) {
      return (size + 2 * static_cast<uint64_t>(pad) - kernel) / static_cast<uint64_t>(stride) + 1;
    };
    std::vector<ValueId> inputs{x, weights({outputs, in[1], kernel, kernel}, 0, outputs)};
    if (has_bias) inputs.push_back(bias(outputs));
    return node("conv", inputs, {in[0], outputs, extent(in[2]), extent(in[3])},
                {{"strides", std::vector<int64_t>{stride, stride}}, {"pads", std::vector<int64_t>{pad, pad, pad, pad}}},
                true);
  }

  ValueId gemm(ValueId x, uint64_t outputs) {
    const std::vector<uint64_t> in = graph_.get(x).shape;
    return node("gemm", {x, weights({in[1], outputs}, 1, outputs), bias(outputs)}, {in[0], outputs}, {}, true);
  }

  ValueId add(ValueId a, ValueId b) { return node("add", {a, b}, graph_.get(a).shape, {}, true); }

  ValueId clip(ValueId x) { return keep(node("clip", {x}, graph_.get(x).shape, {}, true), x); }

  ValueId max_pool(ValueId x, int64_t kernel, int64_t stride, int64_t pad) {
    const std::vector<uint64_t> in = graph_.get(x).shape;
    const auto extent = [&](uint64_t size) {
      return static_cast<uint64_t>((static_cast<int64_t>(size) + 2 * pad - kernel) / stride + 1);
    };
    return keep(node("max_pool", {x}, {in[0], in[1], extent(in[2]), extent(in[3])},
                     {{"kernel", std::vector<int64_t>{kernel, kernel}},
                      {"strides", std::vector<int64_t>{stride, stride}},
                      {"pads", std::vector<int64_t>{pad, pad, pad, pad}}},
                     false),
                x);
  }

  ValueId mean(ValueId x) {
    const std::vector<uint64_t> in = graph_.get(x).shape;
    return node("global_average_pool", {x}, {in[0], in[1], 1, 1}, {}, true);
  }

  ValueId flatten(ValueId x) {
    const std::vector<uint64_t> in = graph_.get(x).shape;
    return reshape(x, {in[0], in[1] * in[2] * in[3]});
  }

  /// A node of an operator that a codelet declares: elementwise, quantised as its first input.
  ValueId declared(const std::string& operation, const std::vector<ValueId>& inputs) {
    const std::vector<uint64_t> shape = graph_.get(inputs.at(0)).shape;
    return keep(node(operation, inputs, shape, {}, true), inputs[0]);
  }

  ValueId reshape(ValueId x, const std::vector<uint64_t>& shape) {
    return keep(node("reshape", {x}, shape, {}, false), x);
  }

  ValueId transpose(ValueId x, const std::vector<int64_t>& permutation) {
    std::vector<uint64_t> shape;
    for (const int64_t from : permutation) shape.push_back(graph_.get(x).shape.at(static_cast<size_t>(from)));
    return keep(node("transpose", {x}, shape, {{"permutation", permutation}}, false), x);
  }

  ValueId slice(ValueId x, const std::vector<int64_t>& starts, const std::vector<int64_t>& steps,
                const std::vector<uint64_t>& shape) {
    return keep(node("slice", {x}, shape, {{"starts", starts}, {"steps", steps}}, false), x);
  }

  ValueId repeat(ValueId x, const std::vector<int64_t>& factors) {
    std::vector<uint64_t> shape = graph_.get(x).shape;
    for (size_t d = 0; d < shape.size(); ++d) shape[d] *= static_cast<uint64_t>(factors[d]);
    return keep(node("repeat", {x}, shape, {{"factors", factors}}, false), x);
  }

  ValueId pad(ValueId x, const std::vector<int64_t>& before, const std::vector<int64_t>& after) {
    std::vector<uint64_t> shape = graph_.get(x).shape;
    for (size_t d = 0; d < shape.size(); ++d) shape[d] += static_cast<uint64_t>(before[d] + after[d]);
    return keep(node("pad", {x}, shape, {{"before", before}, {"after", after}}, false), x);
  }

  /// Precondition: both have one quantisation, and one shape but along the axis.
  ValueId concat(ValueId a, ValueId b, int64_t axis) {
    std::vector<uint64_t> shape = graph_.get(a).shape;
    shape[static_cast<size_t>(axis)] += graph_.get(b).shape[static_cast<size_t>(axis)];
    return keep(node("concat", {a, b}, shape, {{"axis", axis}}, false), a);
  }

  Graph finish(ValueId output) {
    graph_.values[output.value].modifier = Modifier::kOutput;
    graph_.outputs.push_back(output);
    return graph_;
  }

  Graph& graph() { return graph_; }

 private:
  ValueId add_value(Value value) {
    graph_.values.push_back(std::move(value));
    return ValueId{static_cast<uint32_t>(graph_.values.size() - 1)};
  }

  int32_t zero_point() { return static_cast<int32_t>(draw(lowest(dtype_), highest(dtype_))); }
  float scale(float from, float to) { return std::uniform_real_distribution<float>(from, to)(random_); }

  ValueId activation(const std::string& name, const std::vector<uint64_t>& shape, Modifier modifier) {
    Value value;
    value.name = name;
    value.dtype = dtype_;
    value.shape = shape;
    value.modifier = modifier;
    value.quantization = Quantization{{scale(0.01F, 0.05F)}, {zero_point()}, -1};
    return add_value(std::move(value));
  }

  ValueId weights(const std::vector<uint64_t>& shape, int32_t axis, uint64_t channels) {
    Value value;
    value.name = "param" + std::to_string(graph_.values.size());
    value.dtype = weights_of(dtype_);
    value.shape = shape;
    value.modifier = Modifier::kParam;
    const bool per_channel = draw(0, 1) == 1;
    Quantization quantization{{}, {}, per_channel ? axis : -1};
    for (uint64_t i = 0; i < (per_channel ? channels : 1); ++i) {
      quantization.scales.push_back(scale(0.001F, 0.02F));
      quantization.zero_points.push_back(0);
    }
    value.quantization = quantization;
    std::vector<int64_t> elements(compiler::srdfg::element_count(shape));
    for (int64_t& element : elements) element = draw(lowest(value.dtype), highest(value.dtype));
    value.data = compiler::srdfg::integer_data(value.dtype, elements);
    return add_value(std::move(value));
  }

  ValueId bias(uint64_t channels) {
    Value value;
    value.name = "param" + std::to_string(graph_.values.size());
    value.dtype = DType::kI32;
    value.shape = {channels};
    value.modifier = Modifier::kParam;
    value.data.resize(channels * 4);
    for (uint64_t i = 0; i < channels; ++i) {
      const int32_t element = static_cast<int32_t>(draw(-20000, 20000));
      std::memcpy(&value.data[i * 4], &element, 4);
    }
    return add_value(std::move(value));
  }

  ValueId node(const std::string& operation, const std::vector<ValueId>& inputs, const std::vector<uint64_t>& shape,
               std::map<std::string, compiler::srdfg::Attribute> attributes, bool clamps) {
    const std::string name = operation + std::to_string(graph_.nodes.size());
    if (clamps) {
      const int64_t least = lowest(dtype_);
      const int64_t span = highest(dtype_) - least;
      attributes["lowest"] = draw(0, 2) == 0 ? draw(least, least + span * 100 / 255) : least;
      attributes["highest"] = draw(0, 2) == 0 ? draw(least + span * 120 / 255, least + span) : least + span;
    }
    const ValueId made = activation(name + ".y", shape, Modifier::kState);
    Node added;
    added.name = name;
    added.operation = operation;
    added.attributes = std::move(attributes);
    added.inputs = inputs;
    added.outputs = {made};
    graph_.nodes.push_back(std::move(added));
    return made;
  }

  /// `made` is quantised as `like`.
  ValueId keep(ValueId made, ValueId like) {
    graph_.values[made.value].quantization = graph_.values[like.value].quantization;
    return made;
  }

  std::mt19937 random_;
  DType dtype_;
  Graph graph_;
};

/// A tensor of random elements for an input of the graph.
inline runtime::Tensor random_input(const Value& value, uint32_t seed) {
  std::mt19937 random(seed);
  runtime::Tensor tensor{value.name, value.dtype, value.shape, {}};
  const int64_t values = highest(value.dtype) - lowest(value.dtype) + 1;
  for (uint64_t i = 0; i < compiler::srdfg::element_count(value.shape) * bytes(value.dtype); ++i) {
    const auto byte = static_cast<uint8_t>(random());
    const int64_t in_range = lowest(value.dtype) + byte % values;
    tensor.bytes.push_back(bits(value.dtype) < 8 ? static_cast<uint8_t>(in_range) : byte);
  }
  return tensor;
}

}  // namespace covenant::test
