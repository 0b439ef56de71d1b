/// Macro-mnemonics of the sequencer, which every engine has: loops, tokens, and the placement of settings.
#pragma once

#include <vector>

#include "acg/base/result.h"
#include "acg/isa/word_limits.h"
#include "acg/operations/operation.h"
#include "compiler/families/stream/step.h"

namespace covenant::compiler::stream {

/// The words of one engine for one block.
///
/// A setting on which all commands of a loop agree is written before the loop; the others are written before their
/// command. Settings come before the waits of their command, so that writing them costs no time if the engine would
/// wait anyway. Settings that already have their value are not written.
///
/// `parts`: the parts in which the machine's words set numbers. Error: GEN0006 (commands of one loop disagree on
/// whether it is a reduction).
Result<std::vector<acg::Instruction>> sequence(const std::vector<Step>& steps, const acg::WordParts& parts);

}  // namespace covenant::compiler::stream
