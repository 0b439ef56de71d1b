/// Random machines of the GeneSys family, for comparing the models with one another.
///
/// Drawn: rows, columns and lanes (2..24, all different; in most machines the lanes divide the columns or the columns
/// the lanes), depths (odd), number of buffers, widths and granularities of banks, the width of every off-chip port
/// (32..512 bits, separately; in one machine of three most of them share one of two buses), latencies (off-chip 1..60,
/// capabilities 1..9), optional nodes and edges, the order of all declarations, the words (random_words.h), and the
/// memories on the paths of tiles (stream/random_memories.h). Two machines of seven have a second systolic array, or a
/// second SIMD array with possibly fewer capabilities, of the same size and with memories of its own; apart from words
/// and clock, the rest of such a machine is drawn as without it. One of three machines that may lack capabilities
/// scales sums in fixed point.
#pragma once

#include <cstdint>
#include <string>

#include "acg/graph/graph.h"

namespace covenant::runtime {

struct RandomMachine {
  std::string text;  ///< an `.acg` file that loads as `machine`: what reproduces a failure
  acg::Machine machine;
};

/// Machine `index` of `seed`; equal arguments give equal machines, everywhere. Named `random`. One of eight lacks some
/// capabilities, if it `may_lack` any.
RandomMachine random_machine(uint64_t seed, uint64_t index, bool may_lack = true);

}  // namespace covenant::runtime
