/// Questions that passes ask of a graph.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "compiler/srdfg/graph.h"

namespace covenant::compiler::srdfg {

/// Elements of a shape; 1 for a scalar.
uint64_t element_count(const std::vector<uint64_t>& shape);

/// Elements from one index of each dimension to the next, row-major.
std::vector<uint64_t> row_major_strides(const std::vector<uint64_t>& shape);

/// Of two operands of one shape, element by element: add, mul; sub, div, max, min, which compute in f32.
bool is_pair(std::string_view operation);
bool is_real_pair(std::string_view operation);

/// Has one of the activations that a node reads or makes a sign and another one none?
bool differs_in_sign(const Graph& graph, const Node& node);

/// An i8 or u8 tensor with one scale and zero point, both of which it can have.
bool is_activation(const Value& value);

/// The bytes at the sums of index times stride, for all indices of `shape` in row-major order.
std::vector<uint8_t> gathered(const std::vector<uint8_t>& bytes, const std::vector<uint64_t>& shape,
                              const std::vector<uint64_t>& strides, size_t width);

/// The attribute `name` of a node; InternalError if it is missing or of another type (verify has checked).
int64_t integer_attribute(const Node& node, std::string_view name);
const std::vector<int64_t>& integers_attribute(const Node& node, std::string_view name);

/// Per value: the node that makes it, if one does.
std::vector<std::optional<size_t>> producers(const Graph& graph);
/// Per value: the nodes that read it, in order; a node that reads it twice is listed once.
std::vector<std::vector<size_t>> consumers(const Graph& graph);

/// Data of a param of `dtype` with these elements, each of which fits it.
std::vector<uint8_t> integer_data(DType dtype, std::span<const int64_t> elements);
/// Elements of a param's data as i8, u8, i32 or f32 widened to T; InternalError if the dtype is another one.
std::vector<int64_t> integer_elements(const Value& value);
std::vector<float> float_elements(const Value& value);

}  // namespace covenant::compiler::srdfg
