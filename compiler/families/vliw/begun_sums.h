/// Sums are initialised before the first operation that adds to them, in the block where they are allocated.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "compiler/codelet/codelet.h"
#include "compiler/families/vliw/register_tiles.h"
#include "compiler/families/vliw/tile_places.h"

namespace covenant::compiler::vliw {

/// Initialises one sum, the destination of `compute`.
using BeginSum = std::function<void(const codelet::Compute& compute, const SourceLocation& where)>;

/// Calls `begin` once for each sum to which `operation`, or what it holds, adds, and which is not initialised yet. Such
/// tiles are marked as started.
void begin_sums(const codelet::Operation& operation, std::map<std::string, RegisterTile>& tiles, TilePlaces& places,
                const BeginSum& begin);

}  // namespace covenant::compiler::vliw
