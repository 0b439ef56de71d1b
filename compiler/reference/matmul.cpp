#include "compiler/reference/matmul.h"

#include "compiler/reference/requantize.h"
#include "compiler/reference/wrapping.h"
#include "compiler/srdfg/accumulators.h"
#include "compiler/srdfg/queries.h"

namespace covenant::compiler::reference {
namespace {

using srdfg::Graph;
using srdfg::Node;
using srdfg::Value;

/// The matrices [G] of a tensor [G,rows,columns], each element less `zero_point`.
std::vector<Matrix> matrices_of(const Tensor& tensor, int32_t zero_point) {
  const std::vector<int32_t> elements = integers(tensor);
  std::vector<Matrix> matrices;
  auto next = elements.begin();
  for (uint64_t g = 0; g < tensor.shape[0]; ++g) {
    Matrix& one = matrices.emplace_back(tensor.shape[1], tensor.shape[2]);
    for (Eigen::Index i = 0; i < one.size(); ++i) one.data()[i] = static_cast<uint32_t>(*next++ - zero_point);
  }
  return matrices;
}

Tensor tensor_of(const Value& value, const std::vector<Matrix>& matrices) {
  std::vector<int32_t> result;
  for (const Matrix& one : matrices) {
    for (Eigen::Index i = 0; i < one.size(); ++i) result.push_back(static_cast<int32_t>(one.data()[i]));
  }
  return make_tensor(value.dtype, value.shape, result);
}

int32_t zero_point(const Graph& graph, srdfg::ValueId id) { return graph.get(id).quantization.value().zero_points[0]; }

Tensor requantized(const Graph& graph, const Node& node, const std::vector<Matrix>& sums) {
  const auto scale_of = [&](srdfg::ValueId id) { return graph.get(id).quantization.value().scales[0]; };
  const Value& y = graph.get(node.outputs[0]);
  const float scale = product_scale(scale_of(node.inputs[0]), scale_of(node.inputs[1]), scale_of(node.outputs[0]));
  Limits limits = limits_of(node, y);
  limits.shift = fixed_shift({&scale, 1});
  std::vector<int32_t> result;
  for (const Matrix& one : sums) {
    for (Eigen::Index i = 0; i < one.size(); ++i) {
      result.push_back(requantize(static_cast<int32_t>(one.data()[i]), scale, limits));
    }
  }
  return make_tensor(y.dtype, y.shape, result);
}

/// Wraps each sum modulo 2^bits and extends it.
void wrap(Matrix& sums, uint32_t bits) {
  sums = sums.unaryExpr([bits](uint32_t sum) { return static_cast<uint32_t>(wrapped(sum, bits)); }).eval();
}

uint32_t factor_of(const Node& node) { return static_cast<uint32_t>(srdfg::integer_attribute(node, "factor")); }

}  // namespace

Tensor matmul(const Graph& graph, const Node& node, const Tensor& a, const Tensor& b) {
  std::vector<Matrix> sums = matrices_of(a, zero_point(graph, node.inputs[0]));
  const std::vector<Matrix> right = matrices_of(b, zero_point(graph, node.inputs[1]));
  const uint32_t bits = srdfg::accumulator_bits(node);
  const auto apart = static_cast<uint32_t>(srdfg::optional_integer(node, srdfg::kZeroPointApart, 0));
  const bool is_turned = srdfg::optional_integer(node, srdfg::kTurned, 0) != 0;
  for (size_t g = 0; g < sums.size(); ++g) {
    const Matrix left = std::move(sums[g]);
    sums[g] = left * right[g];
    // The extra part that comes from the zero point: once in the sums and once by itself.
    Matrix more = is_turned ? Matrix((right[g].colwise().sum() * apart).replicate(left.rows(), 1))
                            : Matrix((left.rowwise().sum() * apart).replicate(1, right[g].cols()));
    sums[g] += more;
    wrap(sums[g], bits);
    wrap(more, bits);
    sums[g] -= more;
  }
  return requantized(graph, node, sums);
}

Tensor to_signed(const Graph& graph, const Node& node, const Tensor& x) {
  const Value& y = graph.get(node.outputs[0]);
  std::vector<int32_t> result = integers(x);
  for (int32_t& element : result) element += static_cast<int32_t>(lowest(y.dtype));
  return make_tensor(y.dtype, y.shape, result);
}

Tensor row_sums(const Graph& graph, const Node& node, const Tensor& a) {
  std::vector<Matrix> sums = matrices_of(a, zero_point(graph, node.inputs[0]));
  for (Matrix& one : sums) {
    one = (one.rowwise().sum() * factor_of(node)).eval();
    wrap(one, srdfg::accumulator_bits(node));
  }
  return tensor_of(graph.get(node.outputs[0]), sums);
}

Tensor column_sums(const Graph& graph, const Node& node, const Tensor& b) {
  std::vector<Matrix> sums = matrices_of(b, 0);
  for (Matrix& one : sums) {
    one = (one.colwise().sum() * factor_of(node)).eval();
    wrap(one, srdfg::accumulator_bits(node));
  }
  return tensor_of(graph.get(node.outputs[0]), sums);
}

Tensor matmul_stored(const Graph& graph, const Node& node, const std::vector<const Tensor*>& inputs) {
  std::vector<Matrix> sums = matrices_of(*inputs.at(0), 0);
  const std::vector<Matrix> right = matrices_of(*inputs.at(1), 0);
  const Value& c = graph.get(node.inputs[2]);
  const bool is_param = c.modifier == srdfg::Modifier::kParam;
  const std::vector<Matrix> columns = matrices_of(is_param ? Tensor{c.dtype, c.shape, c.data} : *inputs.at(2), 0);
  std::vector<Matrix> rows;
  if (node.inputs.size() > 3) rows = matrices_of(*inputs.back(), 0);
  for (size_t g = 0; g < sums.size(); ++g) {
    sums[g] = (sums[g] * right[g]).eval();
    sums[g].rowwise() += columns[g].row(0);
    wrap(sums[g], srdfg::accumulator_bits(node));
    if (!rows.empty()) sums[g].colwise() -= rows[g].col(0);
  }
  return requantized(graph, node, sums);
}

}  // namespace covenant::compiler::reference
