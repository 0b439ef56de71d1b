/// A kernel: one operator of a plan, prepared once and run for any number of images.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "compiler/srdfg/graph.h"
#include "compiler/values/simd.h"

namespace covenant::compiler::values {

struct Kernel {
  size_t scratch_bytes = 0;
  /// `inputs`: those inputs of the node that are not params, in order. All tensors are laid out as in layout.h;
  /// `output` and `scratch` are aligned to 64 bytes. Several threads may run it at once.
  std::function<void(std::span<const uint8_t* const> inputs, uint8_t* output, uint8_t* scratch)> run;
};

/// The node that a kernel is prepared for. A kernel keeps no reference to the graph unless stated.
struct Problem {
  const srdfg::Graph& graph;
  const srdfg::Node& node;
  Simd simd = Simd::kPortable;

  const srdfg::Value& input(size_t i) const { return graph.get(node.inputs.at(i)); }
  const srdfg::Value& output() const { return graph.get(node.outputs.at(0)); }
};

/// True if the node has no attributes but `known`. A kernel must refuse a node with attributes that it does not know.
bool has_only(const srdfg::Node& node, std::initializer_list<std::string_view> known);

/// True for an activation of one byte per element, quantised per tensor.
bool is_byte_activation(const srdfg::Value& value);

/// Scale and zero point of a value that is quantised per tensor.
float scale_of(const srdfg::Value& value);
int32_t zero_of(const srdfg::Value& value);

// A kernel for the node, or nothing if there is none for its operation, types or attributes. Each gives the same bytes
// as the reference operator.
std::optional<Kernel> linear_kernel(const Problem& problem);       ///< conv, gemm
std::optional<Kernel> depthwise_kernel(const Problem& problem);    ///< conv of one channel per group
std::optional<Kernel> pool_kernel(const Problem& problem);         ///< max, average, global average
std::optional<Kernel> pair_kernel(const Problem& problem);         ///< add, mul, sub, div, max, min
std::optional<Kernel> elementwise_kernel(const Problem& problem);  ///< lookup, clip, quantize, dequantize
std::optional<Kernel> softmax_kernel(const Problem& problem);
std::optional<Kernel> matmul_kernel(const Problem& problem);
std::optional<Kernel> movement_kernel(const Problem& problem);  ///< reshape, transpose, slice, repeat, pad, concat

/// Runs the reference operator itself. Refers to the graph and the node.
Kernel exact_kernel(const Problem& problem);

}  // namespace covenant::compiler::values
