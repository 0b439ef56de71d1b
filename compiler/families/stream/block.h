/// Code generation for one scheduled codelet: the instructions of every engine.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "acg/operations/operation.h"
#include "compiler/codelet/codelet.h"

namespace covenant::compiler::stream {

/// Instructions per engine, in the order of acg::engines(machine); empty for engines without work.
using BlockCode = std::vector<std::vector<acg::Instruction>>;

/// Every engine gets its slice of the codelet: the loops that contain something it executes. The unit of its node
/// selects the macro-mnemonics that turn transfers and nests into commands.
///
/// Tokens follow scopes. The producer of a local waits for a free buffer before its first use of it in the scope that
/// declares it, and posts a full one after the last; the consumer waits for the full buffer and posts it free likewise.
/// Since a codelet can run in the order in which it is written, engines that follow this rule cannot deadlock.
///
/// Precondition: `codelet` is scheduled and verified; `addresses` has the off-chip byte address of each inp and out.
/// Errors: those of block_plan.h, sequencer.h, dma.h, systolic_array.h and simd_array.h, with `layer` as the subject.
Result<BlockCode> generate(const codelet::Codelet& codelet, const acg::Machine& machine,
                           const std::map<std::string, uint64_t>& addresses, const std::string& layer);

}  // namespace covenant::compiler::stream
