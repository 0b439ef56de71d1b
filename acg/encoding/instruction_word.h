/// One instruction word of up to 256 bits, as a bit vector.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace covenant::acg {

inline constexpr uint32_t kMostWordBits = 256;

/// The value of a word; bit 0 is the least significant. The encoder leaves bits above a machine's word width zero.
class InstructionWord {
 public:
  constexpr InstructionWord() = default;
  /// Converts implicitly: a word of at most 64 bits is a number.
  constexpr InstructionWord(uint64_t low) : parts_{low} {}  // NOLINT(google-explicit-constructor)

  /// A word whose lowest `width` bits are 1.
  static constexpr InstructionWord ones(uint32_t width) {
    InstructionWord word;
    for (uint32_t i = 0; i < kParts && i * 64 < width; ++i) {
      word.parts_[i] = width - i * 64 >= 64 ? ~uint64_t{0} : (uint64_t{1} << (width - i * 64)) - 1;
    }
    return word;
  }

  constexpr bool bit(uint32_t at) const { return (parts_.at(at / 64) >> (at % 64) & 1U) != 0; }
  /// The `width` bits from bit `low` upwards, as a number. Precondition: 1 <= width <= 64, all of them within the 256
  /// bits.
  constexpr uint64_t bits(uint32_t low, uint32_t width) const {
    uint64_t value = parts_.at(low / 64) >> (low % 64);
    if (low % 64 != 0 && low / 64 + 1 < kParts) value |= parts_[low / 64 + 1] << (64 - low % 64);
    return width >= 64 ? value : value & ((uint64_t{1} << width) - 1);
  }
  constexpr uint8_t byte(uint32_t index) const { return static_cast<uint8_t>(bits(8 * index, 8)); }

  friend constexpr InstructionWord operator&(const InstructionWord& a, const InstructionWord& b) {
    return joined(a, b, std::bit_and<>());
  }
  friend constexpr InstructionWord operator|(const InstructionWord& a, const InstructionWord& b) {
    return joined(a, b, std::bit_or<>());
  }
  friend constexpr InstructionWord operator^(const InstructionWord& a, const InstructionWord& b) {
    return joined(a, b, std::bit_xor<>());
  }
  friend constexpr InstructionWord operator~(const InstructionWord& a) { return a ^ ones(kMostWordBits); }
  /// Shifts left; bits beyond the 256th are lost.
  friend constexpr InstructionWord operator<<(const InstructionWord& a, uint32_t by) {
    InstructionWord word;
    for (uint32_t i = by / 64; i < kParts; ++i) {
      const uint32_t from = i - by / 64;
      word.parts_[i] = a.parts_[from] << (by % 64);
      if (by % 64 != 0 && from > 0) word.parts_[i] |= a.parts_[from - 1] >> (64 - by % 64);
    }
    return word;
  }
  constexpr InstructionWord& operator|=(const InstructionWord& other) { return *this = *this | other; }
  constexpr InstructionWord& operator&=(const InstructionWord& other) { return *this = *this & other; }
  constexpr InstructionWord& operator^=(const InstructionWord& other) { return *this = *this ^ other; }
  auto operator<=>(const InstructionWord&) const = default;

 private:
  static constexpr uint32_t kParts = kMostWordBits / 64;
  template <class Operator>
  static constexpr InstructionWord joined(const InstructionWord& a, const InstructionWord& b, Operator with) {
    InstructionWord word;
    for (uint32_t i = 0; i < kParts; ++i) word.parts_[i] = with(a.parts_[i], b.parts_[i]);
    return word;
  }
  std::array<uint64_t, kParts> parts_{};  ///< least significant part first
};

/// Hash for unordered tables, which are used for look-up only.
struct InstructionWordHash {
  size_t operator()(const InstructionWord& word) const {
    uint64_t hash = 0;
    for (uint32_t low = 0; low < kMostWordBits; low += 64) {
      hash = (hash ^ word.bits(low, 64)) * 0x9e3779b97f4a7c15ULL;
      hash ^= hash >> 32;
    }
    return static_cast<size_t>(hash);
  }
};

}  // namespace covenant::acg
