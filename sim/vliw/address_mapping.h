/// Maps the addresses of a context to the memory behind the caches that contexts share.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace covenant::sim::vliw {

/// Bytes that a context has in common with another one: the same content at the same address, which neither changes.
struct CommonRange {
  uint32_t first = 0;
  uint64_t bytes = 0;
  uint32_t space = 0;  ///< address space of the lines
  bool contains(uint32_t address) const { return address - uint64_t{first} < bytes && address >= first; }
};

/// Every context has an address space of its own; ranges shared with an earlier context are in the space of that one.
class AddressMapping {
 public:
  AddressMapping() = default;
  explicit AddressMapping(uint32_t space, std::vector<CommonRange> common = {})
      : base_(in(space)), common_(std::move(common)) {}

  /// The address for the caches. Contexts use the same sets for equal addresses.
  uint64_t of(uint32_t address) const {
    if (!common_.empty()) [[unlikely]] {
      for (const CommonRange& range : common_) {
        if (range.contains(address)) return in(range.space) + address;
      }
    }
    return base_ + address;
  }

 private:
  static uint64_t in(uint32_t space) { return uint64_t{space} << 32; }

  uint64_t base_ = 0;
  std::vector<CommonRange> common_;
};

}  // namespace covenant::sim::vliw
