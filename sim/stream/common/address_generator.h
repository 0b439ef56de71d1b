/// Addresses of tiles (docs/reference/units/address_generator.md).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "acg/operations/operation.h"

namespace covenant::sim {

inline constexpr size_t kMostAddressed = 4;  // operands of a unit
inline constexpr size_t kMaxInnerLoops = 7;

/// An operand of a unit whose addresses are generated.
struct AddressedOperand {
  std::string_view name;
  bool has_channel = true;      ///< its memory has channel slots
  bool has_inner_loops = true;  ///< inner loops advance it, too
};
/// The operands of a unit kind, and its inner loops.
struct AddressedUnit {
  acg::AddressOperand first{};  ///< `operands` are this one and those that follow it
  std::span<const AddressedOperand> operands;
  uint32_t first_level = 0;  ///< of the inner loops
  size_t inner_loops = 0;
};

/// Address generators and inner loops of one engine.
class AddressGenerator {
 public:
  /// The operands of `unit` must outlive it.
  explicit AddressGenerator(const AddressedUnit& unit);

  /// Sets the number of channels of the operand's memory; kChannelSlots by default.
  void set_channels(acg::AddressOperand operand, uint32_t channels) { channels_[place_of(operand)] = channels; }
  /// Sets the bits of a part of a base and of a stride; 16 by default.
  void set_part_bits(uint32_t base, uint32_t stride) {
    base_bits_ = base;
    stride_bits_ = stride;
  }
  /// Everything to zero, as at the start of a block.
  void clear();
  /// Any of the words base, stride and trip. Faults SIM0020 (operand of another unit), SIM0021 (level), SIM0022 (slot).
  void configure(const acg::Instruction& word);
  void set_base(const acg::Instruction& word);
  void set_stride(const acg::Instruction& word);
  void set_trip(const acg::Instruction& word);

  /// base + tile loops' share of the address, inner loops at 0; 32 bits, wrapping.
  uint32_t tile_address(acg::AddressOperand operand, const std::array<uint32_t, acg::kTileLoops>& indices) const;
  /// Stride of inner loop k (0 = outermost) as a signed number.
  int32_t inner_stride(acg::AddressOperand operand, size_t k) const;
  uint32_t slot(acg::AddressOperand operand) const { return operands_[place_of(operand)].slot; }

  /// Iterations of inner loop k, 1..65536.
  uint32_t inner_count(size_t k) const { return last_[k] + 1; }
  bool inner_reduction(size_t k) const { return is_reduction_[k]; }
  /// Product of all inner counts, UINT64_MAX if it is larger than that.
  uint64_t inner_iterations() const;

 private:
  struct Operand {
    uint32_t base = 0;
    uint32_t slot = 0;
    std::array<uint32_t, acg::kLoopLevels> strides{};
  };
  size_t place_of(acg::AddressOperand operand) const {
    return static_cast<size_t>(operand) - static_cast<size_t>(unit_.first);
  }
  size_t checked_place(uint32_t number) const;
  bool has_level(uint32_t level) const;

  AddressedUnit unit_;
  uint32_t base_bits_ = 16;
  uint32_t stride_bits_ = 16;
  std::array<uint32_t, kMostAddressed> channels_{};  ///< 1: the operand has no channel
  std::array<Operand, kMostAddressed> operands_{};
  std::array<uint32_t, kMaxInnerLoops> last_{};
  std::array<bool, kMaxInnerLoops> is_reduction_{};
};

/// a * b, or UINT64_MAX if that does not fit.
constexpr uint64_t saturating_product(uint64_t a, uint64_t b) {
  return a != 0 && b > UINT64_MAX / a ? UINT64_MAX : a * b;
}

/// `value` with its bits from part * width on set to the lowest `width` of `bits`, extended by zeros or by their sign;
/// the bits below stay.
constexpr uint32_t with_part(uint32_t value, uint64_t part, uint32_t width, uint32_t bits, bool is_signed = false) {
  const uint64_t low = part * width;
  if (part >= acg::kMostParts || low >= 32) return value;
  const uint32_t unused = 32 - width;
  const uint32_t top = bits << unused;
  const uint32_t extended = is_signed ? static_cast<uint32_t>(static_cast<int32_t>(top) >> unused) : top >> unused;
  return (value & ((uint32_t{1} << low) - 1)) | (extended << low);
}

}  // namespace covenant::sim
