/// Effects of one engine's words, with loops unrolled and settings merged into the commands that use them. Derived from
/// docs/reference/units, independently of code generation: two streams with equal effects do the same.
#pragma once

#include <cstdint>
#include <vector>

#include "acg/graph/graph.h"
#include "acg/operations/operation.h"

namespace covenant::compiler::stream {

/// One executed word in numbers: its position and operation, followed by everything that it depends on (addresses,
/// buffers, strides of loops that advance, types, immediates, bounds) and nothing else.
using WordEffect = std::vector<int64_t>;

/// Every word that the engine executes, in order. Words that only set something have no further content. Stops after
/// `most` executed words.
std::vector<WordEffect> effects(const std::vector<acg::Instruction>& code, const acg::Machine& machine,
                                size_t most = 1'000'000);

}  // namespace covenant::compiler::stream
