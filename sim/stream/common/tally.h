/// Counters of an engine: memory accesses by operand, off-chip bytes, operations.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "acg/operations/operation.h"

namespace covenant::sim {

/// Units of a memory (docs/reference/units/scratchpad.md) that one operand of an engine has read and written.
struct OperandAccesses {
  uint32_t memory = 0;
  size_t operand = 0;  ///< number among those that the unit kind counts (UnitRow::operands)
  uint64_t reads = 0;
  uint64_t writes = 0;
};

struct Tally {
  std::vector<OperandAccesses> accesses;
  uint64_t offchip_bytes_read = 0;  ///< requested bytes; beats fetch whole aligned words
  uint64_t offchip_bytes_written = 0;
  uint64_t offchip_beats = 0;                               ///< port cycles, those of filled runs included
  uint64_t asked_beats = 0;                                 ///< of these, beats of off-chip memory
  uint64_t bytes_filled = 0;                                ///< bytes outside the limits
  std::array<uint64_t, acg::kOperationCount> words{};       ///< executed words
  std::array<uint64_t, acg::kOperationCount> operations{};  ///< what those words have done, padding included
  std::array<uint64_t, acg::kOperationCount> in_f32{};      ///< of these, those in single precision

  void count(uint32_t memory, size_t operand, uint64_t reads, uint64_t writes);
  /// Adds what another tally has counted.
  void add(const Tally& other);
};

}  // namespace covenant::sim
