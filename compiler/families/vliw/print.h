/// Prints the code of a core that issues packets as text.
#pragma once

#include <string>
#include <vector>

#include "acg/graph/graph.h"
#include "compiler/families/vliw/packetize.h"
#include "compiler/network/network.h"
#include "compiler/network/stage_text.h"

namespace covenant::compiler::vliw {

/// One line for each instruction, as an assembler writes it but with virtual registers: `%v3` for a register or a whole
/// pair, `%v3.lower` and `%v3.upper` for the halves of a pair. `repeat 7:` precedes the body of a loop. The target of
/// branches and of set-ups of loops is printed as `loop`, the beginning of one.
std::string print(const Code& code, const acg::Machine& machine);

/// The same in packets, one line for each. Loops are `loop0:` and `loop1:` if hardware counts their trips, otherwise
/// `branch:`.
std::string print(const PacketCode& code, const acg::Machine& machine);

/// `codes[i]` is that of `network.layers[i]`. All arguments must outlive the result.
StageText stage_text(const Network& network, const std::vector<Code>& codes, const acg::Machine& machine);
StageText stage_text(const Network& network, const std::vector<PacketCode>& codes, const acg::Machine& machine);

}  // namespace covenant::compiler::vliw
