/// Interprets code on virtual registers, one instruction after the other: the reference for its packets.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "compiler/families/vliw/code.h"

namespace covenant::compiler::vliw::testing {

/// Runs `code` on `data` at `address`. `given`: initial scalars, by virtual register.
void interpret(const Code& code, std::span<uint8_t> data, uint32_t address, const std::map<uint32_t, uint32_t>& given);

}  // namespace covenant::compiler::vliw::testing
