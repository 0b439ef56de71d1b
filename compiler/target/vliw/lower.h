/// From a tiled codelet to instructions on virtual registers.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "compiler/codelet/codelet.h"
#include "compiler/network/storage.h"
#include "compiler/target/vliw/code.h"

namespace covenant::compiler::vliw {

/// Of vectors that no offset reaches from another one's pointer: a pointer each, which moves with the loops, or one
/// that is made of another one where it is used. That takes more instructions, and fewer registers.
enum class Pointers : uint8_t { kOfTheirOwn, kMadeWhereUsed };

/// A loop that moves tiles between memory and registers is a loop of the code; what works within a tile is straight
/// code, since registers have no addresses. Tensors lie at `addresses`, byte addresses by surrogate; scales of
/// REQUANT_FIXED as scales.h has them. `views`: storages of those that are no rows of whole vectors; where they have
/// padding, tiles may reach into it.
/// Errors: GEN0051 (a compute for which no instructions are known), GEN0052 (a tile reaches past its tensor: in
/// registers nothing stands for what is not there), GEN0053 (rows of a tile are no whole registers).
Result<Code> lowered(const codelet::Codelet& tiled, const acg::Machine& machine,
                     const std::map<std::string, uint32_t>& addresses, const std::map<std::string, Storage>& views = {},
                     Pointers pointers = Pointers::kOfTheirOwn);

}  // namespace covenant::compiler::vliw
