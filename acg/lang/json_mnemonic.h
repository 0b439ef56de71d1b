/// Mnemonics and packet rules in the JSON form of a machine. Include in sources only.
#pragma once

#include "acg/base/json_reader.h"
#include "acg/encoding/mnemonic.h"
#include "acg/encoding/packet_rules.h"
#include "acg/graph/graph.h"

namespace covenant::acg::lang {

Json mnemonic_json(const Mnemonic& mnemonic, const PacketRules& rules);
/// Reads a mnemonic; takes settings and packet rules from `machine`. Throws Failure: the reader's code, ACG0003
/// (unknown operation, kind or pipe).
Mnemonic mnemonic_of(const JsonReader& reader, const Machine& machine);

Json packet_json(const PacketRules& rules);
/// Throws Failure with the reader's code.
PacketRules packet_of(const JsonReader& reader);

}  // namespace covenant::acg::lang
