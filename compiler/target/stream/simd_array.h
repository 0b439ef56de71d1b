/// Macro-mnemonics of unit kind simd_array: a nest around one compute becomes one SIMD loop nest
/// (docs/reference/units/simd_array.md).
#pragma once

#include <map>
#include <string>
#include <utility>

#include "acg/base/result.h"
#include "compiler/target/stream/block_plan.h"
#include "compiler/target/stream/nest.h"
#include "compiler/target/stream/step.h"

namespace covenant::compiler::stream {

/// Which entries of the iterator tables and which immediates a block has given out so far: equal values share one.
struct SimdTables {
  std::map<acg::MemoryId, std::map<int64_t, uint32_t>> strides;                     ///< memory -> stride -> entry
  std::map<std::pair<acg::MemoryId, uint32_t>, std::map<int64_t, uint32_t>> bases;  ///< channel -> address -> entry
  std::map<uint32_t, uint32_t> immediates;                                          ///< bits -> slot
  uint32_t first_immediate = 0;  ///< slots below it belong to operations with scalars
};

/// Tables for a codelet: operations with scalars (REQUANT_ADD, REQUANT_MUL, ...) anywhere in it keep the first
/// immediates for themselves.
SimdTables tables_for(const codelet::Codelet& codelet);

/// `nest`: the loops around `compute` that hold nothing else, outermost first.
/// Fails: GEN0004 (too many loops), GEN0005 (misaligned), GEN0010 (the array cannot do the compute, or its addresses
/// depend on a loop that holds more than it), GEN0011 (more iterator entries or immediates than there are).
Result<std::vector<Step>> simd_steps(const BlockPlan& plan, const acg::Machine& machine,
                                     const std::vector<OpenLoop>& open, const std::vector<LoopRange>& nest,
                                     const codelet::Compute& compute, SimdTables& tables);

}  // namespace covenant::compiler::stream
