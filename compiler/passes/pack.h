/// Fourth pass, `pack`: lays out constants that a node reads as matrices in the order in which it reads them.
#pragma once

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "compiler/codelet/codelet.h"

namespace covenant::compiler {

/// Pre: mapped. Post: an `inp` that a compute reads as a matrix of rows x columns has the shape [chunks of the last
/// dimension, chunks of the one before, other dimensions..., rows, columns] (`w` [KH,KW,IC,OC] becomes
/// [OCc,ICc,KH,KW,rows,columns]), so that a matrix is one unit of the weight memory and a tile is one long run.
/// `packing` and `logical_shape` describe how to fill it (compiler/codelet/packing.h); a view of memory gets strides in
/// their place. Errors: CDL0042 (the tensor is read in two different layouts), CDL0043 (a view ends within a matrix).
/// Shown by tests/pass/passes.
Result<codelet::Codelet> pack(const codelet::Codelet& codelet, const acg::Machine& machine);

}  // namespace covenant::compiler
