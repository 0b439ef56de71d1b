/// The block of a tensor that one compute operation works on at once.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "acg/graph/graph.h"
#include "compiler/codelet/codelet.h"

namespace covenant::compiler::codelet {

/// Extents of a block along the last dimensions of a reference. If the last dimension has fewer elements than a vector,
/// the vector may hold several indices of the dimension before it, called its rows. The attributes of the compute
/// record them: `rows`, and `step<i>` for an operand i whose rows are further apart in the tensor than in the vector.
struct Block {
  std::vector<int64_t> extents;  ///< extents of one row, or of the whole block if it has only one
  int64_t rows = 1;
  int64_t step = 1;  ///< distance between rows in indices; 0: all rows are the same one

  int64_t row_elements() const;
  /// Number of indices of the dimension before the last one, from the first row to the last.
  int64_t reach() const { return (rows - 1) * step + 1; }
};

/// True if the rows of a tensor follow one another in memory without gaps, or will do so in a local. Pre: bound.
bool has_rows_side_by_side(const Surrogate& surrogate);

/// Number of rows in the vectors of a compute; 0 if its attribute is not a valid number of rows.
int64_t rows_of(const Compute& compute);

/// Distance between the rows of an operand in indices; 1 by default.
int64_t step_of(const Compute& compute, size_t operand);

/// The block of operand `operand`, or of the result. An operand with as many elements as the result has as many rows.
Block block_of(const Compute& compute, std::optional<size_t> operand, const acg::Capability& capability);

/// The extents that the block touches, from its first element on, in a tensor of `rank` dimensions.
std::vector<int64_t> touched_by(const Block& block, size_t rank);

/// Sets the attributes of `compute`: its vectors have `rows` rows, which are `steps[i]` indices of operand i apart.
void set_rows(Compute& compute, int64_t rows, const std::vector<int64_t>& steps);

}  // namespace covenant::compiler::codelet
