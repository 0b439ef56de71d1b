/// Repeats the rows of constants for vectors of several rows.
#pragma once

#include "acg/graph/graph.h"
#include "compiler/codelet/codelet.h"
#include "compiler/network/network.h"

namespace covenant::compiler {

/// If vectors are a multiple of the channels of a layer's results, and pixels are adjacent, constants with one row for
/// each channel that are not whole registers are repeated to as many equal rows as a vector has. For machines whose
/// compute nodes work in registers.
void repeat_rows(codelet::Codelet& bound, const NetworkLayer& layer, const acg::Machine& machine);

}  // namespace covenant::compiler
