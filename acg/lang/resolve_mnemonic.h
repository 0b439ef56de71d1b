/// MnemonicSpec -> Mnemonic, PacketSpec -> PacketRules.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "acg/graph/graph.h"
#include "acg/graph/places.h"
#include "acg/isa/mnemonic.h"
#include "acg/isa/packet_rules.h"
#include "acg/lang/spec.h"

namespace covenant::acg::lang {

/// Notes the places of its fields and of its `does`. Throws Failure: ACG0003 (unknown operation or pipe),
/// ACG0009..ACG0011, ACG0013, ACG0014 (no `does`; neither opcode nor encoding), ACG0060 (both of them, or a field of an
/// encoding that names no letter).
/// Of `machine` it takes settings and packet rules; `parameters` is what expressions may name.
Mnemonic resolve_mnemonic(const MnemonicSpec& said, const Machine& machine,
                          const std::map<std::string, int64_t>& parameters, Places& places);

/// Notes the places of its attributes. Throws Failure: ACG0003, ACG0004, ACG0009..ACG0011, ACG0013, ACG0014.
PacketRules resolve_packet(const PacketSpec& said, const std::map<std::string, int64_t>& parameters, Places& places);

}  // namespace covenant::acg::lang
