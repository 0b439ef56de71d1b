/// Random instruction words: the mnemonics of a random machine as `.acg` text.
#pragma once

#include <string>
#include <vector>

#include "fuzz/draw.h"

namespace covenant::runtime {

/// Names that the fields of words may use, and widths of count fields.
struct WordNames {
  std::vector<std::string> engines;
  std::vector<std::string> scratchpads;  ///< scratchpads whose channels sequencers wait and post for
  std::vector<std::string> addressed;    ///< memories that loop nests address, immediates included
  uint32_t last_bits = 16;               ///< bits of the last index of a loop
  uint32_t run_bits = 16;                ///< bits of the last byte of a run
  uint32_t slot_bits = 2;                ///< bits of a channel number
  uint32_t element_bits = 8;             ///< bits of inputs and weights: 4, 8 or 16
  bool in_fixed_point = false;           ///< sums are scaled so
};

struct RandomWords {
  uint32_t word_bits = 32;
  uint32_t opcode_bits = 4;
  uint32_t table_words = 512;  ///< words that set a whole table of f32
  std::string text;            ///< one `mnemonic` per operation, in any order
};

/// A mnemonic for every operation of the units of which random machines are made (random_unit.h): distinct patterns at
/// random, fields in any order, some wider than they need to be, constants between them. `shape` draws what not every
/// machine has: words of other widths than 32 bits, numbers in other parts than two of 16, words stated by encodings,
/// their bits scattered.
RandomWords random_words(Draw& draw, Draw& shape, const WordNames& names);
/// Words of 32 bits with opcodes, numbers in two parts of 16 bits or more.
RandomWords random_words(Draw& draw, const WordNames& names);

}  // namespace covenant::runtime
