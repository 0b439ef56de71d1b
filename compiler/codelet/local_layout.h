/// Where the elements of a local lie in its memory: shared by tiling, double buffering and code generation.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "acg/graph/graph.h"
#include "compiler/codelet/codelet.h"

namespace covenant::compiler {

/// A local's rows follow one another. A row is its trailing `vector_rank` dimensions (1; 2 if a node reads it as
/// matrices), dense, rounded up to whole units (codelet::row_alignment: and to more where nodes differ); the leading
/// dimensions count rows, row-major.
struct LocalLayout {
  acg::MemoryId memory;
  DType dtype = DType::kI32;
  std::vector<int64_t> shape;
  size_t vector_rank = 1;
  uint64_t vector_bytes = 0;          ///< the largest vector or matrix that a node reads or writes at once
  uint64_t unit_bytes = 1;            ///< of the memory
  std::vector<uint64_t> bit_strides;  ///< per dimension: from one element to the next
  uint64_t units = 0;                 ///< footprint in one buffer
  uint64_t alignment_units = 1;  ///< vectors, and elements, start on a multiple of their own size: so must the local
};

/// `vector_shapes`: what nodes read or write at once.
LocalLayout local_layout(const acg::Machine& machine, acg::MemoryId memory, DType dtype, std::vector<int64_t> shape,
                         const std::vector<std::vector<uint64_t>>& vector_shapes);

/// The layouts of all locals of a tiled codelet, by name.
std::map<std::string, LocalLayout> local_layouts(const codelet::Codelet& codelet, const acg::Machine& machine);

/// The capability of a located compute; its operands may be surrogates of `codelet` or locals that its transfers make.
/// InternalError if there is none: `verify` first.
const acg::Capability& capability_of(const codelet::Codelet& codelet, const acg::Machine& machine,
                                     const codelet::Compute& compute);

/// Of its tensors, and of the locals that its transfers make. Pre: bound.
std::map<std::string, DType> tensor_dtypes(const codelet::Codelet& codelet);
/// The same capability, where the dtypes are known: for who asks more than once.
const acg::Capability& capability_of(const std::map<std::string, DType>& dtypes, const acg::Machine& machine,
                                     const codelet::Compute& compute);

}  // namespace covenant::compiler
