/// Finds where a codelet reads constants that are packed as matrices, for passes that change their layout.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "compiler/codelet/codelet.h"

namespace covenant::compiler::vliw {

inline constexpr size_t kMatrix = 2;  ///< last dimensions, which an instruction takes at once

/// Pointers into a codelet whose operations must not move.
struct ConstantTiles {
  std::vector<codelet::Transfer*> transfers;  ///< transfers that make tiles of the constant
  std::vector<codelet::Reference*> operands;  ///< operands of computes that read these tiles
};

ConstantTiles tiles_of(codelet::Codelet& tiled, const std::string& constant);

}  // namespace covenant::compiler::vliw
