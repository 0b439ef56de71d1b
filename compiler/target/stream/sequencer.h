/// Macro-mnemonics of the sequencer that every engine has: loops, tokens, and where settings are written.
#pragma once

#include <vector>

#include "acg/base/result.h"
#include "acg/isa/operation.h"
#include "acg/isa/word_limits.h"
#include "compiler/target/stream/step.h"

namespace covenant::compiler::stream {

/// The words of one engine for one block.
///
/// A setting on which all commands of a loop agree is written before the loop; the others are written before their
/// command. Settings come before the waits of the command they serve, so that writing them costs no time while the
/// engine would wait anyway. No word is written for what is already so.
///
/// `parts`: in which the machine's words set numbers. Fails (GEN0006) if the commands of one loop disagree whether it
/// is a reduction.
Result<std::vector<acg::Instruction>> sequence(const std::vector<Step>& steps, const acg::WordParts& parts);

}  // namespace covenant::compiler::stream
