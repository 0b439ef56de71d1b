/// Cuts adjacent blocks out of a program, as a program of their own.
///
/// The initial state of a block is off-chip memory alone, so it runs anywhere from its entry address on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "acg/base/result.h"
#include "acg/program/program.h"

namespace covenant::runtime {

/// The last word of a block, as its instruction stream counts them.
inline uint64_t last_word(const acg::Block& block) { return block.first_word + block.words - 1; }

/// Blocks `first` to `last`, both included, as a program of their own, which runs in an image of the whole one. Their
/// words stay where they are; `end_address` is that of the last one, which has to be `end_word` for the run to end.
struct Window {
  acg::Program program;
  uint64_t end_address = 0;
  acg::InstructionWord end_word;
};
Result<Window> window_of(const acg::Program& program, size_t first, size_t last);

/// Lets a run in `memory` end after the window's last block; returns the word that it replaces.
acg::InstructionWord end_stream(const Window& window, std::vector<uint8_t>& memory);
/// After such a run: puts that word back.
void resume_stream(const Window& window, const acg::InstructionWord& word, std::vector<uint8_t>& memory);

}  // namespace covenant::runtime
