/// Random graphs of one operator, over everything that its definition allows.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "compiler/srdfg/graph.h"

namespace covenant::test {

class RandomGraphs {
 public:
  explicit RandomGraphs(uint64_t seed) : generator_(seed) {}

  /// A normalised graph of one node of this operation (compiler/operators/operators.h).
  compiler::srdfg::Graph of(const std::string& operation);

  /// Uniform; both ends belong to it.
  int64_t drawn(int64_t least, int64_t most);
  std::vector<uint8_t> bytes(size_t count);
  /// Elements of integers of at most a byte, one per byte.
  std::vector<uint8_t> elements(DType dtype, size_t count);

 private:
  using Shape = std::vector<uint64_t>;

  bool coin() { return drawn(0, 1) == 1; }
  float scale();
  compiler::srdfg::Value activation(const std::string& name, const Shape& shape);
  compiler::srdfg::Value weights(const Shape& shape, size_t outputs, int32_t axis);
  compiler::srdfg::Value bias(size_t outputs);
  Shape shape(size_t rank);

  void window(compiler::srdfg::Node& node, const Shape& image, const Shape& kernel, Shape& outputs);
  void conv(compiler::srdfg::Graph& graph, compiler::srdfg::Node& node);
  void gemm(compiler::srdfg::Graph& graph, compiler::srdfg::Node& node);
  void pool(compiler::srdfg::Graph& graph, compiler::srdfg::Node& node);
  void pair(compiler::srdfg::Graph& graph, compiler::srdfg::Node& node);
  void movement(compiler::srdfg::Graph& graph, compiler::srdfg::Node& node);
  void other(compiler::srdfg::Graph& graph, compiler::srdfg::Node& node);

  std::mt19937_64 generator_;
  DType dtype_ = DType::kI8;  ///< dtype of all activations
};

}  // namespace covenant::test
