/// Walks over the bursts of a tile transfer (docs/reference/off-chip-port.md, "Bursts").
#pragma once

#include <array>
#include <cstdint>

#include "sim/stream/common/tile_transfer.h"

namespace covenant::sim {

/// Beats of a run that are requested together; or all beats of a run outside of the limits, which are not requested.
struct Burst {
  bool is_inside = false;
  uint64_t beats = 0;
  uint64_t address = 0;           ///< for a run inside: far address of its first aligned beat
  uint64_t far = 0;               ///< for a run inside: far address of the first byte that moves
  uint64_t near = 0;              ///< byte of the near memory that goes with it
  uint64_t bytes = 0;             ///< bytes that move
  std::array<uint8_t, 4> fill{};  ///< fill pattern for a burst outside of the limits, as in TileTransfer
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
