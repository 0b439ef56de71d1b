/// Instruction selection for one compute of a codelet.
#pragma once

#include <map>
#include <vector>

#include "acg/base/result.h"
#include "compiler/families/vliw/selected_compute.h"

namespace covenant::compiler::vliw {

/// Vectors that hold a word in all lanes, by the scalar register that it comes from: valid while that register holds
/// it.
using BroadcastCache = std::map<Name, Name>;

/// Appends the instructions of `wanted` to `to`; sums accumulate. Error: GEN0051 (no instructions for these types;
/// names the capability).
Status select(const SelectedCompute& wanted, Writer& writer, BroadcastCache& broadcasts, std::vector<CodeStep>& to);

/// Initialises a sum: with the compute's last operand, or with the lowest value.
Status start_sum(const SelectedCompute& wanted, Writer& writer, std::vector<CodeStep>& to);

}  // namespace covenant::compiler::vliw
