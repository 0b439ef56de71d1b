/// Vectors of several rows, for tensors whose channels do not fill one.
#pragma once

#include <string>
#include <vector>

#include "acg/graph/graph.h"
#include "compiler/codelet/codelet.h"

namespace covenant::compiler::codelet {

/// How a compute's vectors take several indices of a loop at once: those of the dimension before the last one.
struct VectorRows {
  int64_t rows = 1;
  std::string variable;        ///< of the loop
  std::vector<int64_t> steps;  ///< by operand, as of codelet::Block
};

/// One row, unless the compute works in registers on more elements than the last dimension of its result has, all
/// results of the codelet lie with row beside row, and no rows are left over. Throws Failure CDL0041: an operand of
/// such a compute lies in another way.
VectorRows vector_rows(const Codelet& codelet, const acg::Machine& machine, const Compute& compute,
                       const acg::Capability& capability, const SourceLocation& where);

}  // namespace covenant::compiler::codelet
