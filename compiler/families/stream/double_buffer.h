/// Pass `double_buffer`, the last one: assigns every local a channel of its memory and a place in one buffer.
#pragma once

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "compiler/codelet/codelet.h"

namespace covenant::compiler::stream {

/// Pre: tiled. Post: every local has a `slot` (below the memory's `channels`, in order of appearance; one per local,
/// except that locals which a single node writes and reads share one) and an `offset`, its first unit in a buffer;
/// locals of one memory do not overlap, and those with larger vectors come first so that all are aligned. Buffers
/// alternate at run time: while one is computed on, the other is filled. Errors: CDL0060 (more locals in a memory than
/// it has channels), CDL0061 (they do not fit one buffer). Shown by tests/pass/passes.
Result<codelet::Codelet> double_buffer(const codelet::Codelet& codelet, const acg::Machine& machine);

}  // namespace covenant::compiler::stream
