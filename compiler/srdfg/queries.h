/// Queries on a graph that passes share.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "compiler/srdfg/graph.h"

namespace covenant::compiler::srdfg {

/// Number of elements of a shape; 1 for a scalar.
uint64_t element_count(const std::vector<uint64_t>& shape);

/// Distance in elements between adjacent indices of each dimension, row-major.
std::vector<uint64_t> row_major_strides(const std::vector<uint64_t>& shape);

/// True if activations that a node reads or makes differ in signedness.
bool differs_in_sign(const Graph& graph, const Node& node);

/// True for an i8 or u8 tensor with one scale and one zero point, both within their range.
bool is_activation(const Value& value);

/// Gathers the bytes at offset sum(index * stride) for all indices of `shape` in row-major order.
std::vector<uint8_t> gathered(const std::vector<uint8_t>& bytes, const std::vector<uint64_t>& shape,
                              const std::vector<uint64_t>& strides, size_t width);

/// The attribute `name` of a node. InternalError if it is missing or of another type (verify has checked).
int64_t integer_attribute(const Node& node, std::string_view name);
const std::vector<int64_t>& integers_attribute(const Node& node, std::string_view name);

/// Per value: the node that makes it, if there is one.
std::vector<std::optional<size_t>> producers(const Graph& graph);
/// Per value: the nodes that read it, in order; a node that reads it twice is listed once.
std::vector<std::vector<size_t>> consumers(const Graph& graph);

/// The data of a param of `dtype` with these elements, each of which must fit it.
std::vector<uint8_t> integer_data(DType dtype, std::span<const int64_t> elements);
/// Elements of a param's data (i8, u8, i32 or f32), widened to T. InternalError for other dtypes.
std::vector<int64_t> integer_elements(const Value& value);
std::vector<float> float_elements(const Value& value);

}  // namespace covenant::compiler::srdfg
