/// Writes out the short loops inside of a loop, so that the trips of the outer loop can overlap.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "compiler/families/vliw/code.h"
#include "compiler/families/vliw/register_access.h"

namespace covenant::compiler::vliw {

/// The body of a loop as straight code, with all trips of its inner loops one after the other. A value of one of these
/// trips gets a register of its own, which is added to `registers`; registers that the next trip reads, or that other
/// code names, are kept (`uses`: how often the whole code names each register). Nothing if the result has more than
/// `most` instructions.
std::optional<std::vector<CodeInstruction>> written_out(const CodeLoop& loop, size_t most,
                                                        const RegisterAccesses& accesses,
                                                        const std::vector<size_t>& uses,
                                                        std::vector<VirtualRegister>& registers);

}  // namespace covenant::compiler::vliw
