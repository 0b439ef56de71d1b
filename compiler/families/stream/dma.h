/// Macro-mnemonics of unit kind dma: turns a transfer into one LOAD or STORE (docs/reference/units/dma.md).
#pragma once

#include "acg/base/result.h"
#include "compiler/families/stream/block_plan.h"
#include "compiler/families/stream/nest.h"
#include "compiler/families/stream/step.h"

namespace covenant::compiler::stream {

/// Dimensions that are contiguous on both sides become one run, as long as words can express, the others loops; limits
/// and fill are set for dimensions in which some tile leaves the tensor. Errors: GEN0004 (too many loops), GEN0005
/// (misaligned), GEN0007 (a tile leaves the tensor in more than two dimensions, or before the first channel), GEN0008
/// (a fill that is not one byte repeated), GEN0009 (an extent that is too long to compare with).
Result<std::vector<Step>> dma_steps(const BlockPlan& plan, const acg::Machine& machine,
                                    const std::vector<OpenLoop>& open, const codelet::Transfer& transfer);

}  // namespace covenant::compiler::stream
