/// The names of the compiler's stages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/driver/families.h"

namespace covenant::compiler {

/// srdfg normalized bound fused placed mapped packed scheduled strip_mined transferred tiled, then those of families:
/// buffered, virtual packets; and assembly.
std::vector<std::string> stage_names(Families families = known_families());

/// The stage that a pass makes, given its verb: `hoist` (or `tile`) gives `tiled`. Other words are returned unchanged.
std::string_view stage_named(std::string_view name_or_verb);

}  // namespace covenant::compiler
