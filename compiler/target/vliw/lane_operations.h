/// Instructions for computes that work lane by lane: those of one dtype, and sums of bytes.
#pragma once

#include <vector>

#include "compiler/target/vliw/selected_compute.h"

namespace covenant::compiler::vliw {

/// Appends the instructions of `wanted`; sums go on. False if it is none of these.
bool select_lanes(const SelectedCompute& wanted, Writer& writer, std::vector<Step>& to);

/// Gives a sum its first value, which is no operand's. False if no instructions are known for it.
bool start_lanes(const SelectedCompute& wanted, Writer& writer, std::vector<Step>& to);

}  // namespace covenant::compiler::vliw
