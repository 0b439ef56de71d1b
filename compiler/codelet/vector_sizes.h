/// Vector sizes of a machine, and the padding of tensors that follows from them.
#pragma once

#include <cstdint>
#include <vector>

#include "acg/graph/graph.h"

namespace covenant::compiler::codelet {

/// Number of elements of an operand of this shape, which a node reads or writes at once.
uint64_t elements_of(const std::vector<uint64_t>& shape);

/// Most elements of this dtype that the machine writes at once; 1 if it writes none.
uint64_t written_at_once(const acg::Machine& machine, DType dtype);

/// Bytes of the longest vector that the machine writes.
uint64_t bytes_at_once(const acg::Machine& machine);

/// True if the machine writes elements of this dtype.
bool is_written(const acg::Machine& machine, DType dtype);

/// Size of the last dimension in memory of a tensor with `size` elements along it: a multiple of the vectors of every
/// node that writes this dtype. If vectors do not divide one another, this is the least common multiple of all; a
/// tensor shorter than that is padded to the vectors of each. `size` itself if no node writes the dtype.
uint64_t padded_size(const acg::Machine& machine, DType dtype, uint64_t size);

/// Alignment in bytes of the rows of a local that nodes with vectors of these sizes share. Vectors start at multiples
/// of their own size. 1 if the sizes divide one another, since each row is whole vectors of the largest.
uint64_t row_alignment(const std::vector<uint64_t>& vector_bytes);

}  // namespace covenant::compiler::codelet
