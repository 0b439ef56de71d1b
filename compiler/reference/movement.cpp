#include "compiler/reference/movement.h"

#include <algorithm>
#include <array>

#include "compiler/srdfg/queries.h"

namespace covenant::compiler::reference {
namespace {

using srdfg::Node;
using Shape = std::vector<uint64_t>;

/// Offset in the input of index `i` of dimension `d` of the output; the offsets of all dimensions add up.
uint64_t place(const Node& node, const Shape& strides, size_t d, uint64_t i) {
  const auto entry = [&](const char* list) { return static_cast<uint64_t>(srdfg::integers_attribute(node, list)[d]); };
  if (node.operation == "transpose") return i * strides[entry("permutation")];
  if (node.operation == "slice") return (entry("starts") + i * entry("steps")) * strides[d];
  return i / entry("factors") * strides[d];
}

/// Per dimension, the offsets of all of its indices.
std::vector<Shape> places_of(const Node& node, const Shape& from, const Shape& to) {
  const Shape strides = srdfg::row_major_strides(from);
  std::vector<Shape> places(to.size());
  for (size_t d = 0; d < to.size(); ++d) {
    for (uint64_t i = 0; i < to[d]; ++i) places[d].push_back(place(node, strides, d, i));
  }
  return places;
}

void gather(const std::vector<Shape>& places, size_t d, uint64_t at, const Tensor& x, std::vector<uint8_t>& made) {
  if (d == places.size()) {
    const auto width = static_cast<std::ptrdiff_t>(bytes(x.dtype));
    const auto first = x.bytes.begin() + static_cast<std::ptrdiff_t>(at) * width;
    made.insert(made.end(), first, first + width);
    return;
  }
  for (const uint64_t step : places[d]) gather(places, d + 1, at + step, x, made);
}

Tensor concatenate(const srdfg::Value& y, size_t axis, const std::vector<const Tensor*>& inputs) {
  Tensor result{y.dtype, y.shape, {}};
  const uint64_t rows = srdfg::element_count({y.shape.begin(), y.shape.begin() + static_cast<std::ptrdiff_t>(axis)});
  for (uint64_t row = 0; row < rows; ++row) {
    for (const Tensor* input : inputs) {
      const size_t run = input->bytes.size() / rows;
      const auto first = input->bytes.begin() + static_cast<std::ptrdiff_t>(row * run);
      result.bytes.insert(result.bytes.end(), first, first + static_cast<std::ptrdiff_t>(run));
    }
  }
  return result;
}

/// A tensor of zero points that contains x.
Tensor padded(const srdfg::Value& y, const Node& node, const Tensor& x) {
  const int32_t zero_point = y.quantization.value().zero_points[0];
  std::vector<int32_t> result(srdfg::element_count(y.shape), zero_point);
  const Shape strides = srdfg::row_major_strides(y.shape);
  std::vector<uint64_t> index(x.shape.size(), 0);
  for (const int32_t element : integers(x)) {
    uint64_t place = 0;
    for (size_t d = 0; d < index.size(); ++d) {
      place += (index[d] + static_cast<uint64_t>(srdfg::integers_attribute(node, "before")[d])) * strides[d];
    }
    result[place] = element;
    for (size_t d = index.size(); d-- > 0 && ++index[d] == x.shape[d];) index[d] = 0;
  }
  return make_tensor(y.dtype, y.shape, result);
}

}  // namespace

bool is_movement(std::string_view operation) {
  constexpr std::array<std::string_view, 6> kMovements{"reshape", "transpose", "slice", "repeat", "pad", "concat"};
  return std::ranges::find(kMovements, operation) != kMovements.end();
}

Tensor move(const srdfg::Graph& graph, const Node& node, const std::vector<const Tensor*>& inputs) {
  const srdfg::Value& y = graph.get(node.outputs[0]);
  const Tensor& x = *inputs.at(0);
  if (node.operation == "reshape") return {x.dtype, y.shape, x.bytes};
  if (node.operation == "concat") {
    return concatenate(y, static_cast<size_t>(srdfg::integer_attribute(node, "axis")), inputs);
  }
  if (node.operation == "pad") return padded(y, node, x);
  Tensor result{y.dtype, y.shape, {}};
  result.bytes.reserve(srdfg::element_count(y.shape) * bytes(x.dtype));
  gather(places_of(node, x.shape, y.shape), 0, 0, x, result.bytes);
  return result;
}

}  // namespace covenant::compiler::reference
