#include "compiler/reference/pool.h"

#include <algorithm>
#include <array>

#include "compiler/reference/requantize.h"
#include "compiler/srdfg/queries.h"
#include "compiler/srdfg/windows.h"

namespace covenant::compiler::reference {
namespace {

/// Positions along one axis that a window covers: `first`, first + step, ... below `end`, all inside of the image.
struct Span {
  int64_t first;
  int64_t end;
  int64_t step;
};

Span inside(uint64_t position, int64_t stride, int64_t pad, int64_t kernel, int64_t dilation, uint64_t extent) {
  int64_t first = static_cast<int64_t>(position) * stride - pad;
  const int64_t end = first + (kernel - 1) * dilation + 1;
  if (first < 0) first += (-first + dilation - 1) / dilation * dilation;
  return {first, std::min(end, static_cast<int64_t>(extent)), dilation};
}

/// Number of positions in a span.
int64_t count(const Span& span) {
  return span.end <= span.first ? 0 : (span.end - span.first + span.step - 1) / span.step;
}

/// Applies `take` to each window: a plane of the image, row by row, and the rows and columns that the window covers.
template <typename Take>
Tensor pooled(const srdfg::Value& y, const srdfg::Node& node, const Tensor& x, Take&& take) {
  const std::vector<int64_t>& kernel = srdfg::integers_attribute(node, "kernel");
  const std::vector<int64_t>& strides = srdfg::integers_attribute(node, "strides");
  const std::vector<int64_t>& pads = srdfg::integers_attribute(node, "pads");
  const std::array<int64_t, 2> dilations = srdfg::dilations(node);
  const std::vector<int32_t> elements = integers(x);
  const size_t plane = x.shape[2] * x.shape[3];
  std::vector<int32_t> result;
  for (size_t image = 0; image < x.shape[0] * x.shape[1]; ++image) {
    for (uint64_t row = 0; row < y.shape[2]; ++row) {
      const Span rows = inside(row, strides[0], pads[0], kernel[0], dilations[0], x.shape[2]);
      for (uint64_t column = 0; column < y.shape[3]; ++column) {
        const Span columns = inside(column, strides[1], pads[1], kernel[1], dilations[1], x.shape[3]);
        result.push_back(take(elements.data() + image * plane, rows, columns));
      }
    }
  }
  return make_tensor(y.dtype, y.shape, result);
}

/// Calls `visit` with each element of a plane that a window covers, row by row.
template <typename Visit>
void for_each_element(const int32_t* plane, size_t width, const Span& rows, const Span& columns, Visit&& visit) {
  for (int64_t r = rows.first; r < rows.end; r += rows.step) {
    const int32_t* line = plane + static_cast<size_t>(r) * width;
    for (int64_t c = columns.first; c < columns.end; c += columns.step) visit(line[c]);
  }
}

/// x_scale / (y_scale * f32(elements)); 0 for no elements.
float scale_of_mean(const srdfg::Quantization& x, const srdfg::Quantization& y, int64_t elements) {
  const float divisor = y.scales[0] * static_cast<float>(elements);
  return elements == 0 ? 0 : x.scales[0] / divisor;
}

/// Doubles sums before they are scaled, so that less precision is lost.
class DoubledSums {
 public:
  DoubledSums(std::vector<float> scales, int64_t count, Limits limits) : scales_(std::move(scales)), limits_(limits) {
    if (!limits_.is_fixed) return;
    factor_ = 1 << fixed_doublings(scales_, count);
    for (float& scale : scales_) scale /= static_cast<float>(factor_);
    limits_.shift = fixed_shift(scales_);
  }

  int32_t scaled(int32_t sum, size_t scale) const { return requantize(sum * factor_, scales_[scale], limits_); }

