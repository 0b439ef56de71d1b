/// How many elements a machine writes at once, and how far tensors are padded for it.
#pragma once

#include <cstdint>
#include <vector>

#include "acg/graph/graph.h"

namespace covenant::compiler::codelet {

/// Elements of an operand of this shape: what a node reads or writes at once.
uint64_t elements_of(const std::vector<uint64_t>& shape);

/// Elements that the machine writes at once in this dtype, at most; 1 if it writes none.
uint64_t written_at_once(const acg::Machine& machine, DType dtype);

/// Bytes of the longest vector that the machine writes at once.
uint64_t bytes_at_once(const acg::Machine& machine);

/// True if the machine writes elements of this dtype.
bool is_written(const acg::Machine& machine, DType dtype);

/// The last dimension of a tensor of `size` elements in memory: whole vectors of every node that writes this dtype.
/// Nodes whose vectors do not divide one another meet at the least common multiple of all; a tensor that ends before it
/// has room for one run of vectors of each. `size` itself if nobody writes the dtype.
uint64_t padded_size(const acg::Machine& machine, DType dtype, uint64_t size);

/// Vectors start on a multiple of their own size. Where nodes with vectors of these sizes (bytes) share a local, its
/// rows start on a multiple of the result: 1, as each row is whole vectors of the largest, unless the sizes do not
/// divide one another.
uint64_t row_alignment(const std::vector<uint64_t>& vector_bytes);

}  // namespace covenant::compiler::codelet
