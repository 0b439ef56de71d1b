/// Maps an address to channel, bank, row and column.
#pragma once

#include <array>
#include <cstdint>

namespace covenant::offchip {

enum class Field { kRow, kBank, kGroup, kColumn, kChannel };

/// Numbers of channels, groups, banks, rows and columns; all are powers of two.
struct Organization {
  uint64_t channels = 1;
  uint64_t groups = 1;           ///< bank groups per channel
  uint64_t banks = 1;            ///< banks per group
  uint64_t rows = 1;             ///< rows per bank
  uint64_t columns = 1;          ///< accesses of a row
  uint64_t access_bytes = 1;     ///< width of a channel's bus times its burst length
  std::array<Field, 5> order{};  ///< fields of an address above those of a byte in its access, the highest first
  bool bank_xor = false;         ///< group and bank are XORed with as many low bits of the row

  uint64_t banks_of_channel() const { return groups * banks; }
  uint64_t bytes() const { return channels * banks_of_channel() * rows * columns * access_bytes; }
  bool operator==(const Organization&) const = default;
};

struct Location {
  uint32_t channel = 0;
  uint32_t bank = 0;   ///< within the channel: group * banks + bank within the group
  uint32_t group = 0;  ///< within the channel
  uint64_t row = 0;
  uint64_t column = 0;
  bool operator==(const Location&) const = default;
};

class AddressMap {
 public:
  explicit AddressMap(const Organization& organization);

  /// Location of access number `line`: the address divided by the bytes of an access. Addresses past the end of the
  /// memory wrap around to its start.
  Location locate(uint64_t line) const;

 private:
  struct Bits {
    uint32_t shift = 0;
    uint64_t mask = 0;
    uint64_t of(uint64_t line) const { return (line >> shift) & mask; }
  };

  std::array<Bits, 5> bits_{};  ///< by Field
  uint64_t banks_ = 1;
  bool bank_xor_ = false;
};

}  // namespace covenant::offchip
