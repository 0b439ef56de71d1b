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
  /// Blocks that were done in `cycle` or before.
  uint32_t blocks_by(uint64_t cycle) const;
  /// Beats of each engine at off-chip memory in the first `blocks` of those that have ended.
  template <typename Count>
  void count_beats(uint32_t blocks, Count&& count) const {
    for (size_t k = 0; k < engines_.size(); ++k) {
      const uint64_t beats = blocks == 0 ? 0 : beats_by_[(blocks - 1) * engines_.size() + k];
      if (beats > 0) count(engines_[k], beats);
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
  std::vector<uint64_t> beats_by_;  ///< by block, then engine: beats at off-chip memory up to the end of that block
};

}  // namespace covenant::sim
