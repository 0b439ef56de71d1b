/// Lowers a tiled codelet to instructions on virtual registers.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "compiler/codelet/codelet.h"
#include "compiler/families/vliw/code.h"
#include "compiler/storage/storage.h"

namespace covenant::compiler::vliw {

/// How to address vectors that no offset reaches from another one's pointer: by a pointer each, which advances with the
/// loops, or by a pointer computed from another one at each use. The latter takes more instructions and fewer
/// registers.
enum class Pointers : uint8_t { kOfTheirOwn, kMadeWhereUsed };

/// Loops that move tiles between memory and registers become loops of the code; work within a tile becomes straight
/// code, since registers have no addresses. `addresses`: byte address of the tensor of each surrogate; scales of
/// REQUANT_FIXED are in the form of fixed_scales.h. `views`: storages of tensors that are not rows of whole vectors;
/// tiles may reach into their padding. Errors: GEN0051 (a compute without known instructions), GEN0052 (a tile reaches
/// past its tensor: registers cannot be filled there), GEN0053 (rows of a tile are not whole registers).
Result<Code> lowered(const codelet::Codelet& tiled, const acg::Machine& machine,
                     const std::map<std::string, uint32_t>& addresses, const std::map<std::string, Storage>& views = {},
                     Pointers pointers = Pointers::kOfTheirOwn);

}  // namespace covenant::compiler::vliw
