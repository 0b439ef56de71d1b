/// Instructions that requantise sums and bytes to bytes, in fixed point (docs/reference/numerics.md).
#pragma once

#include <vector>

#include "compiler/families/vliw/selected_compute.h"

namespace covenant::compiler::vliw {

/// Appends the instructions of a REQUANT_FIXED, REQUANT_ADD_FIXED or REQUANT_MUL_FIXED. False if there are none for its
/// types and sizes.
bool select_requantization(const SelectedCompute& wanted, Writer& writer, std::vector<CodeStep>& to);

}  // namespace covenant::compiler::vliw
