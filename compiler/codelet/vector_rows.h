/// Vectors that hold several rows, for tensors whose channels do not fill a vector.
#pragma once

#include <string>
#include <vector>

#include "acg/graph/graph.h"
#include "compiler/codelet/codelet.h"

namespace covenant::compiler::codelet {

/// How the vectors of a compute take several indices of a loop at once: the loop over the dimension before the last
/// one.
struct VectorRows {
  int64_t rows = 1;
  std::string variable;        ///< variable of the loop
  std::vector<int64_t> steps;  ///< per operand: `step` of its codelet::Block
};

/// One row, unless the compute works in registers on more elements than the last dimension of its result has, the rows
/// of all results of the codelet follow one another without gaps, and no rows are left over. Throws Failure CDL0041 if
/// an operand of such a compute is laid out differently.
VectorRows vector_rows(const Codelet& codelet, const acg::Machine& machine, const Compute& compute,
                       const acg::Capability& capability, const SourceLocation& where);

}  // namespace covenant::compiler::codelet