 private:
  std::vector<float> scales_;
  Limits limits_;
  int32_t factor_ = 1;
};

/// Average pool in fixed point: exact sums; scales depend on the number of elements in a window, and share one shift.
Tensor fixed_average_pool(const srdfg::Graph& graph, const srdfg::Node& node, const Tensor& x) {
  const srdfg::Value& y = graph.get(node.outputs[0]);
  const srdfg::Quantization& from = graph.get(node.inputs[0]).quantization.value();
  std::vector<float> scales;
  for (const float elements : srdfg::elements_seen(node, x.shape, y.shape)) {
    scales.push_back(scale_of_mean(from, y.quantization.value(), static_cast<int64_t>(elements)));
  }
  const std::vector<int64_t>& kernel = srdfg::integers_attribute(node, "kernel");
  const size_t count = scales.size();
  const DoubledSums sums(std::move(scales), kernel[0] * kernel[1], limits_of(node, y));
  size_t window = 0;
  return pooled(y, node, x, [&](const int32_t* plane, const Span& rows, const Span& columns) {
    int32_t total = 0;
    for_each_element(plane, x.shape[3], rows, columns,
                     [&](int32_t element) { total += element - from.zero_points[0]; });
    return sums.scaled(total, window++ % count);
  });
}

}  // namespace

Tensor average_pool(const srdfg::Graph& graph, const srdfg::Node& node, const Tensor& x) {
  if (node.attributes.contains(kFixedPoint)) return fixed_average_pool(graph, node, x);
  const srdfg::Value& y = graph.get(node.outputs[0]);
  const srdfg::Quantization& from = graph.get(node.inputs[0]).quantization.value();
  const srdfg::Quantization& to = y.quantization.value();
  const std::vector<int64_t>& kernel = srdfg::integers_attribute(node, "kernel");
  const bool counts_pads = node.attributes.contains("count_pads");
  // ONNX Runtime's kernel for equal types adds the zero point before rounding; QuantizeLinear adds it afterwards.
  const bool is_outside = srdfg::differs_in_sign(graph, node);
  const int32_t zero_point = to.zero_points[0];
  const auto inside = static_cast<float>(is_outside ? 0 : zero_point);
  const Limits limits{is_outside ? zero_point : 0, limits_of(node, y).lowest, limits_of(node, y).highest};
  return pooled(y, node, x, [&](const int32_t* plane, const Span& rows, const Span& columns) {
    float total = 0;
    for_each_element(plane, x.shape[3], rows, columns, [&](int32_t element) {
      total += static_cast<float>(element - from.zero_points[0]) * from.scales[0];
    });
    const int64_t counted = counts_pads ? kernel[0] * kernel[1] : count(rows) * count(columns);
    const float steps = total / static_cast<float>(counted) / to.scales[0];
    return store(steps + inside, limits);
  });
}

Tensor max_pool(const srdfg::Graph& graph, const srdfg::Node& node, const Tensor& x) {
  const srdfg::Value& y = graph.get(node.outputs[0]);
  const auto lowest = static_cast<int32_t>(covenant::lowest(y.dtype));  // result of an empty window
  return pooled(y, node, x, [&](const int32_t* plane, const Span& rows, const Span& columns) {
    int32_t largest = lowest;
    for_each_element(plane, x.shape[3], rows, columns, [&](int32_t element) { largest = std::max(largest, element); });
    return largest;
  });
}

Tensor global_average_pool(const srdfg::Graph& graph, const srdfg::Node& node, const Tensor& x) {
  const srdfg::Value& input = graph.get(node.inputs[0]);
  const srdfg::Value& y = graph.get(node.outputs[0]);
  const std::vector<int32_t> elements = integers(x);
  const size_t plane = x.shape[2] * x.shape[3];
  const float scale = scale_of_mean(input.quantization.value(), y.quantization.value(), static_cast<int64_t>(plane));
  const auto zero_point = static_cast<uint32_t>(input.quantization.value().zero_points[0]);
  const DoubledSums sums({scale}, static_cast<int64_t>(plane), limits_of(node, y));
  std::vector<int32_t> result;
  for (size_t first = 0; first < elements.size(); first += plane) {
    uint32_t sum = 0;  // unsigned: wraps by definition
    for (size_t i = 0; i < plane; ++i) sum += static_cast<uint32_t>(elements[first + i]) - zero_point;
    result.push_back(sums.scaled(static_cast<int32_t>(sum), 0));
  }
  return make_tensor(y.dtype, y.shape, result);
}

}  // namespace covenant::compiler::reference
