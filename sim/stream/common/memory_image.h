/// The contents of all memories of a machine during one run.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "acg/program/program.h"

namespace covenant::sim {

/// Scratchpads are flat byte arrays: byte b of buffer k is byte `k * buffer_bytes + b`
/// (docs/reference/units/scratchpad.md).
class MemoryImage {
 public:
  /// All scratchpads start with acg::initial_byte of `seed`: at zero, if that is 0. `offchip`, the program's image,
  /// must outlive this one; it is all that the caller sees.
  MemoryImage(const acg::Program& program, std::vector<uint8_t>& offchip, uint64_t seed);
  /// An image for runs without values: words are read from `offchip`; nothing can be written, and scratchpads have no
  /// bytes.
  MemoryImage(const acg::Program& program, const std::vector<uint8_t>& offchip);

  /// Like the first one, for off-chip memories whose bytes are in `offchip`, by number.
  MemoryImage(const acg::Machine& machine, const std::vector<std::span<uint8_t>>& offchip, uint64_t seed);

  /// Bytes of a scratchpad (all buffers) or of an off-chip memory. Valid as long as the image.
  std::span<const uint8_t> bytes(uint32_t memory) const { return memories_[memory]; }
  /// The same, to be written; none in an image for cycles alone.
  std::span<uint8_t> writable(uint32_t memory) { return writable_[memory]; }

 private:
  void fill_scratchpads(const acg::Machine& machine, uint64_t seed);

  std::vector<std::vector<uint8_t>> storage_;
  std::vector<std::span<const uint8_t>> memories_;
  std::vector<std::span<uint8_t>> writable_;
};

/// Sum, independent of order, of `acg::write_hash` over `bytes` at `address` of `memory`.
uint64_t digest_of(uint32_t memory, uint64_t address, std::span<const uint8_t> bytes);

}  // namespace covenant::sim
