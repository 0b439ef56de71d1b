/// The bursts of a tile transfer, one after the other (docs/reference/off-chip-port.md, "Bursts").
#pragma once

#include <array>
#include <cstdint>

#include "sim/units/tile_transfer.h"

namespace covenant::sim {

/// Beats of a run that are asked for at once; or all beats of a run outside of the limits, which nobody asks for.
struct Burst {
  bool is_inside = false;
  uint64_t beats = 0;
  uint64_t address = 0;           ///< far byte of the first aligned beat; of a run inside
  uint64_t far = 0;               ///< far byte of the first that moves; likewise
  uint64_t near = 0;              ///< byte of the near memory that goes with it
  uint64_t bytes = 0;             ///< that move
  std::array<uint8_t, 4> fill{};  ///< what they hold outside, as in TileTransfer
  uint32_t fill_bytes = 1;
};

class BurstWalk {
 public:
  static constexpr uint64_t kLongest = 16;  ///< beats; numbers that are multiples of it begin a burst

  BurstWalk() = default;
  BurstWalk(const TileTransfer& transfer, uint64_t beat_bytes);

  bool at_end() const { return plane_ == transfer_.counts[0]; }
  /// Precondition: not at the end.
  Burst next();

 private:
  void next_run();

  TileTransfer transfer_;
  uint64_t beat_bytes_ = 1;
  uint32_t plane_ = 0;
  uint32_t row_ = 0;
  uint32_t column_ = 0;
  uint64_t moved_ = 0;  ///< bytes of the run
};

}  // namespace covenant::sim
