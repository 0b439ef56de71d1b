/// The bytes of one tile transfer, without its timing (docs/reference/units/dma.md).
#pragma once

#include <array>
#include <cstdint>

#include "acg/operations/operation.h"

namespace covenant::sim {

/// Iterations of one inner loop that are inside of its limit: first <= index < end.
struct Inside {
  uint32_t first = 0;
  uint32_t end = 0;
  bool holds(uint32_t index) const { return index >= first && index < end; }
  uint32_t count() const { return end - first; }
};

/// A load or store with every address resolved and checked.
struct TileTransfer {
  bool loads = false;                                       ///< from the far end to the near one
  std::array<uint8_t, 4> fill{};                            ///< pattern that a load writes, repeatedly, for runs
                                                            ///< outside
  uint32_t fill_bytes = 1;                                  ///< near byte a gets byte a mod this
  std::array<uint32_t, acg::kTransferLoops> counts{};       ///< planes, rows, columns
  std::array<int32_t, acg::kTransferLoops> far_strides{};   ///< bytes
  std::array<int64_t, acg::kTransferLoops> near_strides{};  ///< bytes
  uint32_t far = 0;                                         ///< byte of the memory; of a scratchpad: of a buffer
  uint64_t far_buffer = 0;                                  ///< byte at which that begins
  uint64_t near = 0;                                        ///< byte of the whole memory
  uint64_t run_bytes = 0;
  Inside rows;
  Inside columns;
  uint8_t* far_memory = nullptr;  ///< first byte of the memory at either end
  uint8_t* near_memory = nullptr;

  /// Far address of a run, 32 bits, wrapping.
  uint32_t address(uint32_t plane, uint32_t row, uint32_t column) const {
    return far + plane * static_cast<uint32_t>(far_strides[0]) + row * static_cast<uint32_t>(far_strides[1]) +
           column * static_cast<uint32_t>(far_strides[2]);
  }
  uint64_t inside_runs() const { return uint64_t{counts[0]} * rows.count() * columns.count(); }
};

/// Writes the pattern of a fill over bytes of the near memory.
void write_fill(const std::array<uint8_t, 4>& fill, uint32_t fill_bytes, uint8_t* near_memory, uint64_t near,
                uint64_t count);

/// Moves the bytes in the order of the runs: later ones overwrite what earlier ones have written to the same place.
void move_bytes(const TileTransfer& transfer);
inline void compute(const TileTransfer& transfer) { move_bytes(transfer); }

}  // namespace covenant::sim
