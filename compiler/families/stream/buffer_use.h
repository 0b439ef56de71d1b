/// Reports how much of the scratchpads the tiles of a layer fill.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "acg/program/program.h"

namespace covenant::compiler::stream {

/// Per memory that the block uses: bytes of one buffer, from its start to the end of its last tile. Precondition: the
/// block's codelet has been buffered.
std::map<std::string, uint64_t> buffer_use(const acg::Program& program, size_t block);

}  // namespace covenant::compiler::stream
