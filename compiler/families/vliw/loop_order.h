/// Pass that orders loops for code in which all of them run.
#pragma once

#include "compiler/codelet/codelet.h"

namespace covenant::compiler::vliw {

/// Pre: tiled. Post: among loops around nothing but a sum of products, the one with most trips is the innermost. Sums
/// wrap, so their order does not matter.
///
///     loop ic(64) { loop kh(3) { loop kw(3) { ... } } }
/// becomes
///     loop kh(3) { loop kw(3) { loop ic(64) { ... } } }
codelet::Codelet with_longest_loops_inside(const codelet::Codelet& tiled);

}  // namespace covenant::compiler::vliw
