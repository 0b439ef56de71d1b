/// Macro-mnemonics put together: the words of every engine for one scheduled codelet.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "acg/isa/operation.h"
#include "compiler/codelet/codelet.h"

namespace covenant::compiler::stream {

/// Instructions per engine, in the order of acg::engines(machine); empty for engines without work.
using BlockCode = std::vector<std::vector<acg::Instruction>>;

/// Every engine gets the slice of the codelet that it executes: its loops are those that hold something of it, and the
/// unit of its node selects the macro-mnemonics that turn transfers and nests into commands.
///
/// Tokens go by scope. The producer of a local waits for a free buffer before its first use of it in the scope that
/// declares it and posts a full one after the last; the consumer waits for the full buffer and posts it free likewise.
/// Since a codelet can be run in the order in which it is written, engines that follow this cannot block each other.
///
/// Precondition: `codelet` is scheduled and verified; `addresses` has the off-chip byte address of each inp and out.
/// Fails with the codes of plan.h, sequencer.h, dma.h, systolic_array.h and simd_array.h; `layer` becomes the subject.
Result<BlockCode> generate(const codelet::Codelet& codelet, const acg::Machine& machine,
                           const std::map<std::string, uint64_t>& addresses, const std::string& layer);

}  // namespace covenant::compiler::stream
