/// Machines whose instruction words are wider, or come in other beats.
#pragma once

#include <cstdint>
#include <variant>

#include "acg/encoding/instruction_word.h"
#include "acg/graph/queries.h"

namespace covenant::sim::testing {

/// The same fields below the opcode, and reserved bits below them. Precondition: the words are stated by opcodes.
inline acg::Machine with_words(acg::Machine machine, uint32_t word_bits, uint32_t beat_bits) {
  machine.word_bits = word_bits;
  for (acg::Memory& memory : machine.memories) {
    if (memory.kind == acg::MemoryKind::kInstruction) memory.data_width = word_bits;
  }
  for (acg::Edge& edge : machine.edges) {
    const auto* to = std::get_if<acg::MemoryId>(&edge.to);
    if (to != nullptr && get(machine, *to).kind == acg::MemoryKind::kInstruction) edge.bandwidth = beat_bits;
  }
  return machine;
}

}  // namespace covenant::sim::testing
