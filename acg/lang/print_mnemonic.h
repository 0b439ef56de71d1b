/// Prints mnemonics and packet rules as `.acg` text.
#pragma once

#include <string>

#include "acg/encoding/mnemonic.h"
#include "acg/encoding/packet_rules.h"

namespace covenant::acg::lang {

/// The statement of a mnemonic, with line ends; `rules` are those of the machine.
std::string mnemonic_text(const Mnemonic& mnemonic, const PacketRules& rules);
/// The statement of the packet rules; empty if the machine has no packets.
std::string packet_text(const PacketRules& rules);

/// "LD+M0": the names of the pipes in `mask`. Bits without a pipe are left out.
std::string pipes_text(uint32_t mask, const PacketRules& rules);

}  // namespace covenant::acg::lang
