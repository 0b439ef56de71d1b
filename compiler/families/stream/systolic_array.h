/// Macro-mnemonics of unit kind systolic_array: turns a nest around a GEMM into one pass
/// (docs/reference/units/systolic_array.md).
#pragma once

#include "acg/base/result.h"
#include "compiler/families/stream/block_plan.h"
#include "compiler/families/stream/nest.h"
#include "compiler/families/stream/step.h"

namespace covenant::compiler::stream {

/// `nest`: the loops of the perfect nest around `compute`, outermost first. Errors: GEN0004 (too many loops), GEN0005
/// (misaligned), GEN0010 (the machine's array cannot execute the compute).
Result<std::vector<Step>> systolic_steps(const BlockPlan& plan, const acg::Machine& machine,
                                         const std::vector<OpenLoop>& open, const std::vector<LoopRange>& nest,
                                         const codelet::Compute& compute);

}  // namespace covenant::compiler::stream
