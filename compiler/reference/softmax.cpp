#include "compiler/reference/softmax.h"

#include <algorithm>
#include <limits>

#include "compiler/reference/requantize.h"
#include "compiler/srdfg/queries.h"
#include "compiler/srdfg/softmax_table.h"

namespace covenant::compiler::reference {
namespace {

/// The elements of a tensor as rows along one axis: element `i` of row r is at start(r) + i * step.
struct Rows {
  Rows(const srdfg::Node& node, const std::vector<uint64_t>& shape) {
    const auto axis = static_cast<size_t>(srdfg::integer_attribute(node, "axis"));
    length = shape[axis];
    for (size_t d = axis + 1; d < shape.size(); ++d) step *= shape[d];
    count = srdfg::element_count(shape) / length;
  }
  size_t start(size_t row) const { return row / step * step * length + row % step; }

  size_t length = 0;
  size_t step = 1;
  size_t count = 0;
};

/// Index of the table entry for x - largest, which is at most 0.
size_t distance(int32_t x, int32_t largest, const std::vector<float>& table) {
  return static_cast<uint32_t>(x - largest) % table.size();
}

int32_t share(float exponential, float sum, const srdfg::Value& y, const Limits& limits) {
  const float scaled = exponential * srdfg::steps_to_one(y.quantization.value().scales[0]);
  return store(scaled / sum, limits);
}

std::vector<float> table_of(const srdfg::Graph& graph, const srdfg::Node& node) {
  return srdfg::float_elements(graph.get(node.inputs.back()));
}

}  // namespace

Tensor softmax(const srdfg::Graph& graph, const srdfg::Node& node, const Tensor& x) {
  const srdfg::Value& y = graph.get(node.outputs[0]);
  const Rows rows(node, x.shape);
  const std::vector<float> table =
      srdfg::exponentials(graph.get(node.inputs[0]).quantization.value().scales[0], rows.length, x.dtype,
                          srdfg::steps_to_one(y.quantization.value().scales[0]));
  const Limits limits = limits_of(node, y);
  const std::vector<int32_t> elements = integers(x);
  std::vector<int32_t> result(elements.size());
  for (size_t row = 0; row < rows.count; ++row) {
    const size_t start = rows.start(row);
    int32_t largest = std::numeric_limits<int32_t>::min();
    for (size_t i = 0; i < rows.length; ++i) largest = std::max(largest, elements[start + i * rows.step]);
    float sum = 0;
    for (size_t i = 0; i < rows.length; ++i) sum += table[distance(elements[start + i * rows.step], largest, table)];
    for (size_t i = 0; i < rows.length; ++i) {
      const size_t at = start + i * rows.step;
      result[at] = share(table[distance(elements[at], largest, table)], sum, y, limits);
    }
  }
  return make_tensor(y.dtype, y.shape, result);
}

Tensor reduce_max(const srdfg::Graph& graph, const srdfg::Node& node, const Tensor& x) {
  const srdfg::Value& y = graph.get(node.outputs[0]);
  const Rows rows(node, x.shape);
  const std::vector<int32_t> elements = integers(x);
  std::vector<int32_t> result;
  for (size_t row = 0; row < rows.count; ++row) {
    int32_t largest = elements[rows.start(row)];
    for (size_t i = 1; i < rows.length; ++i) largest = std::max(largest, elements[rows.start(row) + i * rows.step]);
    result.push_back(largest);
  }
  return make_tensor(y.dtype, y.shape, result);
}

Tensor softmax_sum(const srdfg::Graph& graph, const srdfg::Node& node, const Tensor& x, const Tensor& m) {
  const Rows rows(node, x.shape);
  const std::vector<float> table = table_of(graph, node);
  const std::vector<int32_t> elements = integers(x);
  const std::vector<int32_t> largest = integers(m);
  std::vector<float> result;
  for (size_t row = 0; row < rows.count; ++row) {
    float sum = table[distance(elements[rows.start(row)], largest[row], table)];
    for (size_t i = 1; i < rows.length; ++i) {
      sum += table[distance(elements[rows.start(row) + i * rows.step], largest[row], table)];
    }
    result.push_back(sum);
  }
  return make_tensor(graph.get(node.outputs[0]).shape, result);
}

Tensor softmax_quotient(const srdfg::Graph& graph, const srdfg::Node& node, const Tensor& x, const Tensor& m,
                        const Tensor& s) {
  const srdfg::Value& y = graph.get(node.outputs[0]);
  const Rows rows(node, x.shape);
  const std::vector<float> table = table_of(graph, node);
  const Limits limits = limits_of(node, y);
  const std::vector<int32_t> elements = integers(x);
  const std::vector<int32_t> largest = integers(m);
  const std::vector<float> sums = reals(s);
  std::vector<int32_t> result(elements.size());
  for (size_t row = 0; row < rows.count; ++row) {
    for (size_t i = 0; i < rows.length; ++i) {
      const size_t at = rows.start(row) + i * rows.step;
      result[at] = share(table[distance(elements[at], largest[row], table)], sums[row], y, limits);
    }
  }
  return make_tensor(y.dtype, y.shape, result);
}

}  // namespace covenant::compiler::reference
