/// Tile transfers between off-chip memory and a scratchpad, or between two scratchpads (docs/reference/units/dma.md).
#pragma once

#include <array>
#include <cstdint>

#include "acg/graph/queries.h"
#include "sim/stream/common/address_generator.h"
#include "sim/stream/common/unit.h"

namespace covenant::sim {

inline constexpr std::array<AddressedOperand, 4> kDmaOperands{
    {{.name = "offchip", .has_channel = false},
     {.name = "onchip"},
     {.name = "row", .has_channel = false, .has_inner_loops = false},
     {.name = "column", .has_channel = false, .has_inner_loops = false}}};
inline constexpr AddressedUnit kDmaAddresses{acg::AddressOperand::kOffchip, kDmaOperands, acg::kFirstTransferLoop,
                                             acg::kTransferLoops};

/// The DMA engine of one edge.
class Dma final : public Unit {
 public:
  /// `edge`: index into Machine::edges, one that has `acg::transfer_ends`.
  Dma(const acg::Machine& machine, uint32_t edge);

  void clear() override;
  uint64_t depth() const override { return depth_; }
  /// Faults of load and store: SIM0030 (a scratchpad), SIM0031 (off-chip), SIM0060; of others: those of
  /// AddressGenerator.
  CommandTiming execute(const acg::Instruction& word, const Sequencer& sequencer, CommandContext& context) override;
  const KeptTransfer& kept() const override { return kept_; }

 private:
  void set_limit(const acg::Instruction& word);
  void set_fill(const acg::Instruction& word);
  CommandTiming transfer(const acg::Instruction& word, const Sequencer& sequencer, CommandContext& context);
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
  AddressGenerator generator_{kDmaAddresses};
  std::array<uint32_t, 2> limits_{};
  uint32_t fill_ = 0;
  uint32_t fill_bytes_;
  KeptTransfer kept_;
};

extern const UnitRow kDmaRow;

}  // namespace covenant::sim
