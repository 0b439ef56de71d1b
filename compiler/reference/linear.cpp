#include "compiler/reference/linear.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "compiler/reference/requantize.h"
#include "compiler/reference/wrapping.h"
#include "compiler/srdfg/accumulators.h"
#include "compiler/srdfg/queries.h"
#include "compiler/srdfg/windows.h"

namespace covenant::compiler::reference {
namespace {

using srdfg::Graph;
using srdfg::Node;
using srdfg::Value;

Eigen::Index index_of(uint64_t number) { return static_cast<Eigen::Index>(number); }

/// Weights as a matrix [O, K]; K runs over channels, kernel rows and kernel columns (conv) or over the inner dimension
/// (gemm, stored [K, O]).
Matrix weights_of(const Value& value, bool turned) {
  const std::vector<int64_t> elements = srdfg::integer_elements(value);
  const uint64_t outputs = value.shape[turned ? 1 : 0];
  const uint64_t inner = elements.size() / outputs;
  Matrix weights(index_of(outputs), index_of(inner));
  for (size_t o = 0; o < outputs; ++o) {
    for (size_t k = 0; k < inner; ++k) {
      const int64_t element = elements[turned ? k * outputs + o : o * inner + k];
      weights(index_of(o), index_of(k)) = static_cast<uint32_t>(element);
    }
  }
  return weights;
}

/// Everything except the products: bias, scale per output channel, limits.
struct Epilogue {
  std::vector<int64_t> bias;
  std::vector<float> scales;
  Limits limits;
  uint32_t accumulator_bits = kWordBits;
};

Epilogue epilogue_of(const Graph& graph, const Node& node, uint64_t outputs) {
  const Value& x = graph.get(node.inputs[0]);
  const Value& w = graph.get(node.inputs[1]);
  const Value& y = graph.get(node.outputs[0]);
  Epilogue epilogue{std::vector<int64_t>(outputs), {}, limits_of(node, y), srdfg::accumulator_bits(node)};
  if (node.inputs.size() > 2) epilogue.bias = srdfg::integer_elements(graph.get(node.inputs[2]));
  for (size_t o = 0; o < outputs; ++o) {
    const float w_scale = w.quantization.value().scales[w.quantization.value().axis == -1 ? 0 : o];
    epilogue.scales.push_back(
        product_scale(x.quantization.value().scales[0], w_scale, y.quantization.value().scales[0]));
  }
  epilogue.limits.shift = fixed_shift(epilogue.scales);
  return epilogue;
}

int32_t finish(const Epilogue& epilogue, size_t output, uint32_t products) {
  const uint32_t accumulator = products + static_cast<uint32_t>(epilogue.bias[output]);
  return requantize(wrapped(accumulator, epilogue.accumulator_bits), epilogue.scales[output], epilogue.limits);
}

/// The elements of one image at every position of the window, less the zero point: [C*KH*KW, OH*OW], for the channels
/// that one group of outputs reads. Padding is zero.
Matrix columns_of(const Node& node, const Value& weights, const Value& y, const std::vector<uint64_t>& image,
                  const int32_t* elements, int32_t zero_point) {
  const std::array<int64_t, 2> dilations = srdfg::dilations(node);
  const std::vector<int64_t>& strides = srdfg::integers_attribute(node, "strides");
  const std::vector<int64_t>& pads = srdfg::integers_attribute(node, "pads");
  const auto height = static_cast<int64_t>(image[2]);
  const auto width = static_cast<int64_t>(image[3]);
  const auto kernel_rows = static_cast<int64_t>(weights.shape[2]);
  const auto kernel_columns = static_cast<int64_t>(weights.shape[3]);
  const auto rows = static_cast<int64_t>(y.shape[2]);
  const auto columns = static_cast<int64_t>(y.shape[3]);
  Matrix result = Matrix::Zero(index_of(weights.shape[1]) * kernel_rows * kernel_columns, rows * columns);
  for (Eigen::Index tap = 0; tap < result.rows(); ++tap) {
    const int64_t channel = tap / (kernel_rows * kernel_columns);
    const int64_t top = tap / kernel_columns % kernel_rows * dilations[0] - pads[0];
    const int64_t left = tap % kernel_columns * dilations[1] - pads[1];
    for (int64_t row = 0; row < rows; ++row) {
      const int64_t source_row = row * strides[0] + top;
      if (source_row < 0 || source_row >= height) continue;
      for (int64_t column = 0; column < columns; ++column) {
        const int64_t source_column = column * strides[1] + left;
        if (source_column < 0 || source_column >= width) continue;
        const int32_t element = elements[(channel * height + source_row) * width + source_column];
        result(tap, row * columns + column) = static_cast<uint32_t>(element - zero_point);
      }
    }
  }
  return result;
}

/// The sums of products of one image, [O, OH*OW]: each group's weights are multiplied by the group's own channels.
Matrix products_of(const Node& node, const Value& weights, const Value& y, const std::vector<uint64_t>& image,
                   const int32_t* elements, int32_t zero_point) {
  const Matrix kernel = weights_of(weights, false);
  const int64_t groups = srdfg::groups(node);
  const Eigen::Index outputs = kernel.rows() / groups;
  const size_t inputs = weights.shape[1] * image[2] * image[3];
  Matrix products(kernel.rows(), index_of(y.shape[2] * y.shape[3]));
  for (Eigen::Index group = 0; group < groups; ++group) {
    const int32_t* own = elements + static_cast<size_t>(group) * inputs;
    products.middleRows(group * outputs, outputs) =
        kernel.middleRows(group * outputs, outputs) * columns_of(node, weights, y, image, own, zero_point);
  }
  return products;
}

}  // namespace

Tensor conv(const Graph& graph, const Node& node, const Tensor& x) {
  const Value& weights = graph.get(node.inputs[1]);
  const Value& y = graph.get(node.outputs[0]);
  const int32_t zero_point = graph.get(node.inputs[0]).quantization.value().zero_points[0];
  const Epilogue epilogue = epilogue_of(graph, node, y.shape[1]);
  const std::vector<int32_t> elements = integers(x);
  const size_t image_size = elements.size() / std::max<size_t>(x.shape[0], 1);
  std::vector<int32_t> result;
  result.reserve(srdfg::element_count(y.shape));
  for (size_t n = 0; n < x.shape[0]; ++n) {
    const Matrix products = products_of(node, weights, y, x.shape, elements.data() + n * image_size, zero_point);
    for (Eigen::Index o = 0; o < products.rows(); ++o) {
      for (Eigen::Index position = 0; position < products.cols(); ++position) {
        result.push_back(finish(epilogue, static_cast<size_t>(o), products(o, position)));
      }
    }
  }
  return make_tensor(y.dtype, y.shape, result);
}

Tensor gemm(const Graph& graph, const Node& node, const Tensor& x) {
  const Value& y = graph.get(node.outputs[0]);
  const int32_t zero_point = graph.get(node.inputs[0]).quantization.value().zero_points[0];
  const Matrix weights = weights_of(graph.get(node.inputs[1]), true);
  const Epilogue epilogue = epilogue_of(graph, node, y.shape[1]);
  const std::vector<int32_t> elements = integers(x);
  Matrix left(index_of(x.shape[0]), index_of(x.shape[1]));
  for (size_t i = 0; i < elements.size(); ++i) left.data()[i] = static_cast<uint32_t>(elements[i] - zero_point);
  const Matrix products = left * weights.transpose();
  std::vector<int32_t> result;
  for (Eigen::Index n = 0; n < products.rows(); ++n) {
    for (Eigen::Index o = 0; o < products.cols(); ++o) {
      result.push_back(finish(epilogue, static_cast<size_t>(o), products(n, o)));
    }
  }
  return make_tensor(y.dtype, y.shape, result);
}

Tensor conv_sums(const Graph& graph, const Node& node, const Tensor& x) {
  const Value& weights = graph.get(node.inputs[1]);
  const Value& y = graph.get(node.outputs[0]);
  const int32_t zero_point = graph.get(node.inputs[0]).quantization.value().zero_points[0];
  const std::vector<int32_t> elements = integers(x);
  const size_t image_size = elements.size() / std::max<size_t>(x.shape[0], 1);
  const uint32_t bits = srdfg::accumulator_bits(node);
  std::vector<int32_t> result;
  for (size_t n = 0; n < x.shape[0]; ++n) {
    const Matrix sums = products_of(node, weights, y, x.shape, elements.data() + n * image_size, zero_point);
    std::transform(sums.data(), sums.data() + sums.size(), std::back_inserter(result),
                   [bits](uint32_t sum) { return wrapped(sum, bits); });
  }
  return make_tensor(y.dtype, y.shape, result);
}

Tensor gemm_sums(const Graph& graph, const Node& node, const Tensor& x) {
  const Value& weights = graph.get(node.inputs[1]);
  const Value& y = graph.get(node.outputs[0]);
  const int32_t zero_point = graph.get(node.inputs[0]).quantization.value().zero_points[0];
  const std::vector<int32_t> elements = integers(x);
  const std::vector<int64_t> kernel = srdfg::integer_elements(weights);
  const uint64_t rows = x.shape[0] / weights.shape[0];
  const uint32_t bits = srdfg::accumulator_bits(node);
  std::vector<int32_t> result;
  for (uint64_t group = 0; group < weights.shape[0]; ++group) {
    Matrix left(index_of(rows), index_of(weights.shape[1]));
    Matrix right(index_of(weights.shape[1]), index_of(weights.shape[2]));
    const size_t first_left = group * static_cast<size_t>(left.size());
    const size_t first_right = group * static_cast<size_t>(right.size());
    for (Eigen::Index i = 0; i < left.size(); ++i) {
      left.data()[i] = static_cast<uint32_t>(elements[first_left + static_cast<size_t>(i)] - zero_point);
    }
    for (Eigen::Index i = 0; i < right.size(); ++i) {
      right.data()[i] = static_cast<uint32_t>(kernel[first_right + static_cast<size_t>(i)]);
    }
    const Matrix sums = left * right;
    std::transform(sums.data(), sums.data() + sums.size(), std::back_inserter(result),
                   [bits](uint32_t sum) { return wrapped(sum, bits); });
  }
  return make_tensor(y.dtype, y.shape, result);
}

}  // namespace covenant::compiler::reference
