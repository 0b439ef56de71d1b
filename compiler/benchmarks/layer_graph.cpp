#include "compiler/benchmarks/layer_graph.h"

#include <algorithm>
#include <utility>

#include "compiler/srdfg/queries.h"

namespace covenant::compiler {
namespace {

using srdfg::Graph;
using srdfg::Modifier;
using srdfg::Node;
using srdfg::Value;
using srdfg::ValueId;

/// A 64-bit linear congruential generator (Knuth, "The Art of Computer Programming", volume 2, section 3.3.4) whose top
/// byte is used: the same on every computer.
class Bytes {
 public:
  explicit Bytes(const std::string& name) {
    for (const char c : name) state_ = state_ * kFactor + static_cast<unsigned char>(c);
  }
  uint8_t next() {
    state_ = state_ * kFactor + kStep;
    return static_cast<uint8_t>(state_ >> 56);
  }

 private:
  static constexpr uint64_t kFactor = 6364136223846793005U;
  static constexpr uint64_t kStep = 1442695040888963407U;
  uint64_t state_ = 1;
};

ValueId add(Graph& graph, Value value) {
  graph.values.push_back(std::move(value));
  return ValueId{static_cast<uint32_t>(graph.values.size() - 1)};
}

Value quantized(const std::string& name, std::vector<uint64_t> shape, Modifier modifier) {
  Value value{name, DType::kI8, std::move(shape), modifier, srdfg::Quantization{{1.0F}, {0}, -1}, {}};
  return value;
}

Value weights(const std::string& layer, std::vector<uint64_t> shape) {
  Value value = quantized("w", std::move(shape), Modifier::kParam);
  Bytes bytes(layer);
  value.data.resize(srdfg::element_count(value.shape));
  std::generate(value.data.begin(), value.data.end(), [&] { return bytes.next(); });
  return value;
}

/// Padding below or right with which there are `outputs` windows.
int64_t pad_after(const BenchmarkLayer& layer, uint64_t inputs, uint64_t outputs) {
  const uint64_t spanned = (outputs - 1) * layer.stride + layer.kernel;
  const uint64_t there = layer.pad + inputs;
  return spanned > there ? static_cast<int64_t>(spanned - there) : 0;
}

}  // namespace

Graph benchmark_graph(const BenchmarkLayer& layer) {
  Graph graph;
  graph.name = layer.name;
  Node node;
  node.name = layer.name;
  std::vector<uint64_t> x_shape;
  std::vector<uint64_t> w_shape;
  std::vector<uint64_t> y_shape;
  if (layer.kind == BenchmarkKind::kGemm) {
    node.operation = "gemm_sums";
    x_shape = {layer.heads * layer.m, layer.k};
    w_shape = {layer.heads, layer.k, layer.n};
    y_shape = {layer.heads * layer.m, layer.n};
  } else {
    node.operation = "conv_sums";
    x_shape = {layer.batch, layer.in_channels, layer.input_rows, layer.input_columns};
    w_shape = {layer.out_channels, layer.in_channels, layer.kernel, layer.kernel};
    y_shape = {layer.batch, layer.out_channels, layer.output_rows, layer.output_columns};
    const auto stride = static_cast<int64_t>(layer.stride);
    const auto pad = static_cast<int64_t>(layer.pad);
    node.attributes["strides"] = std::vector<int64_t>{stride, stride};
    node.attributes["pads"] = std::vector<int64_t>{pad, pad, pad_after(layer, layer.input_rows, layer.output_rows),
                                                   pad_after(layer, layer.input_columns, layer.output_columns)};
  }
  const ValueId x = add(graph, quantized("x", x_shape, Modifier::kInput));
  const ValueId w = add(graph, weights(layer.name, w_shape));
  Value sums;
  sums.name = "y";
  sums.dtype = DType::kI32;
  sums.shape = std::move(y_shape);
  sums.modifier = Modifier::kOutput;
  const ValueId y = add(graph, std::move(sums));
  node.inputs = {x, w};
  node.outputs = {y};
  graph.nodes.push_back(std::move(node));
  graph.inputs = {x};
  graph.outputs = {y};
  return graph;
}

}  // namespace covenant::compiler
