/// What a compute takes of a tensor at once.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "acg/graph/graph.h"
#include "compiler/codelet/codelet.h"

namespace covenant::compiler::codelet {

/// Elements along the last dimensions of a reference. Where the last dimension has fewer elements than a vector, the
/// vector may hold several indices of the dimension before it, its rows. They stand in the attributes of the compute:
/// `rows`, and for operand i `step<i>`, if its rows lie further apart in the tensor than in the vector.
struct Block {
  std::vector<int64_t> extents;  ///< of a row, or of all where there is but one
  int64_t rows = 1;
  int64_t step = 1;  ///< indices from row to row; 0: all rows are the same one

  int64_t row_elements() const;
  /// Indices of the dimension before the last one, from the first row to the last.
  int64_t reach() const { return (rows - 1) * step + 1; }
};

/// True if the last dimension of a tensor lies in memory as one row beside the other, or will in a local. Pre: bound.
bool has_rows_side_by_side(const Surrogate& surrogate);

/// How many rows the vectors of a compute have; 0 if its text says something that is no number of rows.
int64_t rows_of(const Compute& compute);

/// Indices from row to row of an operand, if it has rows; 1 if the text says nothing.
int64_t step_of(const Compute& compute, size_t operand);

/// Of the result, or of operand `operand`. What has as many elements as the result has as many rows.
Block block_of(const Compute& compute, std::optional<size_t> operand, const acg::Capability& capability);

/// What it touches of a tensor of so many dimensions, from its first element on.
std::vector<int64_t> touched_by(const Block& block, size_t rank);

/// Says in the attributes of `compute` that its vectors have `rows` rows, `steps[i]` indices of operand i apart.
void set_rows(Compute& compute, int64_t rows, const std::vector<int64_t>& steps);

}  // namespace covenant::compiler::codelet
