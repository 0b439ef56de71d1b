/// Registers of the machine for virtual ones.
#pragma once

#include "acg/base/result.h"
#include "compiler/target/vliw/packets.h"

namespace covenant::compiler::vliw {

/// The same packets, their operands numbers of the machine's registers. Two values share a register if none of them is
/// there while the other one is. Registers of `kept` are nobody's. Errors: GEN0050 (more values at once than the
/// machine has registers; names the file).
Result<std::vector<PacketStep>> allocated(const PacketCode& code, const acg::Machine& machine,
                                          const std::vector<acg::Register>& kept = {});

}  // namespace covenant::compiler::vliw
