/// Where constants that are packed in matrices are read, for passes that let them lie in another way.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "compiler/codelet/codelet.h"

namespace covenant::compiler::vliw {

inline constexpr size_t kMatrix = 2;  ///< last dimensions, which an instruction takes at once

/// Within a codelet whose operations stay where they are.
struct ConstantTiles {
  std::vector<codelet::Transfer*> transfers;  ///< that make tiles of the constant
  std::vector<codelet::Reference*> operands;  ///< of computes, that read these tiles
};

ConstantTiles tiles_of(codelet::Codelet& tiled, const std::string& constant);

}  // namespace covenant::compiler::vliw
