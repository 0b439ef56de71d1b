/// Which capability of a compute node a codelet's compute means.
#pragma once

#include <string_view>
#include <vector>

#include "acg/graph/graph.h"
#include "compiler/codelet/codelet.h"

namespace covenant::compiler::codelet {

/// What is known of an operand of a compute: its dtype, and whether it is a constant.
struct OperandType {
  DType dtype = DType::kI32;
  bool is_constant = false;
  uint64_t elements = 1;  ///< of a constant: a table has several
};

OperandType type_of(const Constant& constant);

/// True if `capability` does `name` on these operands. A constant stands for an operand of as many elements only; a
/// product's extents are those of matrices.
bool fits(const acg::Capability& capability, std::string_view name, DType output,
          const std::vector<OperandType>& operands);

/// The capability of `node` that fits and works on most elements at once: of the output, then of the inputs (a tensor
/// is rather read as a vector than as a scalar), then the first declared. Null if none fits.
const acg::Capability* find_capability(const acg::Compute& node, std::string_view name, DType output,
                                       const std::vector<OperandType>& operands);

}  // namespace covenant::compiler::codelet
