/// Loops over chunks, written as the paper writes them.
#pragma once

#include "compiler/codelet/codelet.h"

namespace covenant::compiler {

/// `loop n(6) { ... a[n*2] ... }` becomes `loop n(12, stride=2) { ... a[n] ... }`: a loop whose variable is multiplied
/// by one number in all that it indexes counts elements instead of chunks. Pre: bound. Same meaning, at every stage.
/// Shown by tests/golden/figures.
codelet::Codelet stride_loops(const codelet::Codelet& codelet);

}  // namespace covenant::compiler
