/// Loops around short ones, with these written out: a trip of the whole is then what overlaps with the next one.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "compiler/target/vliw/code.h"
#include "compiler/target/vliw/register_access.h"

namespace covenant::compiler::vliw {

/// The body of a loop as one piece of straight code, each trip of the loops within it after the other. A value of one
/// of these trips has a register of its own, which is added to `registers`; what the next trip reads, or anything but
/// that loop (`uses`: how often the whole code names each register), keeps its own. Nothing if that is more than `most`
/// instructions.
std::optional<std::vector<CodeInstruction>> written_out(const Loop& loop, size_t most, const RegisterAccesses& accesses,
                                                        const std::vector<size_t>& uses,
                                                        std::vector<VirtualRegister>& registers);

}  // namespace covenant::compiler::vliw
