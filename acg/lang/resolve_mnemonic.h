/// Resolves mnemonics and packet rules: MnemonicSpec -> Mnemonic, PacketSpec -> PacketRules.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "acg/encoding/mnemonic.h"
#include "acg/encoding/packet_rules.h"
#include "acg/graph/graph.h"
#include "acg/graph/places.h"
#include "acg/lang/spec.h"

namespace covenant::acg::lang {

/// Records the source locations of its fields and of its `does`. Takes settings and packet rules from `machine`;
/// `parameters` are the names that expressions may use. Throws Failure: ACG0003 (unknown operation or pipe),
/// ACG0009..ACG0011, ACG0013, ACG0014 (no `does`; neither opcode nor encoding), ACG0060 (both of them, or a field of an
/// encoding that names no letter).
Mnemonic resolve_mnemonic(const MnemonicSpec& said, const Machine& machine,
                          const std::map<std::string, int64_t>& parameters, Places& places);

/// Records the source locations of its attributes. Throws Failure: ACG0003, ACG0004, ACG0009..ACG0011, ACG0013,
/// ACG0014.
PacketRules resolve_packet(const PacketSpec& said, const std::map<std::string, int64_t>& parameters, Places& places);

}  // namespace covenant::acg::lang
