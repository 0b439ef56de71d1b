/// Decides which loops of a tiled codelet become loops of the code.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "compiler/codelet/codelet.h"

namespace covenant::compiler::vliw {

int64_t trips_of(const codelet::Loop& loop);

/// True for loops that move tiles: they become loops of the code; the others are written out.
bool is_turned(const codelet::Loop& loop);

/// True if the local is used in loops of the code, where it would be loaded over and over.
bool is_used_again(const std::string& local, std::span<const codelet::Operation> after);

}  // namespace covenant::compiler::vliw
