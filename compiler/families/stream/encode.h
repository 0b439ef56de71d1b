/// Encodes the instructions of a block as words for off-chip memory (docs/reference/units/control.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "acg/base/result.h"
#include "acg/isa/encode.h"
#include "compiler/families/stream/block.h"

namespace covenant::compiler::stream {

/// One group per engine that has work, in the order of engines, then BLOCK_END. Errors: ISA0001, ISA0002 (no mnemonic,
/// a value that does not fit), GEN0012 (more words for one engine than its instruction memory holds).
Result<std::vector<acg::InstructionWord>> encode_block(const BlockCode& code, const acg::Machine& machine,
                                                       const acg::Codec& codec, bool is_last, const std::string& layer);

}  // namespace covenant::compiler::stream
