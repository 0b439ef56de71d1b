#include "compiler/reference/layer_norm.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "compiler/reference/requantize.h"
#include "compiler/srdfg/accumulators.h"
#include "compiler/srdfg/queries.h"

// Every product, sum and quotient here is rounded to f32 separately: this file is compiled without contraction.

namespace covenant::compiler::reference {
namespace {

using srdfg::Graph;
using srdfg::Node;

float mean_of(int32_t sum, float count, float scale) { return static_cast<float>(sum) / count * scale; }

float variance_of(float mean, float squares, float count, float scale) {
  const float square = scale * scale;
  const float average = squares / count;
  const float real = average * square;
  const float power = mean * mean;
  return real - power;
}

float deviation_of(float variance, float epsilon) { return std::sqrt(std::max(variance, 0.0F) + epsilon); }

float real_attribute(const Node& node, const char* name) {
  return static_cast<float>(std::get<double>(node.attributes.at(name)));
}

float count_of(const Node& node) { return static_cast<float>(srdfg::integer_attribute(node, "count")); }

/// Sums of a row: its elements less their zero point, and the high and low bytes of their squares.
struct RowSums {
  int32_t elements;
  int32_t high_squares;
  int32_t low_squares;
};

RowSums row_sums(std::span<const int32_t> elements, int32_t zero_point, uint32_t bits) {
  uint32_t sum = 0, high = 0, low = 0;
  for (const int32_t element : elements) {
    const int32_t less = element - zero_point;
    sum += static_cast<uint32_t>(less);
    high += static_cast<uint32_t>(less * less) >> 8U;
    low += static_cast<uint32_t>(less * less) & 0xffU;
  }
  return {wrapped(sum, bits), wrapped(high, bits), wrapped(low, bits)};
}

/// Elements of a row, or of the pixels of a channel.
uint64_t row_length(const std::vector<uint64_t>& shape) { return shape[2] * (shape.size() == 4 ? shape[3] : 1); }

/// Rows of x less their means, divided by their deviations.
std::vector<float> even_rows(const Graph& graph, const Node& node, const Tensor& x, const std::vector<float>& means,
                             const std::vector<float>& deviations) {
  const srdfg::Quantization& quantization = graph.get(node.inputs[0]).quantization.value();
  const uint64_t length = srdfg::element_count(x.shape) / means.size();
  std::vector<float> result;
  for (const int32_t element : integers(x)) {
    const size_t row = result.size() / length;
    const float real = static_cast<float>(element - quantization.zero_points[0]) * quantization.scales[0];
    result.push_back((real - means[row]) / deviations[row]);
  }
  return result;
}

/// Applies gains and offsets, the last inputs of the node.
Tensor scaled(const Graph& graph, const Node& node, const std::vector<float>& even) {
  const srdfg::Value& given = graph.get(node.inputs.end()[-2]);
  const std::vector<float> gains = srdfg::float_elements(given);
  const std::vector<float> offsets = srdfg::float_elements(graph.get(node.inputs.back()));
  const srdfg::Value& y = graph.get(node.outputs[0]);
  const Limits limits = limits_of(node, y);
  // One for each column, or for each row or channel.
  const bool is_by_column = given.shape.size() == 1 && y.shape.size() == 3;
  const size_t adjacent = is_by_column ? 1 : row_length(y.shape);
  std::vector<int32_t> result;
  for (const float element : even) {
    const size_t own = result.size() / adjacent % gains.size();
    const float product = element * gains[own];
    result.push_back(store((product + offsets[own]) / y.quantization.value().scales[0], limits));
  }
  return make_tensor(y.dtype, y.shape, result);
}

/// Rows of a layer_norm, groups of channels of all images of a channel_norm: each is contiguous.
uint64_t normalized_rows(const Node& node, const Tensor& x) {
  const bool has_groups = node.attributes.contains("groups");
  return x.shape[0] * (has_groups ? static_cast<uint64_t>(srdfg::integer_attribute(node, "groups")) : x.shape[1]);
}

}  // namespace

Tensor layer_norm(const Graph& graph, const Node& node, const Tensor& x) {
  const srdfg::Quantization& quantization = graph.get(node.inputs[0]).quantization.value();
  const uint64_t rows = normalized_rows(node, x);
  const uint64_t length = srdfg::element_count(x.shape) / rows;
  const auto count = static_cast<float>(length);
  const std::vector<int32_t> elements = integers(x);
  std::vector<float> means;
  std::vector<float> deviations;
  for (size_t row = 0; row < rows; ++row) {
    const RowSums sums = row_sums(std::span(elements).subspan(row * length, length), quantization.zero_points[0],
                                  srdfg::accumulator_bits(node));
    const int64_t squares = sums.high_squares * int64_t{256} + sums.low_squares;
    means.push_back(mean_of(sums.elements, count, quantization.scales[0]));
    const float variance = variance_of(means.back(), static_cast<float>(squares), count, quantization.scales[0]);
    deviations.push_back(deviation_of(variance, real_attribute(node, "epsilon")));
  }
  return scaled(graph, node, even_rows(graph, node, x, means, deviations));
}

Tensor channel_sums(const Graph& graph, const Node& node, const Tensor& x) {
  const int32_t zero_point = graph.get(node.inputs[0]).quantization.value().zero_points[0];
  const uint64_t rows = normalized_rows(node, x);
  const uint64_t length = srdfg::element_count(x.shape) / rows;
  const uint64_t channels = x.shape[0] * x.shape[1] / rows;
  const std::vector<int32_t> elements = integers(x);
  std::vector<int32_t> result;
  for (size_t row = 0; row < rows; ++row) {
    const std::span<const int32_t> group = std::span(elements).subspan(row * length, length);
    result.insert(result.end(), channels, row_sums(group, zero_point, srdfg::accumulator_bits(node)).elements);
  }
  return make_tensor(DType::kI32, graph.get(node.outputs[0]).shape, result);
}

Tensor row_mean(const Graph& graph, const Node& node, const Tensor& s) {
  std::vector<float> result;
  for (const int32_t sum : integers(s)) result.push_back(mean_of(sum, count_of(node), real_attribute(node, "scale")));
  return make_tensor(graph.get(node.outputs[0]).shape, result);
}

Tensor row_squares(const Graph& graph, const Node& node, const Tensor& high, const Tensor& low) {
  const std::vector<int32_t> others = integers(low);
  std::vector<float> result;
  for (const int32_t sum : integers(high)) {
    const float scaled = static_cast<float>(sum) * 256.0F;
    result.push_back(scaled + static_cast<float>(others[result.size()]));
  }
  return make_tensor(graph.get(node.outputs[0]).shape, result);
}

Tensor row_variance(const Graph& graph, const Node& node, const Tensor& mean, const Tensor& squares) {
  const std::vector<float> means = reals(mean);
  std::vector<float> result;
  for (const float sum : reals(squares)) {
    const float of_row = means[result.size()];
    result.push_back(variance_of(of_row, sum, count_of(node), real_attribute(node, "scale")));
  }
  return make_tensor(graph.get(node.outputs[0]).shape, result);
}

Tensor row_deviation(const Graph& graph, const Node& node, const Tensor& variance) {
  std::vector<float> result;
  for (const float one : reals(variance)) result.push_back(deviation_of(one, real_attribute(node, "epsilon")));
  return make_tensor(graph.get(node.outputs[0]).shape, result);
}

Tensor normalize_rows(const Graph& graph, const Node& node, const std::vector<const Tensor*>& inputs) {
  const std::vector<float> even = even_rows(graph, node, *inputs.at(0), reals(*inputs.at(1)), reals(*inputs.at(2)));
  return make_tensor(graph.get(node.outputs[0]).shape, even);
}

Tensor scale_columns(const Graph& graph, const Node& node, const Tensor& even) {
  return scaled(graph, node, reals(even));
}

}  // namespace covenant::compiler::reference
