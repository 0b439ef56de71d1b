/// Instructions for computes that work lane by lane on one dtype, and for sums of bytes.
#pragma once

#include <vector>

#include "compiler/families/vliw/selected_compute.h"

namespace covenant::compiler::vliw {

/// Appends the instructions of `wanted`; sums accumulate. False if it is none of these.
bool select_lanes(const SelectedCompute& wanted, Writer& writer, std::vector<CodeStep>& to);

/// Sets the initial value of a sum that no operand provides. False if there are no instructions for it.
bool start_lanes(const SelectedCompute& wanted, Writer& writer, std::vector<CodeStep>& to);

}  // namespace covenant::compiler::vliw
