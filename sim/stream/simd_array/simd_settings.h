/// The state of a SIMD array that configuration words set (docs/reference/units/simd_array.md).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "acg/graph/graph.h"
#include "acg/isa/word_limits.h"
#include "acg/operations/operation.h"

namespace covenant::sim {

/// Iterator tables, nest, immediates, types, quantisation and the table of lookups of one SIMD array.
class SimdSettings {
 public:
  /// The iterator entry that an operand uses: (memory, entry).
  struct Entry {
    uint32_t memory = 0;
    uint32_t index = 0;
    bool operator==(const Entry&) const = default;
  };
  struct Level {
    uint32_t count = 1;
    bool has_index = false;          ///< an index word has named the strides of this level
    std::array<Entry, 3> strides{};  ///< for dst, src1, src2
  };

  /// `connected[m]`: memory m has an edge to or from the array. `parts`: in which words set numbers.
  SimdSettings(std::vector<bool> connected, const acg::WordParts& parts, uint32_t table_bytes);

  /// Restores the state at the start of a block.
  void clear();
  /// Any of the configuration words. Faults SIM0040 (no edge to the memory), SIM0047 (first_level above 8).
  void configure(const acg::Machine& machine, const acg::Instruction& word);

  uint32_t base(Entry entry) const { return bases_[at(entry)]; }
  int32_t stride(Entry entry) const { return static_cast<int32_t>(strides_[at(entry)]); }
  const std::array<Level, acg::kSimdLevels>& levels() const { return levels_; }
  uint32_t first_reduction() const { return first_reduction_; }
  uint32_t immediate(uint32_t slot) const { return immediates_[slot]; }
  /// Element types of dst, src1, src2.
  const std::array<acg::SimdType, 3>& types() const { return types_; }

  /// Values have the width of the destination; higher bits are ignored.
  struct Quantization {
    uint32_t zero_point = 0;
    uint32_t lowest = 0;
    uint32_t highest = 0;
  };
  const Quantization& quantization() const { return quantization_; }
  /// The table of lookup: one byte or f32 for each value of its source, the entry for 0 first.
  const std::vector<uint8_t>& table() const { return table_; }

 private:
  static size_t at(Entry entry) { return size_t{entry.memory} * acg::kIteratorEntries + entry.index; }
  void set_entry(const acg::Machine& machine, const acg::Instruction& word);
  void set_table(uint32_t index, uint32_t value);
  void set_quantization(const acg::Instruction& word, uint32_t part);

  std::vector<bool> connected_;
  acg::WordParts parts_;
  std::vector<uint32_t> bases_;
  std::vector<uint32_t> strides_;
  std::array<Level, acg::kSimdLevels> levels_{};
  uint32_t current_level_ = 0;
  uint32_t first_reduction_ = acg::kSimdLevels;
  std::array<uint32_t, acg::kImmediateSlots> immediates_{};
  std::array<acg::SimdType, 3> types_{};
  Quantization quantization_;
  std::vector<uint8_t> table_;
};

}  // namespace covenant::sim
