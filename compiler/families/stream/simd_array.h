/// Macro-mnemonics of unit kind simd_array: turns a nest around one compute into one SIMD loop nest
/// (docs/reference/units/simd_array.md).
#pragma once

#include <map>
#include <string>
#include <utility>

#include "acg/base/result.h"
#include "compiler/families/stream/block_plan.h"
#include "compiler/families/stream/nest.h"
#include "compiler/families/stream/step.h"

namespace covenant::compiler::stream {

/// The entries of the iterator tables and the immediates that a block has used so far: equal values share one.
struct SimdTables {
  std::map<acg::MemoryId, std::map<int64_t, uint32_t>> strides;                     ///< memory -> stride -> entry
  std::map<std::pair<acg::MemoryId, uint32_t>, std::map<int64_t, uint32_t>> bases;  ///< channel -> address -> entry
  std::map<uint32_t, uint32_t> immediates;                                          ///< bits -> slot
  uint32_t first_immediate = 0;  ///< lower slots are reserved for operations with scalars
};

/// Tables for a codelet. If it contains operations with scalars (REQUANT_ADD, REQUANT_MUL, ...), the first immediates
/// are reserved for them.
SimdTables tables_for(const codelet::Codelet& codelet);

/// `nest`: the loops of the perfect nest around `compute`, outermost first. Errors: GEN0004 (too many loops), GEN0005
/// (misaligned), GEN0010 (the array cannot execute the compute, or its addresses depend on a loop that contains more
/// than it), GEN0011 (more iterator entries or immediates than there are).
Result<std::vector<Step>> simd_steps(const BlockPlan& plan, const acg::Machine& machine,
                                     const std::vector<OpenLoop>& open, const std::vector<LoopRange>& nest,
                                     const codelet::Compute& compute, SimdTables& tables);

}  // namespace covenant::compiler::stream
