/// Where in the memory an address lies.
#pragma once

#include <array>
#include <cstdint>

namespace covenant::offchip {

enum class Field { kRow, kBank, kGroup, kColumn, kChannel };

/// How many there are of each; all are powers of two.
struct Organization {
  uint64_t channels = 1;
  uint64_t groups = 1;           ///< of banks, of a channel
  uint64_t banks = 1;            ///< of a group
  uint64_t rows = 1;             ///< of a bank
  uint64_t columns = 1;          ///< accesses of a row
  uint64_t access_bytes = 1;     ///< width of a channel's bus times its burst length
  std::array<Field, 5> order{};  ///< fields of an address above those of a byte in its access, the highest first
  bool bank_xor = false;         ///< group and bank are changed by as many low bits of the row

  uint64_t banks_of_channel() const { return groups * banks; }
  uint64_t bytes() const { return channels * banks_of_channel() * rows * columns * access_bytes; }
  bool operator==(const Organization&) const = default;
};

struct Location {
  uint32_t channel = 0;
  uint32_t bank = 0;   ///< of the channel: group * banks + bank of the group
  uint32_t group = 0;  ///< of the channel
  uint64_t row = 0;
  uint64_t column = 0;
  bool operator==(const Location&) const = default;
};

class AddressMap {
 public:
  explicit AddressMap(const Organization& organization);

  /// Of access number `line`: the address divided by the bytes of an access. What lies past the end of the memory
  /// begins again at its start.
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
