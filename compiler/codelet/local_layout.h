/// Layout of a local in its memory, shared by tiling, double buffering and code generation.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "acg/graph/graph.h"
#include "compiler/codelet/codelet.h"

namespace covenant::compiler {

/// The rows of a local follow one another in memory. A row is its trailing `vector_rank` dimensions (1; 2 if a node
/// reads it as matrices), dense, rounded up to whole units (or further by codelet::row_alignment if nodes differ). The
/// leading dimensions count rows in row-major order.
struct LocalLayout {
  acg::MemoryId memory;
  DType dtype = DType::kI32;
  std::vector<int64_t> shape;
  size_t vector_rank = 1;
  uint64_t vector_bytes = 0;          ///< the largest vector or matrix that a node reads or writes at once
  uint64_t unit_bytes = 1;            ///< bytes of one unit of the memory
  std::vector<uint64_t> bit_strides;  ///< per dimension: distance in bits between adjacent elements
  uint64_t units = 0;                 ///< footprint in one buffer
  uint64_t alignment_units = 1;  ///< start alignment of the local: vectors and elements start at multiples of their own
                                 ///< size
};

/// The layout of one local. `vector_shapes`: the vectors or matrices that nodes read or write at once.
LocalLayout local_layout(const acg::Machine& machine, acg::MemoryId memory, DType dtype, std::vector<int64_t> shape,
                         const std::vector<std::vector<uint64_t>>& vector_shapes);

/// The layouts of all locals of a tiled codelet, by name.
std::map<std::string, LocalLayout> local_layouts(const codelet::Codelet& codelet, const acg::Machine& machine);

/// The capability of a located compute, whose operands may be surrogates of `codelet` or locals made by its transfers.
/// InternalError if there is none: call `verify` first.
const acg::Capability& capability_of(const codelet::Codelet& codelet, const acg::Machine& machine,
                                     const codelet::Compute& compute);

/// Dtypes of the tensors of a codelet and of the locals that its transfers make. Pre: bound.
std::map<std::string, DType> tensor_dtypes(const codelet::Codelet& codelet);
/// The same with known dtypes, for repeated calls.
const acg::Capability& capability_of(const std::map<std::string, DType>& dtypes, const acg::Machine& machine,
                                     const codelet::Compute& compute);

}  // namespace covenant::compiler
