/// Pass that extends constants to cover everything that tiles read.
#pragma once

#include <map>
#include <string>

#include "compiler/codelet/codelet.h"
#include "compiler/network/constant_tensor.h"

namespace covenant::compiler::vliw {

/// Pre: tiled. Post: no transfer reads past the end of one of the `constants`: they are extended by zeros, which is
/// what elements outside of them read as. Transfers into registers cannot fill such elements.
codelet::Codelet with_covered_constants(const codelet::Codelet& tiled,
                                        const std::map<std::string, ConstantTensor>& constants);

}  // namespace covenant::compiler::vliw
