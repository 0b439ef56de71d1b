/// Register allocation: assigns the machine's registers to virtual ones.
#pragma once

#include "acg/base/result.h"
#include "compiler/families/vliw/packetize.h"

namespace covenant::compiler::vliw {

/// The same packets, with numbers of the machine's registers as operands. Two values share a register only if they are
/// never alive at the same time. Registers in `kept` are not used. Error: GEN0050 (more values at once than the machine
/// has registers; names the file).
Result<std::vector<PacketStep>> allocated(const PacketCode& code, const acg::Machine& machine,
                                          const std::vector<acg::Register>& kept = {});

}  // namespace covenant::compiler::vliw
