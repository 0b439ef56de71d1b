#include "tests/property/values/random_node.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "compiler/operators/operator.h"
#include "compiler/srdfg/queries.h"

namespace covenant::test {

using compiler::srdfg::Graph;
using compiler::srdfg::Modifier;
using compiler::srdfg::Node;
using compiler::srdfg::Quantization;
using compiler::srdfg::Value;
using compiler::srdfg::ValueId;

namespace {

ValueId added(Graph& graph, Value value) {
  const ValueId id{static_cast<uint32_t>(graph.values.size())};
  if (value.modifier == Modifier::kInput) graph.inputs.push_back(id);
  if (value.modifier == Modifier::kOutput) graph.outputs.push_back(id);
  graph.values.push_back(std::move(value));
  return id;
}

void takes(Graph& graph, Node& node, Value value) {
  if (value.modifier != Modifier::kParam) value.modifier = Modifier::kInput;
  node.inputs.push_back(added(graph, std::move(value)));
}

void makes(Graph& graph, Node& node, Value value) {
  value.modifier = Modifier::kOutput;
  node.outputs.push_back(added(graph, std::move(value)));
}

}  // namespace

int64_t RandomGraphs::drawn(int64_t least, int64_t most) {
  return std::uniform_int_distribution<int64_t>(least, most)(generator_);
}

std::vector<uint8_t> RandomGraphs::bytes(size_t count) {
  std::vector<uint8_t> made(count);
  const bool is_extreme = drawn(0, 3) == 0;  // saturates sums
  for (uint8_t& byte : made) byte = static_cast<uint8_t>(is_extreme ? (coin() ? 0x7F : 0x80) : drawn(0, 255));
  return made;
}

std::vector<uint8_t> RandomGraphs::elements(DType dtype, size_t count) {
  std::vector<uint8_t> made = bytes(count);
  const auto unused = static_cast<int>(8 - bits(dtype));
  for (uint8_t& byte : made) {
    byte = static_cast<uint8_t>(info(dtype).is_signed ? static_cast<int8_t>(byte) >> unused : byte >> unused);
  }
  return made;
}

/// Over several magnitudes, powers of two among them: ties are met.
float RandomGraphs::scale() {
  const double exponent = static_cast<double>(drawn(-80, 10)) / 10;
  return drawn(0, 2) == 0 ? std::ldexp(1.0F, static_cast<int>(drawn(-8, 1))) : static_cast<float>(std::exp2(exponent));
}

Value RandomGraphs::activation(const std::string& name, const Shape& shape) {
  // One in four has another sign than the others.
  const DType signed_one = with_sign(dtype_);
  const DType other = dtype_ != signed_one ? signed_one : signed_one == DType::kI8 ? DType::kU8 : DType::kU4;
  const DType dtype = drawn(0, 3) == 0 ? other : dtype_;
  const auto zero_point = static_cast<int32_t>(drawn(lowest(dtype), highest(dtype)));
  return {.name = name, .dtype = dtype, .shape = shape, .quantization = Quantization{{scale()}, {zero_point}, -1}};
}

Value RandomGraphs::weights(const Shape& shape, size_t outputs, int32_t axis) {
  Quantization quantization{{}, {}, coin() ? axis : -1};
  const size_t scales = quantization.axis == -1 ? 1 : outputs;
  for (size_t o = 0; o < scales; ++o) quantization.scales.push_back(scale());
  quantization.zero_points.assign(scales, 0);
  Value value{.name = "w", .dtype = with_sign(dtype_), .shape = shape, .modifier = Modifier::kParam};
  value.quantization = std::move(quantization);
  value.data = elements(value.dtype, compiler::srdfg::element_count(shape));
  return value;
}

Value RandomGraphs::bias(size_t outputs) {
  Value value{.name = "b", .dtype = DType::kI32, .shape = {outputs}, .modifier = Modifier::kParam};
  const bool is_large = drawn(0, 5) == 0;  // sums wrap
  for (size_t o = 0; o < outputs; ++o) {
    const auto one = static_cast<uint32_t>(is_large ? drawn(INT32_MIN, INT32_MAX) : drawn(-5000, 5000));
    for (size_t b = 0; b < 4; ++b) value.data.push_back(static_cast<uint8_t>(one >> (8 * b)));
  }
  return value;
}

RandomGraphs::Shape RandomGraphs::shape(size_t rank) {
  Shape made;
  for (size_t d = 0; d < rank; ++d) made.push_back(static_cast<uint64_t>(drawn(1, d == 1 ? 70 : 6)));
  return made;
}

/// Attributes of a window over an image, and the shape of what it makes of it.
void RandomGraphs::window(Node& node, const Shape& image, const Shape& kernel, Shape& outputs) {
  std::vector<int64_t> strides, pads{0, 0, 0, 0}, dilations;
  for (size_t axis = 0; axis < 2; ++axis) {
    strides.push_back(drawn(1, 3));
    dilations.push_back(drawn(0, 2) == 0 ? drawn(1, 3) : 1);
    const auto reach = (static_cast<int64_t>(kernel[axis]) - 1) * dilations[axis] + 1;
    for (const size_t side : {axis, axis + 2}) pads[side] = coin() ? drawn(0, 3) : 0;
    const auto extent = static_cast<int64_t>(image[2 + axis]);
    pads[axis + 2] += std::max<int64_t>(0, reach - extent - pads[axis] - pads[axis + 2]);
    const int64_t padded = extent + pads[axis] + pads[axis + 2];
    outputs[2 + axis] = static_cast<uint64_t>((padded - reach) / strides[axis] + 1);
  }
  node.attributes["strides"] = strides;
  node.attributes["pads"] = pads;
  if (dilations != std::vector<int64_t>{1, 1}) node.attributes["dilations"] = dilations;
}

void RandomGraphs::conv(Graph& graph, Node& node) {
  const bool is_depthwise = drawn(0, 3) == 0;
  const auto groups = static_cast<uint64_t>(is_depthwise ? drawn(2, 140) : coin() ? 1 : drawn(1, 4));
  const uint64_t own = is_depthwise ? 1 : static_cast<uint64_t>(drawn(1, 40));
  const uint64_t made = is_depthwise ? 1 : static_cast<uint64_t>(drawn(1, coin() ? 150 : 12));
  const Shape image{static_cast<uint64_t>(drawn(1, 2)), groups * own, static_cast<uint64_t>(drawn(1, 9)),
                    static_cast<uint64_t>(drawn(1, 12))};
  const Shape kernel{static_cast<uint64_t>(drawn(1, 4)), static_cast<uint64_t>(drawn(1, 5))};
  Shape outputs{image[0], groups * made, 0, 0};
  window(node, image, kernel, outputs);
  if (groups > 1) node.attributes["group"] = static_cast<int64_t>(groups);
  takes(graph, node, activation("x", image));
  takes(graph, node, weights({outputs[1], own, kernel[0], kernel[1]}, outputs[1], 0));
  if (coin()) takes(graph, node, bias(outputs[1]));
  makes(graph, node, activation("y", outputs));
}

void RandomGraphs::gemm(Graph& graph, Node& node) {
  const auto rows = static_cast<uint64_t>(drawn(1, 30));
  const auto inner = static_cast<uint64_t>(drawn(1, 300));
  const auto outputs = static_cast<uint64_t>(drawn(1, 200));
  takes(graph, node, activation("x", {rows, inner}));
  takes(graph, node, weights({inner, outputs}, outputs, 1));
  if (coin()) takes(graph, node, bias(outputs));
  makes(graph, node, activation("y", {rows, outputs}));
}

void RandomGraphs::pool(Graph& graph, Node& node) {
  const Shape image{static_cast<uint64_t>(drawn(1, 2)), static_cast<uint64_t>(drawn(1, 150)),
                    static_cast<uint64_t>(drawn(1, 9)), static_cast<uint64_t>(drawn(1, 9))};
  Value x = activation("x", image);
  Shape outputs{image[0], image[1], 1, 1};
  if (node.operation != "global_average_pool") {
    const Shape kernel{static_cast<uint64_t>(drawn(1, 4)), static_cast<uint64_t>(drawn(1, 4))};
    window(node, image, kernel, outputs);
    node.attributes["kernel"] = std::vector<int64_t>{static_cast<int64_t>(kernel[0]), static_cast<int64_t>(kernel[1])};
    if (node.operation == "average_pool" && coin()) node.attributes["count_pads"] = int64_t{1};
  }
  Value y = activation("y", outputs);
  if (node.operation == "max_pool") {
    y.dtype = x.dtype;
    y.quantization = x.quantization;
  }
  takes(graph, node, std::move(x));
  makes(graph, node, std::move(y));
}

void RandomGraphs::pair(Graph& graph, Node& node) {
  const Shape both = shape(static_cast<size_t>(drawn(1, 4)));
  Value a = activation("a", both);
  Value b = activation("b", both);
  if (node.operation == "mul" && both.size() == 4 && coin()) b.shape = {both[0], both[1], 1, 1};
  if (drawn(0, 3) == 0) {
    Value& param = coin() && b.shape == a.shape ? a : b;
    param.modifier = Modifier::kParam;
    param.data = elements(param.dtype, compiler::srdfg::element_count(param.shape));
  }
  takes(graph, node, std::move(a));
  takes(graph, node, std::move(b));
  makes(graph, node, activation("y", both));
}

void RandomGraphs::movement(Graph& graph, Node& node) {
  const auto rank = static_cast<size_t>(drawn(2, 5));
  const Shape from = shape(rank);
  const Value x = activation("x", from);
  Value y = x;
  y.name = "y";
  std::vector<int64_t> first(rank), second(rank);
  for (size_t d = 0; d < rank; ++d) {
    const auto extent = static_cast<int64_t>(from[d]);
    if (node.operation == "slice") {
      first[d] = drawn(0, extent - 1);
      second[d] = drawn(1, 3);
      y.shape[d] = static_cast<uint64_t>(drawn(1, (extent - 1 - first[d]) / second[d] + 1));
    } else if (node.operation == "repeat") {
      first[d] = drawn(1, 3);
      y.shape[d] = from[d] * static_cast<uint64_t>(first[d]);
    } else if (node.operation == "pad") {
      first[d] = drawn(0, 2);
      second[d] = drawn(0, 2);
      y.shape[d] = from[d] + static_cast<uint64_t>(first[d] + second[d]);
    }
  }
  if (node.operation == "transpose") {
    std::iota(first.begin(), first.end(), 0);
    std::shuffle(first.begin(), first.end(), generator_);
    for (size_t d = 0; d < rank; ++d) y.shape[d] = from[static_cast<size_t>(first[d])];
    node.attributes["permutation"] = first;
  } else if (node.operation == "slice") {
    node.attributes["starts"] = first;
    node.attributes["steps"] = second;
  } else if (node.operation == "repeat") {
    node.attributes["factors"] = first;
  } else if (node.operation == "pad") {
    node.attributes["before"] = first;
    node.attributes["after"] = second;
  } else if (node.operation == "reshape") {
    const uint64_t count = compiler::srdfg::element_count(from);
    y.shape = coin() ? Shape{from[0], count / from[0]} : Shape{from[0], count / from[0] / from[1], from[1], 1};
  } else {  // concat
    const auto axis = static_cast<size_t>(drawn(0, static_cast<int64_t>(rank) - 1));
    node.attributes["axis"] = static_cast<int64_t>(axis);
    for (int64_t more = drawn(0, 2); more > 0; --more) {
      Value other = x;
      other.name = "x" + std::to_string(more);
      other.shape[axis] = static_cast<uint64_t>(drawn(1, 5));
      y.shape[axis] += other.shape[axis];
      takes(graph, node, std::move(other));
    }
  }
  takes(graph, node, x);
  makes(graph, node, std::move(y));
}

void RandomGraphs::other(Graph& graph, Node& node) {
  const Shape both = shape(static_cast<size_t>(drawn(2, 4)));
  Value x = activation("x", both);
  Value y = activation("y", both);
  if (node.operation == "quantize") {
    x.dtype = DType::kF32;
    x.quantization.reset();
  } else if (node.operation == "dequantize") {
    y.dtype = DType::kF32;
    y.quantization.reset();
  } else if (node.operation == "clip") {
    y.dtype = x.dtype;
    y.quantization = x.quantization;
  } else if (node.operation == "softmax") {
    node.attributes["axis"] = drawn(0, static_cast<int64_t>(both.size()) - 1);
  } else if (node.operation == "matmul") {
    const auto groups = static_cast<uint64_t>(drawn(1, 3));
    const auto rows = static_cast<uint64_t>(drawn(1, 30));
    const auto inner = static_cast<uint64_t>(drawn(1, 90));
    const auto columns = static_cast<uint64_t>(drawn(1, 90));
    x.shape = {groups, rows, inner};
    y.shape = {groups, rows, columns};
    takes(graph, node, x);
    takes(graph, node, activation("z", {groups, inner, columns}));
    makes(graph, node, std::move(y));
    return;
  }
  takes(graph, node, std::move(x));
  if (node.operation == "lookup") {
    Value table{
        .name = "table", .dtype = y.dtype, .shape = {uint64_t{1} << bits(dtype_)}, .modifier = Modifier::kParam};
    table.data = elements(table.dtype, table.shape[0]);
    takes(graph, node, std::move(table));
  }
  makes(graph, node, std::move(y));
}

Graph RandomGraphs::of(const std::string& operation) {
  constexpr std::array kElements{DType::kI8, DType::kU8, DType::kI4, DType::kU4};
  dtype_ = kElements[static_cast<size_t>(drawn(0, 3))];
  Graph graph{.name = "one " + operation};
  Node node{.name = "n", .operation = operation, .body = {}};
  if (operation == "conv") {
    conv(graph, node);
  } else if (operation == "gemm") {
    gemm(graph, node);
  } else if (operation.ends_with("_pool")) {
    pool(graph, node);
  } else if (compiler::operators::is_pair(operation)) {
    pair(graph, node);
  } else if (compiler::operators::is_movement(operation)) {
    movement(graph, node);
  } else {
    other(graph, node);
  }
  const bool clamps = !compiler::operators::is_movement(operation) && operation != "lookup" &&
                      operation != "max_pool" && operation != "quantize" && operation != "dequantize";
  if (clamps) {
    const DType made = graph.get(node.outputs[0]).dtype;
    const int64_t least = coin() ? lowest(made) : drawn(lowest(made), highest(made));
    node.attributes["lowest"] = least;
    node.attributes["highest"] = coin() ? highest(made) : drawn(least, highest(made));
  }
  graph.nodes.push_back(std::move(node));
  return graph;
}

}  // namespace covenant::test
