/// What the words of one engine mean once loops are unrolled and settings have become part of the commands they serve.
/// Worked out from docs/reference/units, independently of code generation: two streams of equal meaning do the same.
#pragma once

#include <cstdint>
#include <vector>

#include "acg/graph/graph.h"
#include "acg/isa/operation.h"

namespace covenant::compiler::stream {

/// One executed word, in numbers: its position and operation, then everything it depends on (addresses, buffers,
/// strides of loops that advance, types, immediates, bounds) and nothing it does not.
using Deed = std::vector<int64_t>;

/// Every word that the engine executes, in order. Words that only set something are deeds without content.
/// Limited to `most` executed words: a longer stream ends there.
std::vector<Deed> meaning(const std::vector<acg::Instruction>& code, const acg::Machine& machine,
                          size_t most = 1'000'000);

}  // namespace covenant::compiler::stream
