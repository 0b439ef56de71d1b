/// Reads numbers and instruction words from nets of the Verilated top. Compiled into every model.
#pragma once

#include <cstdint>
#include <cstring>

#include "acg/encoding/instruction_word.h"

namespace covenant::rtl {

/// One of several numbers side by side.
template <class T>
T element(const uint8_t* bytes, uint64_t index) {
  T value;
  std::memcpy(&value, bytes + index * sizeof(T), sizeof(T));
  return value;
}

/// The word of `count` bytes, lowest first.
inline acg::InstructionWord word_of(const uint8_t* bytes, unsigned count) {
  acg::InstructionWord word;
  for (unsigned i = 0; i < count; ++i) word |= acg::InstructionWord(bytes[i]) << (8 * i);
  return word;
}

}  // namespace covenant::rtl
