/// MnemonicSpec -> Mnemonic.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "acg/graph/places.h"
#include "acg/isa/mnemonic.h"
#include "acg/lang/spec.h"

namespace covenant::acg::lang {

/// Notes the places of its fields and of its `does`. Throws Failure: ACG0003 (unknown operation), ACG0009..ACG0011,
/// ACG0013, ACG0014 (no `does`).
Mnemonic resolve_mnemonic(const MnemonicSpec& said, const std::map<std::string, int64_t>& parameters, Places& places);

}  // namespace covenant::acg::lang
