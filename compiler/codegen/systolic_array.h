/// Macro-mnemonics of unit kind systolic_array: a nest around a GEMM becomes one pass
/// (docs/reference/units/systolic_array.md).
#pragma once

#include "acg/base/result.h"
#include "compiler/codegen/nest.h"
#include "compiler/codegen/plan.h"
#include "compiler/codegen/step.h"

namespace covenant::compiler::codegen {

/// `nest`: the loops around `compute` that hold nothing else, outermost first.
/// Fails: GEN0004 (too many loops), GEN0005 (misaligned), GEN0010 (the machine's array cannot do the compute).
Result<std::vector<Step>> systolic_steps(const Plan& plan, const acg::Machine& machine,
                                         const std::vector<OpenLoop>& open, const std::vector<LoopRange>& nest,
                                         const codelet::Compute& compute);

}  // namespace covenant::compiler::codegen
