/// Tile transfers between off-chip memory and a scratchpad, or between two scratchpads (docs/reference/units/dma.md).
#pragma once

#include <array>
#include <cstdint>

#include "acg/graph/queries.h"
#include "sim/stream/address_generator.h"
#include "sim/stream/command.h"
#include "sim/stream/sequencer.h"
#include "sim/stream/tile_transfer.h"

namespace covenant::sim {

/// The DMA engine of one edge.
class Dma {
 public:
  /// `edge`: index into Machine::edges, one that has `acg::transfer_ends`.
  Dma(const acg::Machine& machine, uint32_t edge);

  void clear();
  /// Cycles from the last beat to the first cycle in which its effect is visible.
  uint64_t depth() const { return depth_; }
  AddressGenerator& generator() { return generator_; }

  void set_limit(const acg::Instruction& word);
  void set_fill(const acg::Instruction& word);
  /// load or store. Faults SIM0030 (a scratchpad), SIM0031 (off-chip), SIM0060.
  /// Its bytes are moved by `context.values`, if there is one.
  CommandTiming transfer(const acg::Instruction& word, const Sequencer& sequencer, CommandContext& context);
  /// The transfer of the last call that was to be kept, and the region that it writes.
  const TileTransfer& last_transfer() const { return last_; }
  const Region& last_written() const { return last_written_; }
  uint64_t beat_bytes() const { return beat_bytes_; }

 private:
  Inside inside(uint32_t origin, acg::Axis axis, uint32_t count) const;
  uint64_t beats(uint64_t address, uint64_t bytes) const;
  void place_far(TileTransfer& transfer, const Sequencer& sequencer, const CommandContext& context) const;
  Region far_region(const TileTransfer& transfer, const CommandContext& context) const;
  [[noreturn]] void raise_far(const TileTransfer& transfer, uint64_t bytes) const;
  uint64_t inside_beats(const TileTransfer& transfer) const;
  void tally(const TileTransfer& transfer, uint64_t runs_inside, uint64_t cycles, CommandContext& context) const;

  acg::TransferEnds ends_;
  uint64_t beat_bytes_;
  uint32_t beat_shift_;  ///< log2 of beat_bytes_ if that is a power of two, else 0
  uint64_t depth_;
  AddressGenerator generator_{AddressGenerator::Unit::kDma};
  std::array<uint32_t, 2> limits_{};
  uint32_t fill_ = 0;
  uint32_t fill_bytes_;
  TileTransfer last_;
  Region last_written_;
};

}  // namespace covenant::sim
