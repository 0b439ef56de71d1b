/// Finds the capability of a compute node that implements a compute operation of a codelet.
#pragma once

#include <string_view>
#include <vector>

#include "acg/graph/graph.h"
#include "compiler/codelet/codelet.h"

namespace covenant::compiler::codelet {

/// Type of an operand: its dtype, and whether it is a constant.
struct OperandType {
  DType dtype = DType::kI32;
  bool is_constant = false;
  uint64_t elements = 1;  ///< elements of a constant: more than one for a table
};

OperandType type_of(const Constant& constant);

/// True if `capability` implements `name` on these operands. A constant matches only an operand with as many elements;
/// the extents of a product are those of matrices.
bool fits(const acg::Capability& capability, std::string_view name, DType output,
          const std::vector<OperandType>& operands);

/// The best capability of `node` that fits: the one that takes the most elements of the output at once, then of the
/// inputs (a tensor is read as a vector rather than as a scalar), then the first declared. Null if none fits.
const acg::Capability* find_capability(const acg::Compute& node, std::string_view name, DType output,
                                       const std::vector<OperandType>& operands);

}  // namespace covenant::compiler::codelet
