/// Shapes and lists that operations on tensors have.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "compiler/match/tensors.h"

namespace covenant::compiler::match {

/// The fact of an operation of operands; nothing in it where an operand's is not known, and nothing but that if they do
/// not fit.
///
/// Tensors, `n` a list of one number:
/// - `conv x w strides pads [groups]`: images (N, C, ...) by filters (O, C / groups, ...), pads as those of ONNX;
/// - `dense x w`: rows (..., I) by weights (O, I); `bias_add x b [axis]`; `add mul sub div` of broadcast shapes;
/// - `reshape x list`, `transpose x permutation`, `pad x pads` of the last dimensions, `zeros list`;
/// - `windows x sizes strides`: of the last dimensions; (..., positions, sizes);
/// - `part x [axis, count, index]`, `join [axis] a b`; `stack list` of a list `cons a list`, which ends with `nil`:
/// such a
///   list has the shape of what it is stacked to;
/// - `dot n a b`: of all pairs of rows of n dimensions, (rows of a, rows of b); `reduce_max n x`, `reduce_sum n x`.
///
/// Lists: `shape x`; `flat x n`, the matrix of rows of n dimensions; `outer a b n`, the shape of `dot n a b`;
/// `tail w`, a shape without its first number; `ahead [1] list`, one more number before a list; `count list`;
/// `without list [i]`; `second_last w`, the permutation that has a last dimension of as many as w has come second.
TensorFact fact_of(std::string_view operation, std::span<const TensorFact* const> operands);

/// How many operands an operation has; nothing if it is not known.
std::optional<size_t> operands_of(std::string_view operation);

}  // namespace covenant::compiler::match
