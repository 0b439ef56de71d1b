/// Seventh pass: each transfer stands at the outermost place at which what it moves is fixed.
#pragma once

#include "compiler/codelet/codelet.h"

namespace covenant::compiler {

/// Pre: transfers are inserted; every loop turns at least once.
/// Post: a load stands outside of the loops that do not index what it moves. In each block come allocations, loads,
/// what works on them, and stores, as docs/reference/codelets.md has it; a load does not move in front of a store of an
/// earlier part of the layer. What such a part has loaded for the same nodes, along the same
/// way, is not loaded again. Same tensors, same
/// meaning.
///
///     loop o(2) { loop n(4) { w1=transfer(w[o],"M",[1]); ... } }
/// becomes
///     loop o(2) { w1=transfer(w[o],"M",[1]); loop n(4) { ... } }
///
/// Shown by tests/pass/passes.
codelet::Codelet hoist(const codelet::Codelet& codelet);

}  // namespace covenant::compiler
