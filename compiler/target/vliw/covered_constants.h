/// Constants reach as far as tiles read them.
#pragma once

#include <map>
#include <string>

#include "compiler/codelet/codelet.h"
#include "compiler/network/constants.h"

namespace covenant::compiler::vliw {

/// Pre: tiled. Post: no transfer reads past the end of one of the `constants`: it has grown, by zeros, which is what
/// elements outside of it read as. What moves tiles into registers cannot fill them.
codelet::Codelet with_covered_constants(const codelet::Codelet& tiled,
                                        const std::map<std::string, ConstantTensor>& constants);

}  // namespace covenant::compiler::vliw
