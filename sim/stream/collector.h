/// Gathers statistics block by block.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "acg/program/program.h"
#include "sim/stats/statistics.h"
#include "sim/stream/channels.h"
#include "sim/stream/engine.h"
#include "sim/stream/fetch.h"

namespace covenant::sim {

class Collector {
 public:
  /// All arguments must outlive the collector.
  Collector(const acg::Program& program, const Channels& channels, const std::vector<Engine>& engines);

  /// A block has ended: `times` of its fetch, the cycle its engines started in, the cycle it was done in.
  void end_block(const FetchedBlock& fetched, const FetchUnit& fetch, uint64_t start, uint64_t done);
  /// For the blocks that have ended: their number, and beats of each engine at off-chip memory.
  uint32_t blocks() const { return static_cast<uint32_t>(statistics_.blocks.size()); }
  template <typename Count>
  void count_beats(Count&& count) const {
    for (size_t k = 0; k < engines_.size(); ++k) {
      if (tallies_[k].asked_beats > 0) count(engines_[k], tallies_[k].asked_beats);
    }
  }
  /// The run has ended. Call once.
  Statistics finish(const FetchUnit& fetch);

 private:
  const Engine* main_engine() const;
  void append(size_t engine, const Tally& tally, std::vector<AccessStatistics>& accesses,
              std::vector<OffchipStatistics>& offchip) const;
  void note_parts(uint32_t block, const OffchipStatistics& fetched);
  void split_cycles(BlockStatistics& block, const Engine& engine) const;

  const acg::Program& program_;
  const Channels& channels_;
  const std::vector<Engine>& engines_;
  uint64_t done_before_ = 0;
  OffchipStatistics instructions_;
  std::vector<uint64_t> header_words_;  ///< groups, block_ends
  Statistics statistics_;
  std::vector<Tally> tallies_;
};

}  // namespace covenant::sim
