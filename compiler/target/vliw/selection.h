/// Instructions for one compute of a codelet.
#pragma once

#include <map>
#include <vector>

#include "acg/base/result.h"
#include "compiler/target/vliw/selected_compute.h"

namespace covenant::compiler::vliw {

/// Words that lie in all lanes of a vector, by the scalar register that they come from: as long as that has them.
using SplatWords = std::map<Name, Name>;

/// Writes the instructions of `wanted` to the end of `to`; sums go on. Errors: GEN0051 (no instructions are known for
/// these types; names the capability).
Status select(const SelectedCompute& wanted, Writer& writer, SplatWords& splats, std::vector<Step>& to);

/// Gives a sum its first value: that of the compute's last operand, or the least one.
Status start_sum(const SelectedCompute& wanted, Writer& writer, std::vector<Step>& to);

}  // namespace covenant::compiler::vliw
