/// Code of a core that issues packets as text for people.
#pragma once

#include <string>
#include <vector>

#include "acg/graph/graph.h"
#include "compiler/network/network.h"
#include "compiler/network/stage_text.h"
#include "compiler/target/vliw/packets.h"

namespace covenant::compiler::vliw {

/// One line for each instruction, as an assembler writes it, but with virtual registers: `%v3`, of a pair all of it
/// `%v3`, its halves `%v3.lower` and `%v3.upper`. `repeat 7:` stands before the body of a loop. Where a branch or the
/// set-up of a loop leads is `loop`: to the beginning of one.
std::string print(const Code& code, const acg::Machine& machine);

/// The same in packets, one line for each. Loops are `loop0:` and `loop1:` where hardware counts their trips, else
/// `branch:`.
std::string print(const PacketCode& code, const acg::Machine& machine);

/// `codes[i]` is that of `network.layers[i]`. What a text shows must outlive it.
StageText stage_text(const Network& network, const std::vector<Code>& codes, const acg::Machine& machine);
StageText stage_text(const Network& network, const std::vector<PacketCode>& codes, const acg::Machine& machine);

}  // namespace covenant::compiler::vliw
