/// Constants for vectors of several rows.
#pragma once

#include "acg/graph/graph.h"
#include "compiler/codelet/codelet.h"
#include "compiler/network/network.h"

namespace covenant::compiler {

/// Where the channels of a layer's results fill a vector only several times over and their pixels lie side by side,
/// constants of one row for each channel that is no whole register become as many equal rows as a vector has. For
/// machines whose compute nodes work in registers.
void repeat_rows(codelet::Codelet& bound, const NetworkLayer& layer, const acg::Machine& machine);

}  // namespace covenant::compiler
