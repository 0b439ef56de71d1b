/// Seventh pass, `hoist`: moves each transfer to the outermost place at which its operand is fixed.
#pragma once

#include "compiler/codelet/codelet.h"

namespace covenant::compiler {

/// Pre: transfers are inserted; every loop has at least one iteration.
/// Post: loads are outside of the loops that do not index what they move. The order in each block is allocations,
/// loads, the work on them, and stores, as described in docs/reference/codelets.md; a load does not move before a store
/// of an earlier part of the layer. What such a part has loaded for the same nodes, along the same path, is not loaded
/// again. Same tensors, same meaning.
///
///     loop o(2) { loop n(4) { w1=transfer(w[o],"M",[1]); ... } }
/// becomes
///     loop o(2) { w1=transfer(w[o],"M",[1]); loop n(4) { ... } }
///
/// Shown by tests/pass/passes.
codelet::Codelet hoist(const codelet::Codelet& codelet);

}  // namespace covenant::compiler
