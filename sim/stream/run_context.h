/// The context that all engines of a machine share during a run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "acg/graph/graph.h"
#include "acg/isa/encode.h"
#include "sim/run/byte_bounds.h"
#include "sim/stream/channels.h"
#include "sim/stream/common/memory_image.h"
#include "sim/stream/common/region.h"
#include "sim/stream/common/value_queue.h"
#include "sim/stream/race.h"

namespace covenant::sim {

/// References to what all engines of a run use, which must outlive them.
struct RunContext {
  const acg::Machine& machine;
  const acg::Codec& codec;
  MemoryImage& image;
  Channels& channels;
  RaceDetector& races;
  ValueQueue* values = nullptr;  ///< takes the arithmetic; null: cycles alone
  std::vector<bool> is_timed{};  ///< by memory: must be asked when it answers
  uint32_t outstanding = 0;      ///< of AXI masters before such memories; 0: there are none
  bool carries = false;          ///< ports of such memories carry bytes
  bool records = false;
  bool trace = false;
  bool check_races = true;
  uint64_t max_cycles = 0;
  uint32_t block = 0;      ///< the block that runs
  std::string block_name;  ///< "block 3 (conv_1)"
  /// Range of off-chip bytes that may hold the words of the next block, and the stores of this block that touch it.
  uint64_t next_words_low = 0;
  uint64_t next_words_high = 0;
  std::vector<Region> next_stores;
  uint32_t words_memory = 0;  ///< the off-chip memory that holds the instruction words
  ByteBounds stores{};        ///< of the memory of the words, since values were last waited for
  ByteBounds written{};       ///< the same, in the whole run
};

}  // namespace covenant::sim
